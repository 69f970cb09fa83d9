// SPDX-License-Identifier: Apache-2.0
// Does a plan do what it should? Executes it on the domain as written, without the planner's
// grounding.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/pddl/domain.h"

namespace longarm::pddl {

/// The plan's cost, or what is wrong: "step 3, (pick fanuc gear_1): (free fanuc) does not hold".
Result<Cost> validate(const Domain& domain, const Problem& problem, const std::vector<Step>& plan);

}  // namespace longarm::pddl
