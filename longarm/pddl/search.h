// SPDX-License-Identifier: Apache-2.0
// Searches among the states of a ground problem; private to the planner.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "longarm/pddl/ground.h"

namespace longarm::pddl {

struct SearchResult {
  std::optional<std::vector<std::int32_t>> operators;  ///< the plan; absent: none was found
  bool is_exhausted = false;  ///< there is nothing left to look at: no plan means there is none
  std::int64_t expanded = 0;
  std::int64_t evaluated = 0;
};

/// A* with LM-cut: the plan is an optimal one. Gives up after looking at `most_states`.
SearchResult search_optimal(const GroundProblem& problem, std::int64_t most_states);

/// Greedy, judging states only when it comes to them, helpful operators first.
SearchResult search_greedy(const GroundProblem& problem, std::int64_t most_states);

/// Leaves out what the plan does not need.
std::vector<std::int32_t> shorten(const GroundProblem& problem, std::vector<std::int32_t> plan);

}  // namespace longarm::pddl
