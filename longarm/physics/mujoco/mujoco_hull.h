// SPDX-License-Identifier: Apache-2.0
// The convex hull that MuJoCo puts in the place of a mesh.
#pragma once

#include "longarm/model/shape.h"

namespace longarm::physics {

/// m³. Throws InputError, with MuJoCo's words, for a mesh that it cannot use.
double mujoco_hull_volume(const model::MeshData& mesh);

}  // namespace longarm::physics
