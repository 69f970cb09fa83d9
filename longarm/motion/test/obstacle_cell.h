// SPDX-License-Identifier: Apache-2.0
// Cells with obstacles for tests of planning.
#pragma once

#include <string>

#include "longarm/model/cell.h"

namespace longarm::motion::test {

/// In the plane z = 0, not turned.
model::Pose at(double x, double y);

/// Something that stands still.
model::Placement obstacle(const std::string& name, const model::Shape& shape,
                          const model::Pose& X_WG);

/// A ball of radius 0.1 m that slides within ±2 m along x (joint 0) and y (joint 1): joint space is
/// the plane itself. Frame "ball".
model::Placement sliding_ball();

/// The UR5 on a table, with a wall at its back, a post before it and a shelf to its right: the cell
/// of scenario ur5-obstacles.
model::Cell ur5_cell();

}  // namespace longarm::motion::test
