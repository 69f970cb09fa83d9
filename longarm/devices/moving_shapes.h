// SPDX-License-Identifier: Apache-2.0
// Spheres around everything in a cell that can move: a cheap first look for sensors.
#pragma once

#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::devices {

/// In the frame of a body.
struct BoundingSphere {
  model::Vector3 centre_B = model::Vector3::Zero();
  double radius_m = 0.0;
};

struct MovingShape {
  model::Geometry geometry;
  BoundingSphere around;
};

struct MovingBody {
  physics::BodyId body{};
  BoundingSphere whole;
  std::vector<MovingShape> shapes;  ///< all within `whole`
};

BoundingSphere bounding_sphere(const model::Geometry& geometry);
/// Around all collision shapes of a body.
BoundingSphere bounding_sphere(const model::Body& body);

/// Bodies that can move and have collision shapes.
std::vector<MovingBody> moving_bodies(const model::Cell& cell);

}  // namespace longarm::devices
