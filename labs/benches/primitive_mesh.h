// SPDX-License-Identifier: Apache-2.0
// Boxes and cylinders as triangles.
#pragma once

#include "longarm/model/shape.h"

namespace longarm::benches {

/// Cylinders become prisms of 24 sides with their corners on the circle. Other shapes stay as they
/// are.
model::Shape mesh_of(const model::Shape& shape);

}  // namespace longarm::benches
