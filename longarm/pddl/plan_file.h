// SPDX-License-Identifier: Apache-2.0
// Plans as planners write them: one action a line, and the cost behind a ';'.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/pddl/planner.h"

namespace longarm::pddl {

/// "(pick fanuc gear_1)\n…; cost = 12 (general cost)\n"
std::string write_plan(const Plan& plan);

/// Steps of such a file; what follows a ';' is left out.
std::vector<Step> read_plan(std::string_view text, const std::string& path,
                            Diagnostics& diagnostics);

}  // namespace longarm::pddl
