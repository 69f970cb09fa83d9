// SPDX-License-Identifier: Apache-2.0
// Every placement there is, unit by unit, turning back as soon as a constraint is broken.
#include <algorithm>

#include "longarm/core/index.h"
#include "longarm/study/place/space.h"

namespace longarm::study {
bool PlacementSpace::is_apart(const Placement& placement, int unit, int host) const {
  for (const std::vector<int>& group : problem_.apart) {
    const bool is_member = std::any_of(group.begin(), group.end(), [&](int each) {
      const std::vector<int>& members = units_[index_of(unit)];
      return std::find(members.begin(), members.end(), each) != members.end();
    });
    const bool is_taken = std::any_of(group.begin(), group.end(),
                                      [&](int each) { return placement[index_of(each)] == host; });
    if (is_member && is_taken) {
      return false;
    }
  }
  return true;
}

struct PlacementSpace::Walk {
  const std::function<bool(const Placement&)>& visit;
  std::int64_t steps_left;
  Placement placement;
  std::vector<int> count;
  int left;  // components that have no host yet

  /// Whether those left can still fill hosts that need more.
  bool can_fill(const PlacementProblem& problem) const {
    int missing = 0;
    for (std::size_t h = 0; h < count.size(); ++h) {
      missing += std::max(0, problem.fewest_on(static_cast<int>(h)) - count[h]);
    }
    return missing <= left;
  }
};

bool PlacementSpace::visit_all(const std::function<bool(const Placement&)>& visit,
                               std::int64_t steps) const {
  Walk walk{visit, steps, Placement(problem_.components.size(), kAnyHost),
            std::vector<int>(problem_.hosts.size(), 0),
            static_cast<int>(problem_.components.size())};
  return visit_from(walk, 0);
}

bool PlacementSpace::visit_from(Walk& walk, std::size_t unit) const {
  if (walk.steps_left-- <= 0) {
    return false;
  }
  if (unit == units_.size()) {
    return walk.visit(walk.placement);
  }
  const int size = static_cast<int>(units_[unit].size());
  for (int host = 0; host < static_cast<int>(problem_.hosts.size()); ++host) {
    // of hosts alike, the first that is empty stands for all of them
    const bool is_repeated = std::any_of(alike_.begin(), alike_.end(), [&](const auto& group) {
      const auto here = std::find(group.begin(), group.end(), host);
      return here != group.end() && here != group.begin() && walk.count[index_of(*(here - 1))] == 0;
    });
    const bool is_elsewhere = pinned_[unit] != kAnyHost && pinned_[unit] != host;
    if (is_repeated || is_elsewhere || walk.count[index_of(host)] + size > problem_.most_on(host) ||
        !is_apart(walk.placement, static_cast<int>(unit), host)) {
      continue;
    }
    put(walk.placement, static_cast<int>(unit), host);
    walk.count[index_of(host)] += size;
    walk.left -= size;
    const bool goes_on = !walk.can_fill(problem_) || visit_from(walk, unit + 1);
    walk.left += size;
    walk.count[index_of(host)] -= size;
    put(walk.placement, static_cast<int>(unit), kAnyHost);
    if (!goes_on) {
      return false;
    }
  }
  return true;
}

}  // namespace longarm::study
