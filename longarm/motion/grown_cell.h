// SPDX-License-Identifier: Apache-2.0
// Obstacles made larger by a margin, so that not touching them means keeping away from the real
// ones.
#pragma once

#include "longarm/model/cell.h"

namespace longarm::motion {

/// Contains every point within `margin_m` of the shape. Spheres, capsules and half spaces grow by
/// exactly that; boxes and cylinders keep their sharp edges and so grow by more there. Of a mesh it
/// is the convex hull that grows, in the way a box does: eight copies of it are moved to the
/// corners of a cube, and it is for the engine to take their hull.
void grow(model::Geometry& geometry, double margin_m);

/// The cell for questions about the arm at `placement` alone: everything else is grown, stands
/// still where it starts, and touches nothing but the arm. Masses are made up.
model::Cell grown_cell(const model::Cell& cell, int placement, double margin_m);

}  // namespace longarm::motion
