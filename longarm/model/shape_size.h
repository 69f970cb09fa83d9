// SPDX-License-Identifier: Apache-2.0
// How large the shapes of a body are. Internal to the folder.
#pragma once

#include <optional>
#include <vector>

#include "longarm/model/shape.h"

namespace longarm::model {

/// A box around all shapes, along the axes of their link or body; nothing without any that ends
/// somewhere.
std::optional<Eigen::AlignedBox3d> box_around(const std::vector<Geometry>& shapes);

/// Edges of that box.
std::optional<Vector3> size_of(const std::vector<Geometry>& shapes);

/// What they fill together, m³: exactly for one shape, by points on a grid for several, so that
/// what overlaps counts once. A mesh with holes counts as half of the box around it; among others
/// a mesh fills its box evenly.
double volume_of(const std::vector<Geometry>& shapes);

}  // namespace longarm::model
