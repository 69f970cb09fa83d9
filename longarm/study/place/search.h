// SPDX-License-Identifier: Apache-2.0
// Looks for the best placement with a given number of simulations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longarm/study/place/cut_model.h"
#include "longarm/study/place/space.h"

namespace longarm::study {

/// One placement that was simulated.
struct PlacementTrial {
  Placement placement;
  std::string how;     ///< "start", "metis", "swap", "move", "chain", "restart", "exhaustive"
  std::string change;  ///< of the best until then, in words; empty: not a change of it
  std::optional<double> value;  ///< nothing: it could not be simulated
  bool is_best = false;         ///< of all until then; of equal ones that with the smaller cut
  double failures = 0.0;        ///< what did not work; with fewer it is better, whatever its value
};

struct PlacementOutcome {
  std::optional<double> value;
  double failures = 0.0;
};

/// Simulates placements, which may go on side by side, and gives what came of them in the same
/// order. Fewer outcomes than placements: it was interrupted.
using EvaluatePlacements =
    std::function<std::vector<PlacementOutcome>(const std::vector<Placement>&)>;

struct PlacementSearchOptions {
  int budget = 200;  ///< simulations
  std::uint64_t seed = 1;
  /// Of each edge: how likely its being between hosts makes the difference. Empty: all alike.
  std::vector<double> suspicion;
  /// Allowed placements to simulate next after the start, for as long as the budget lasts.
  std::vector<Placement> others;
  /// Called after each batch with all trials so far; may be empty.
  std::function<void(const std::vector<PlacementTrial>&)> progress;
};

struct PlacementSearchResult {
  std::vector<PlacementTrial> trials;
  std::size_t best = 0;  ///< of `trials`
  /// "budget", "interrupted", or "exhausted": every allowed placement was simulated, so that the
  /// best is proven
  std::string ended;
};

/// `start` must be allowed; its trial is the first. All trials are canonical and different. Where
/// the budget is enough for all placements there are, all are simulated. Otherwise in batches of a
/// fixed size, so that results depend on nothing but the arguments: single changes of the best,
/// chains of them, and restarts from anywhere, each the best by a guess at the price of every edge
/// that agrees with the simulations so far. Throws InputError if `start` cannot be simulated.
PlacementSearchResult search_placements(const PlacementSpace& space, const Placement& start,
                                        const EvaluatePlacements& evaluate,
                                        const PlacementSearchOptions& options);

}  // namespace longarm::study
