// SPDX-License-Identifier: Apache-2.0
// Finds plans: proven optimal ones where the problem is small, good ones quickly where it is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/pddl/domain.h"

namespace longarm::pddl {

/// Budgets count expanded states, never time: the same problem has the same plan everywhere.
struct PlannerOptions {
  std::int64_t optimal_states = 2'000;      ///< for A*; 0: do not try
  std::int64_t greedy_states = 200'000;     ///< for the quick search after that; 0: do not try
  std::int64_t most_operators = 2'000'000;  ///< ground actions; more are refused
};

enum class PlanOutcome {
  kSolved,
  kUnsolvable,   ///< proven: there is no plan
  kOutOfBudget,  ///< not known
};

struct Plan {
  PlanOutcome outcome = PlanOutcome::kOutOfBudget;
  std::vector<Step> steps;
  Cost cost = 0;            ///< of the problem's metric: an action counts one where there is none
  bool is_optimal = false;  ///< proven
  std::string method;       ///< "A* with LM-cut", "lazy greedy with FF"
  std::vector<std::string>
      unreachable;            ///< goals that nothing achieves even if nothing were ever undone
  std::int64_t expanded = 0;  ///< states, of all searches
  std::int64_t evaluated = 0;
  std::int64_t facts = 0;  ///< of the ground problem
  std::int64_t operators = 0;
};

/// Both must have been checked by the reader (or made by us): what is undeclared is our fault.
Plan make_plan(const Domain& domain, const Problem& problem, const PlannerOptions& options = {});

}  // namespace longarm::pddl
