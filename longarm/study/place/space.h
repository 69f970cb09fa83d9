// SPDX-License-Identifier: Apache-2.0
// All placements that the constraints allow: small changes, repairs, random ones, every one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/random.h"
#include "longarm/study/place/problem.h"

namespace longarm::study {

/// Lower is better.
using PlacementCost = std::function<double(const Placement&)>;

/// A unit goes to another host, or two units exchange theirs. A unit is what must be together.
struct PlacementChange {
  int unit = 0;
  int other = -1;  ///< unit to exchange with; -1: none
  int host = 0;    ///< where `unit` goes
};

class PlacementSpace {
 public:
  explicit PlacementSpace(PlacementProblem problem);

  const PlacementProblem& problem() const { return problem_; }
  const std::vector<std::vector<int>>& units() const { return units_; }
  /// Of a unit, or kAnyHost.
  int pinned_host(int unit) const { return pinned_[static_cast<std::size_t>(unit)]; }

  /// Components too many or too few on hosts, pairs that should be apart, pins that are not kept.
  int violations(const Placement& placement) const;
  bool allows(const Placement& placement) const { return violations(placement) == 0; }

  /// The same up to the names of hosts that are alike: those come in the order of their first
  /// components.
  Placement canonical(const Placement& placement) const;

  /// All single changes whose result has at most so many violations, in a fixed order.
  std::vector<PlacementChange> changes(const Placement& placement, int violations = 0) const;
  Placement changed(Placement placement, const PlacementChange& change) const;
  /// "swap A with B", "move A to pc2"
  std::string text(const PlacementChange& change) const;

  /// Single changes, each the best of all, for as long as they make it cheaper.
  Placement descend(Placement placement, const PlacementCost& cost) const;
  /// An allowed one near by: at each step the change that mends most, and of those the cheapest.
  /// Nothing if there is none at all, or none was found in a bounded search.
  std::optional<Placement> repair(Placement placement, const PlacementCost& cost) const;
  std::optional<Placement> random(RandomStream& stream) const;

  /// Calls with each allowed canonical placement until `visit` says no. False if it said so, or
  /// after `steps` steps of search.
  bool visit_all(const std::function<bool(const Placement&)>& visit,
                 std::int64_t steps = 1'000'000'000) const;

 private:
  struct Walk;
  bool visit_from(Walk& walk, std::size_t unit) const;
  void put(Placement& placement, int unit, int host) const;
  int host_of(const Placement& placement, int unit) const;
  bool is_apart(const Placement& placement, int unit, int host) const;

  PlacementProblem problem_;
  std::vector<std::vector<int>> units_;
  std::vector<int> pinned_;
  std::vector<std::vector<int>> alike_;  ///< hosts that may be exchanged, in groups
};

}  // namespace longarm::study
