// SPDX-License-Identifier: Apache-2.0
// Boxes and volumes, one kind of shape after the other.
#include "longarm/model/shape_size.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "longarm/model/mesh.h"

namespace longarm::model {
namespace {

/// A box around the shape, in its own frame; nothing for a half space.
std::optional<Eigen::AlignedBox3d> own_box(const Shape& shape) {
  std::optional<Vector3> half;
  if (const auto* box = std::get_if<Box>(&shape)) {
    half = box->size_m / 2.0;
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    half = Vector3::Constant(sphere->radius_m);
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    half = Vector3(cylinder->radius_m, cylinder->radius_m, cylinder->length_m / 2.0);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    half =
        Vector3(capsule->radius_m, capsule->radius_m, capsule->length_m / 2.0 + capsule->radius_m);
  } else if (const auto* mesh = std::get_if<Mesh>(&shape); mesh != nullptr && mesh->data) {
    return bounds_of(*mesh->data);
  }
  return half ? std::optional(Eigen::AlignedBox3d(-*half, *half)) : std::nullopt;
}

double own_volume(const Shape& shape) {
  constexpr double kPi = std::numbers::pi;
  if (const auto* box = std::get_if<Box>(&shape)) {
    return box->size_m.prod();
  }
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    return 4.0 / 3.0 * kPi * sphere->radius_m * sphere->radius_m * sphere->radius_m;
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    return kPi * cylinder->radius_m * cylinder->radius_m * cylinder->length_m;
  }
  if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    return kPi * capsule->radius_m * capsule->radius_m *
           (capsule->length_m + 4.0 / 3.0 * capsule->radius_m);
  }
  const auto* mesh = std::get_if<Mesh>(&shape);
  if (mesh == nullptr || !mesh->data) {
    return 0.0;
  }
  // what a surface with holes encloses is any number; nothing hollow is thinner than a twentieth
  constexpr double kThinnest = 0.05;
  const double box = bounds_of(*mesh->data).volume();
  const double enclosed = enclosed_volume(*mesh->data);
  return enclosed >= kThinnest * box && enclosed <= box ? enclosed : box / 2.0;
}

struct PlacedShape {
  const Shape* shape;
  Pose X_GL;
  Eigen::AlignedBox3d box;  ///< its own
  double filling;           ///< of that box
};

/// How much of the surroundings of a point is inside: 1 or 0, or a mesh's filling.
double share_at(const PlacedShape& placed, const Vector3& p_L) {
  const Vector3 p = placed.X_GL * p_L;
  if (!placed.box.contains(p)) {
    return 0.0;
  }
  const double radius_m = std::hypot(p.x(), p.y());
  if (const auto* sphere = std::get_if<Sphere>(placed.shape)) {
    return p.norm() <= sphere->radius_m ? 1.0 : 0.0;
  }
  if (const auto* cylinder = std::get_if<Cylinder>(placed.shape)) {
    return radius_m <= cylinder->radius_m ? 1.0 : 0.0;
  }
  if (const auto* capsule = std::get_if<Capsule>(placed.shape)) {
    const double beyond = std::max(0.0, std::abs(p.z()) - capsule->length_m / 2.0);
    return std::hypot(radius_m, beyond) <= capsule->radius_m ? 1.0 : 0.0;
  }
  return std::holds_alternative<Mesh>(*placed.shape) ? placed.filling : 1.0;
}

}  // namespace

std::optional<Eigen::AlignedBox3d> box_around(const std::vector<Geometry>& shapes) {
  Eigen::AlignedBox3d around;
  for (const Geometry& geometry : shapes) {
    if (const std::optional<Eigen::AlignedBox3d> box = own_box(geometry.shape)) {
      const Vector3 centre = geometry.X_LG * box->center();
      const Vector3 reach = geometry.X_LG.linear().cwiseAbs() * (box->sizes() / 2.0);
      around.extend(centre - reach);
      around.extend(centre + reach);
    }
  }
  return around.isEmpty() ? std::nullopt : std::optional(around);
}

std::optional<Vector3> size_of(const std::vector<Geometry>& shapes) {
  const std::optional<Eigen::AlignedBox3d> box = box_around(shapes);
  return box ? std::optional<Vector3>(box->sizes()) : std::nullopt;
}

double volume_of(const std::vector<Geometry>& shapes) {
  const std::optional<Eigen::AlignedBox3d> box = box_around(shapes);
  if (!box || shapes.size() == 1) {
    return box ? own_volume(shapes.front().shape) : 0.0;
  }
  std::vector<PlacedShape> placed;
  for (const Geometry& geometry : shapes) {
    if (const std::optional<Eigen::AlignedBox3d> own = own_box(geometry.shape)) {
      placed.push_back({&geometry.shape, geometry.X_LG.inverse(), *own,
                        own_volume(geometry.shape) / own->volume()});
    }
  }
  constexpr int kPoints = 20;  // along each edge
  double filled = 0.0;
  for (int i = 0; i < kPoints * kPoints * kPoints; ++i) {
    const int layer = i / (kPoints * kPoints);
    const Vector3 part(i % kPoints + 0.5, i / kPoints % kPoints + 0.5, layer + 0.5);
    const Vector3 point = box->min() + box->sizes().cwiseProduct(part / kPoints);
    double share = 0.0;
    for (const PlacedShape& shape : placed) {
      share = std::max(share, share_at(shape, point));
    }
    filled += share;
  }
  return box->volume() * filled / (kPoints * kPoints * kPoints);
}

}  // namespace longarm::model
