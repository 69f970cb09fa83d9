// SPDX-License-Identifier: Apache-2.0
// Opens the doors that the keys ask for, and says every line at each.
#include "longarm/actors/outlet.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longarm::actors {

void list_fields(Fields& fields, OutletKeys& keys) {
  fields.field("port", keys.port,
               "TCP port at which programs outside get a line of JSON for each message; 0: any "
               "free one; none: no such door");
  fields.field("topic", keys.topic,
               "topic of ignition-transport on which the same lines are published; none: nowhere");
  if (keys.port &&
      !(*keys.port >= 0.0 && *keys.port <= 65'535.0 && *keys.port == std::floor(*keys.port))) {
    fields.reject("port", fmt::format("{:g} is no TCP port", *keys.port),
                  "a whole number up to 65535; 0 takes any free one");
  }
}

Outlet::Outlet(cell::World& world, const std::string& actor, const OutletKeys& keys,
               const std::string& what)
    : world_(world) {
  if (keys.port) {
    port_ = std::make_unique<protocols::LinesDoor>(fmt::format("{}.{}", actor, what),
                                                   static_cast<std::uint16_t>(*keys.port));
    server_.door = port_.get();
    world.offer_door(actor, *port_);
  }
  world.offer<LinesServer>(actor, server_);
  if (!keys.topic.empty()) {
    topic_ = std::make_unique<protocols::LinesDoor>("topic." + keys.topic, std::nullopt);
    world.offer_door(actor, *topic_);
  }
  if (is_open()) {
    source_ = world.kernel().add_source(fmt::format("{}.{}", actor, what));
  }
}

void Outlet::tell(const std::string& line) const {
  for (protocols::LinesDoor* door : {port_.get(), topic_.get()}) {
    if (door != nullptr) {
      door->say(line);
    }
  }
}

void Outlet::say(const std::string& line) {
  last_ = line;
  is_fresh_ = true;
  tell(line);
}

void Outlet::repeat_every(Duration period) {
  world_.kernel().every(period, world_.now() + period, sim::Phase::kRecord, source_, [this](Time) {
    if (!std::exchange(is_fresh_, false) && !last_.empty()) {
      tell(last_);
    }
  });
}

}  // namespace longarm::actors
