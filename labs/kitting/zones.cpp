// SPDX-License-Identifier: Apache-2.0
// Hands zones over in the order of asking.
#include "labs/kitting/zones.h"

#include <chrono>
#include <utility>

namespace longarm::kitting {

using namespace std::chrono_literals;

struct Zones::Place {
  Place(Zone& in, Bell& mine) : zone(in), bell(mine) { zone.queue.push_back(&bell); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { zone.queue.remove(&bell); }
  bool is_first() const { return zone.queue.front() == &bell; }

  Zone& zone;
  Bell& bell;
};

sim::Task<bool> Zones::enter(sim::TaskContext context, std::string zone_name, std::string who) {
  Zone& zone = zones_[zone_name];
  if (zone.holder == who) {
    co_return true;
  }
  Bell bell;
  const Place place(zone, bell);
  while (zone.why_blocked.empty()) {
    if (zone.holder.empty() && place.is_first()) {
      zone.holder = std::move(who);
      co_return true;
    }
    // the deadline is of no consequence: it only looks again
    co_await bell.wait_for(context, 60s);
  }
  co_return false;
}

void Zones::leave(const std::string& zone_name, const std::string& who) {
  Zone& zone = zones_[zone_name];
  if (zone.holder != who) {
    return;
  }
  zone.holder.clear();
  if (!zone.queue.empty()) {
    zone.queue.front()->ring();
  }
}

void Zones::block(const std::string& zone_name, std::string why) {
  Zone& zone = zones_[zone_name];
  zone.why_blocked = std::move(why);
  for (Bell* bell : zone.queue) {
    bell->ring();
  }
}

void Zones::unblock(const std::string& zone_name) {
  Zone& zone = zones_[zone_name];
  zone.why_blocked.clear();
  zone.holder.clear();
}

std::vector<std::string> Zones::blocked() const {
  std::vector<std::string> names;
  for (const auto& [name, zone] : zones_) {
    if (!zone.why_blocked.empty()) {
      names.push_back(name);
    }
  }
  return names;
}

bool Zones::is_inside(const std::string& zone, const std::string& who) const {
  const auto found = zones_.find(zone);
  return found != zones_.end() && found->second.holder == who;
}

std::string Zones::why_blocked(const std::string& zone) const {
  const auto found = zones_.find(zone);
  return found == zones_.end() ? std::string() : found->second.why_blocked;
}

}  // namespace longarm::kitting
