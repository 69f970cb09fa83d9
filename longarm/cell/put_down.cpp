// SPDX-License-Identifier: Apache-2.0
// Looks with rays what is below.
#include "longarm/cell/put_down.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace longarm::cell {
namespace {

using model::Vector3;

// over what is below, so that contacts begin from outside
constexpr double kFall_m = 5e-4;
// rays start so far above the place; what hangs higher is not below
constexpr double kAbove_m = 0.3;
constexpr double kBelow_m = 3.0;
// where the part is while we look
constexpr double kAside_m = 50.0;
constexpr int kRaysAcross = 9;

/// How far a shape reaches from its frame's origin along a direction of that frame.
struct Reach {
  Vector3 direction_G;

  double operator()(const model::Box& box) const {
    return direction_G.cwiseAbs().dot(box.size_m) / 2.0;
  }
  double operator()(const model::Sphere& sphere) const { return sphere.radius_m; }
  double operator()(const model::Cylinder& cylinder) const {
    return cylinder.radius_m * std::hypot(direction_G.x(), direction_G.y()) +
           cylinder.length_m / 2.0 * std::abs(direction_G.z());
  }
  double operator()(const model::Capsule& capsule) const {
    return capsule.radius_m + capsule.length_m / 2.0 * std::abs(direction_G.z());
  }
  double operator()(const model::HalfSpace&) const { return 0.0; }
  double operator()(const model::Mesh& mesh) const {
    double most = 0.0;
    if (mesh.data != nullptr) {
      most = -std::numeric_limits<double>::infinity();
      for (const Vector3& vertex : mesh.data->vertices_m) {
        most = std::max(most, direction_G.dot(vertex));
      }
    }
    return most;
  }
};

/// How far the body reaches along a direction of the world.
double reach(const model::Body& body, const model::Pose& X_WB, const Vector3& direction_W) {
  double most = -std::numeric_limits<double>::infinity();
  for (const model::Geometry& geometry : body.collisions) {
    const model::Pose X_WG = X_WB * geometry.X_LG;
    const Vector3 direction_G = X_WG.linear().transpose() * direction_W;
    most = std::max(
        most, direction_W.dot(X_WG.translation()) + std::visit(Reach{direction_G}, geometry.shape));
  }
  return most;
}

std::optional<double> highest_below(const physics::Engine& engine, const model::Body& shape,
                                    const model::Pose& X_WP) {
  const double left = -reach(shape, X_WP, -Vector3::UnitX());
  const double right = reach(shape, X_WP, Vector3::UnitX());
  const double front = -reach(shape, X_WP, -Vector3::UnitY());
  const double back = reach(shape, X_WP, Vector3::UnitY());
  const double from = X_WP.translation().z() + kAbove_m;
  std::optional<double> highest;
  for (int i = 0; i < kRaysAcross; ++i) {
    for (int j = 0; j < kRaysAcross; ++j) {
      const double u = static_cast<double>(i) / (kRaysAcross - 1);
      const double v = static_cast<double>(j) / (kRaysAcross - 1);
      const Vector3 origin(left + u * (right - left), front + v * (back - front), from);
      if (const auto hit = engine.ray(origin, -Vector3::UnitZ(), kAbove_m + kBelow_m)) {
        highest = std::max(highest.value_or(-kAside_m), from - hit->distance_m);
      }
    }
  }
  return highest;
}

}  // namespace

void put_down(physics::Engine& engine, const model::Body& shape, physics::BodyId body,
              const model::Pose& X_WP) {
  model::Pose X_WN = X_WP;
  if (engine.capabilities().has_rays && !shape.collisions.empty()) {
    model::Pose aside = X_WP;
    aside.translation().z() += kAside_m;
    engine.reset_body(body, aside, physics::Twist{});
    if (const std::optional<double> top = highest_below(engine, shape, X_WP)) {
      const double bottom = -reach(shape, X_WP, -Vector3::UnitZ());
      X_WN.translation().z() += *top + kFall_m - bottom;
    }
  }
  engine.reset_body(body, X_WN, physics::Twist{});
}

}  // namespace longarm::cell
