// SPDX-License-Identifier: Apache-2.0
// Spheres need not be the smallest, only contain what they stand for.
#include "longarm/devices/moving_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longarm::devices {
namespace {

using model::Vector3;

/// Around the shape in its own frame.
struct Around {
  BoundingSphere operator()(const model::Box& box) const {
    return {Vector3::Zero(), box.size_m.norm() / 2.0};
  }
  BoundingSphere operator()(const model::Sphere& sphere) const {
    return {Vector3::Zero(), sphere.radius_m};
  }
  BoundingSphere operator()(const model::Cylinder& cylinder) const {
    return {Vector3::Zero(), std::hypot(cylinder.radius_m, cylinder.length_m / 2.0)};
  }
  BoundingSphere operator()(const model::Capsule& capsule) const {
    return {Vector3::Zero(), capsule.radius_m + capsule.length_m / 2.0};
  }
  BoundingSphere operator()(const model::HalfSpace&) const {
    return {Vector3::Zero(), std::numeric_limits<double>::infinity()};
  }
  BoundingSphere operator()(const model::Mesh& mesh) const {
    BoundingSphere sphere;
    if (mesh.data == nullptr || mesh.data->vertices_m.empty()) {
      return sphere;
    }
    Eigen::AlignedBox3d box;
    for (const Vector3& vertex : mesh.data->vertices_m) {
      box.extend(vertex);
    }
    sphere.centre_B = box.center();
    for (const Vector3& vertex : mesh.data->vertices_m) {
      sphere.radius_m = std::max(sphere.radius_m, (vertex - sphere.centre_B).norm());
    }
    return sphere;
  }
};

/// Around the mean of their centres.
BoundingSphere around(const std::vector<MovingShape>& shapes) {
  BoundingSphere whole;
  for (const MovingShape& shape : shapes) {
    whole.centre_B += shape.around.centre_B / static_cast<double>(shapes.size());
  }
  for (const MovingShape& shape : shapes) {
    const double away = (shape.around.centre_B - whole.centre_B).norm();
    whole.radius_m = std::max(whole.radius_m, away + shape.around.radius_m);
  }
  return whole;
}

std::vector<MovingShape> shapes_of(const model::Body& body) {
  std::vector<MovingShape> shapes;
  for (const model::Geometry& geometry : body.collisions) {
    shapes.push_back({geometry, bounding_sphere(geometry)});
  }
  return shapes;
}

}  // namespace

BoundingSphere bounding_sphere(const model::Geometry& geometry) {
  BoundingSphere sphere = std::visit(Around{}, geometry.shape);
  sphere.centre_B = geometry.X_LG * sphere.centre_B;
  return sphere;
}

BoundingSphere bounding_sphere(const model::Body& body) {
  return around(shapes_of(body));
}

std::vector<MovingBody> moving_bodies(const model::Cell& cell) {
  std::vector<MovingBody> moving;
  int number = 0;
  for (const model::Placement& placement : cell.placements) {
    for (std::size_t i = 0; i < placement.tree.bodies.size(); ++i, ++number) {
      const model::Body& body = placement.tree.bodies[i];
      const bool is_still = placement.tree.is_static || (i == 0 && placement.is_fixed);
      if (is_still || body.collisions.empty()) {
        continue;
      }
      MovingBody each{static_cast<physics::BodyId>(number), {}, shapes_of(body)};
      each.whole = around(each.shapes);
      moving.push_back(std::move(each));
    }
  }
  return moving;
}

}  // namespace longarm::devices
