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

/// What they fill together, as if none overlapped, m³. A mesh with holes counts as half of the box
/// around it.
double volume_of(const std::vector<Geometry>& shapes);

}  // namespace longarm::model
