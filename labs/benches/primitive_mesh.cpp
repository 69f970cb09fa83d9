// SPDX-License-Identifier: Apache-2.0
// Corners and triangles, anticlockwise seen from outside.
#include "labs/benches/primitive_mesh.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace longarm::benches {
namespace {

using model::MeshData;

constexpr int kSides = 24;

/// A prism over a polygon that goes anticlockwise about z.
MeshData make_prism(const std::vector<Eigen::Vector2d>& corners, double height_m) {
  MeshData mesh;
  mesh.file = "a primitive";
  const int count = static_cast<int>(corners.size());
  for (const double z : {-height_m / 2.0, height_m / 2.0}) {
    for (const Eigen::Vector2d& corner : corners) {
      mesh.vertices_m.emplace_back(corner.x(), corner.y(), z);
    }
  }
  for (int i = 0; i < count; ++i) {
    const int next = (i + 1) % count;
    mesh.triangles.push_back({i, next, count + next});
    mesh.triangles.push_back({i, count + next, count + i});
  }
  for (int i = 1; i + 1 < count; ++i) {
    mesh.triangles.push_back({0, i + 1, i});
    mesh.triangles.push_back({count, count + i, count + i + 1});
  }
  return mesh;
}

model::Shape share(MeshData mesh) {
  model::Mesh shape;
  shape.data = std::make_shared<const MeshData>(std::move(mesh));
  return shape;
}

}  // namespace

model::Shape mesh_of(const model::Shape& shape) {
  if (const auto* box = std::get_if<model::Box>(&shape)) {
    const double x = box->size_m.x() / 2.0;
    const double y = box->size_m.y() / 2.0;
    return share(make_prism({{-x, -y}, {x, -y}, {x, y}, {-x, y}}, box->size_m.z()));
  }
  if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
    std::vector<Eigen::Vector2d> corners;
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / kSides;
      corners.emplace_back(cylinder->radius_m * std::cos(angle),
                           cylinder->radius_m * std::sin(angle));
    }
    return share(make_prism(corners, cylinder->length_m));
  }
  return shape;
}

}  // namespace longarm::benches
