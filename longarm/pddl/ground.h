// SPDX-License-Identifier: Apache-2.0
// A problem without variables: numbered facts, and operators that need, add and delete them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/pddl/domain.h"

namespace longarm::pddl {

using FactId = std::int32_t;

/// Lists are sorted and without repetition. What is added is not deleted.
struct Operator {
  std::vector<FactId> needs;
  std::vector<FactId> adds;
  std::vector<FactId> deletes;
  Cost cost = 0;
  std::int32_t action = 0;              ///< of the domain
  std::vector<std::int32_t> arguments;  ///< objects
};

/// Only what can ever come true and may ever change is a fact; only what may ever be applied is an
/// operator. Negative conditions are facts of their own, "(not (ready belt))".
struct GroundProblem {
  std::vector<std::string> objects;  ///< constants of the domain first
  std::vector<std::string> facts;    ///< as text
  std::vector<Operator> operators;
  std::vector<FactId> initial;
  std::vector<FactId> goal;  ///< what of it is not always true
  /// Goals that nothing achieves even if nothing is ever undone; then there is no plan.
  std::vector<std::string> unreachable;

  Step step_of(const Domain& domain, const Operator& each) const;
};

/// The error says that there are more than `most_operators`.
Result<GroundProblem> ground(const Domain& domain, const Problem& problem,
                             std::int64_t most_operators);

}  // namespace longarm::pddl
