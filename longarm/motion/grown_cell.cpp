// SPDX-License-Identifier: Apache-2.0
// One rule per shape.
#include "longarm/motion/grown_cell.h"

#include <array>
#include <memory>
#include <utility>
#include <variant>

namespace longarm::motion {
namespace {

void grow_shape(model::Box& box, model::Pose&, double margin_m) {
  box.size_m.array() += 2.0 * margin_m;
}

void grow_shape(model::Sphere& sphere, model::Pose&, double margin_m) {
  sphere.radius_m += margin_m;
}

void grow_shape(model::Cylinder& cylinder, model::Pose&, double margin_m) {
  cylinder.radius_m += margin_m;
  cylinder.length_m += 2.0 * margin_m;
}

void grow_shape(model::Capsule& capsule, model::Pose&, double margin_m) {
  capsule.radius_m += margin_m;
}

void grow_shape(model::HalfSpace&, model::Pose& X_LG, double margin_m) {
  X_LG.translation() += margin_m * X_LG.linear().col(2);
}

void grow_shape(model::Mesh& mesh, model::Pose&, double margin_m) {
  if (!mesh.data) {
    return;
  }
  auto grown = std::make_shared<model::MeshData>();
  grown->file = mesh.data->file;
  for (int copy = 0; copy < 8; ++copy) {
    const model::Vector3 shift(copy & 1 ? margin_m : -margin_m, copy & 2 ? margin_m : -margin_m,
                               copy & 4 ? margin_m : -margin_m);
    const int first = static_cast<int>(grown->vertices_m.size());
    for (const model::Vector3& vertex : mesh.data->vertices_m) {
      grown->vertices_m.push_back(vertex + shift);
    }
    for (const std::array<int, 3>& corners : mesh.data->triangles) {
      grown->triangles.push_back({first + corners[0], first + corners[1], first + corners[2]});
    }
  }
  mesh.data = std::move(grown);
}

}  // namespace

void grow(model::Geometry& geometry, double margin_m) {
  std::visit([&](auto& shape) { grow_shape(shape, geometry.X_LG, margin_m); }, geometry.shape);
}

model::Cell grown_cell(const model::Cell& cell, int placement, double margin_m) {
  model::Cell grown = cell;
  for (std::size_t p = 0; p < grown.placements.size(); ++p) {
    model::Placement& each = grown.placements[p];
    const bool is_arm = static_cast<int>(p) == placement;
    each.is_fixed = true;
    each.tree.is_static = each.tree.is_static || !is_arm;
    for (model::Body& body : each.tree.bodies) {
      // engines refuse moving bodies without mass, which may well be asked about
      body.inertial = {1.0, model::Pose::Identity(), model::Matrix3::Identity()};
      body.visuals.clear();
      for (model::Geometry& geometry : body.collisions) {
        if (!is_arm && margin_m > 0.0) {
          grow(geometry, margin_m);
        }
      }
    }
  }
  return grown;
}

}  // namespace longarm::motion
