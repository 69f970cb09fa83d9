// SPDX-License-Identifier: Apache-2.0
// Opens the doors that the keys ask for, and says every line at each.
#include "longarm/actors/outlet.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longarm::actors {

void list_fields(Fields& fields, OutletKeys& keys) {
  fields.field("port", keys.port,
               "TCP port that sends a line of JSON per message to external programs; 0: a free "
               "port; empty: none");
  fields.field("topic", keys.topic,
               "ignition-transport topic that publishes the same lines; empty: none");
  if (keys.port &&
      !(*keys.port >= 0.0 && *keys.port <= 65'535.0 && *keys.port == std::floor(*keys.port))) {
    fields.reject("port", fmt::format("{:g} is not a TCP port", *keys.port),
                  "use a whole number up to 65535; 0 picks a free port");
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
