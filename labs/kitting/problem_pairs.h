// SPDX-License-Identifier: Apache-2.0
// The cheapest way to give each row a column of its own; private to making problems.
#pragma once

#include <cstddef>
#include <vector>

#include "longarm/pddl/domain.h"

namespace longarm::kitting {

/// A column for each row, none twice, with the least sum of costs[row][column]; there must be at
/// least as many columns as rows. Among equals always the same one.
std::vector<std::size_t> cheapest_pairs(const std::vector<std::vector<pddl::Cost>>& costs);

}  // namespace longarm::kitting
