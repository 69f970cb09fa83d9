// SPDX-License-Identifier: Apache-2.0
// Every pair of convex shapes, and a bisection of the lift.
#include "labs/benches/gear_in_slot_overlap.h"

namespace longarm::benches {
namespace {

constexpr double kResolution_m = 1e-6;

}  // namespace

BodyOverlap::BodyOverlap(const model::Body& lower, const model::Body& upper)
    : lower_(parts_of(lower)), upper_(parts_of(upper)) {}

std::vector<BodyOverlap::Part> BodyOverlap::parts_of(const model::Body& body) {
  std::vector<Part> parts;
  for (const model::Geometry& geometry : body.collisions) {
    parts.push_back({geometry.X_LG, physics::ConvexShape(geometry.shape)});
  }
  return parts;
}

bool BodyOverlap::overlaps(const model::Pose& X_WL, const model::Pose& X_WU) const {
  for (const Part& upper : upper_) {
    const model::Pose X_WG = X_WU * upper.X_BG;
    const model::Vector3 middle = X_WG * upper.shape.middle();
    for (const Part& lower : lower_) {
      const model::Pose X_WH = X_WL * lower.X_BG;
      const double apart = (X_WH * lower.shape.middle() - middle).norm();
      if (apart < upper.shape.reach_m() + lower.shape.reach_m() &&
          physics::do_overlap(upper.shape, X_WG, lower.shape, X_WH)) {
        return true;
      }
    }
  }
  return false;
}

double BodyOverlap::lift_m(const model::Pose& X_WL, const model::Pose& X_WU, double most_m) const {
  const auto overlaps_at = [&](double lift_m) {
    model::Pose lifted = X_WU;
    lifted.translation().z() += lift_m;
    return overlaps(X_WL, lifted);
  };
  if (!overlaps_at(0.0)) {
    return 0.0;
  }
  double low = 0.0;
  double high = most_m;
  while (high - low > kResolution_m) {
    const double middle = (low + high) / 2.0;
    (overlaps_at(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace longarm::benches
