// SPDX-License-Identifier: Apache-2.0
// Puts what stands on a belt farther back, so that the belt has to bring it.
#pragma once

#include <string>
#include <vector>

#include "longarm/model/cell.h"

namespace longarm::actors {

/// Loose placements above the surface that joint number `joint` of the cell carries, by their
/// numbers.
std::vector<int> standing_on_belt(const model::Cell& cell, int joint);

/// Moves them by `upstream_m` against the joint's axis. Throws InputError if one would not be on
/// the surface any more.
void put_upstream(model::Cell& cell, int joint, double upstream_m);

}  // namespace longarm::actors
