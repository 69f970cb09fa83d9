// SPDX-License-Identifier: Apache-2.0
// Places where one arm at a time may be, or the belt may move: who is in, who waits.
#pragma once

#include <list>
#include <map>
#include <string>
#include <vector>

#include "labs/kitting/bell.h"

namespace longarm::kitting {

/// First come, first served. A zone that is blocked (a broken arm stands in it) lets nobody in, and
/// says why.
class Zones {
 public:
  /// `co_await zones.enter(…)`: true once inside, false if the zone is blocked. Whoever is inside
  /// already stays inside.
  sim::Task<bool> enter(sim::TaskContext context, std::string zone, std::string who);
  /// Nothing happens if it is not inside.
  void leave(const std::string& zone, const std::string& who);
  /// Sends those who wait away.
  void block(const std::string& zone, std::string why);
  void unblock(const std::string& zone);

  bool is_inside(const std::string& zone, const std::string& who) const;
  /// Those that are.
  std::vector<std::string> blocked() const;
  /// Empty: it is not blocked.
  std::string why_blocked(const std::string& zone) const;

 private:
  struct Zone {
    std::string holder;
    std::string why_blocked;
    std::list<Bell*> queue;  // first come first; bells live in the waiting frames
  };
  /// Takes a bell out of its queue when the waiting task ends or is cancelled.
  struct Place;

  std::map<std::string, Zone> zones_;
};

}  // namespace longarm::kitting
