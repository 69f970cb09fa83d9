// SPDX-License-Identifier: Apache-2.0
// Whether a straight beam meets a shape, without asking the engine.
#pragma once

#include <optional>

#include "longarm/model/shape.h"

namespace longarm::devices {

/// From `origin` along the unit vector `direction`, both in the shape's frame; also if it starts
/// inside. Nothing for shapes that only the engine knows: meshes and half spaces.
std::optional<bool> beam_meets(const model::Shape& shape, const model::Vector3& origin,
                               const model::Vector3& direction, double range_m);

}  // namespace longarm::devices
