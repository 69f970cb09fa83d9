// SPDX-License-Identifier: Apache-2.0
// Each shape cuts an interval out of the beam; intervals of slabs and round walls are intersected.
#include "longarm/devices/beam_shape.h"

#include <algorithm>
#include <cmath>

namespace longarm::devices {
namespace {

using model::Vector3;

struct Interval {
  double low;
  double high;
  bool is_empty() const { return !(low <= high); }
};
constexpr Interval kEmpty{1.0, 0.0};

Interval both(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

struct Beam {
  Vector3 origin;
  Vector3 direction;
  Interval range;

  /// Where |x| <= half along one axis.
  Interval within_slab(int axis, double half) const {
    const double start = origin[axis];
    const double slope = direction[axis];
    if (slope == 0.0) {
      return std::abs(start) <= half ? range : kEmpty;
    }
    const double a = (-half - start) / slope;
    const double b = (half - start) / slope;
    return both(range, {std::min(a, b), std::max(a, b)});
  }
  /// Where a·t² + 2b·t + c <= 0.
  Interval below_zero(double a, double b, double c) const {
    if (a == 0.0) {
      return c <= 0.0 ? range : kEmpty;
    }
    const double root = b * b - a * c;
    if (root < 0.0) {
      return kEmpty;
    }
    return both(range, {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a});
  }
  Interval within_sphere(const Vector3& centre, double radius) const {
    const Vector3 from = origin - centre;
    return below_zero(1.0, from.dot(direction), from.squaredNorm() - radius * radius);
  }
  Interval within_tube(double radius) const {
    const auto from = origin.head<2>();
    const auto along = direction.head<2>();
    return below_zero(along.squaredNorm(), from.dot(along), from.squaredNorm() - radius * radius);
  }
  bool meets_cylinder(double radius, double length) const {
    return !both(within_tube(radius), within_slab(2, length / 2.0)).is_empty();
  }
};

struct Meets {
  Beam beam;

  std::optional<bool> operator()(const model::Box& box) const {
    Interval inside = beam.range;
    for (int axis = 0; axis < 3; ++axis) {
      inside = both(inside, beam.within_slab(axis, box.size_m[axis] / 2.0));
    }
    return !inside.is_empty();
  }
  std::optional<bool> operator()(const model::Sphere& sphere) const {
    return !beam.within_sphere(Vector3::Zero(), sphere.radius_m).is_empty();
  }
  std::optional<bool> operator()(const model::Cylinder& cylinder) const {
    return beam.meets_cylinder(cylinder.radius_m, cylinder.length_m);
  }
  std::optional<bool> operator()(const model::Capsule& capsule) const {
    const Vector3 end(0, 0, capsule.length_m / 2.0);
    return beam.meets_cylinder(capsule.radius_m, capsule.length_m) ||
           !beam.within_sphere(end, capsule.radius_m).is_empty() ||
           !beam.within_sphere(-end, capsule.radius_m).is_empty();
  }
  std::optional<bool> operator()(const model::HalfSpace&) const { return std::nullopt; }
  std::optional<bool> operator()(const model::Mesh&) const { return std::nullopt; }
};

}  // namespace

std::optional<bool> beam_meets(const model::Shape& shape, const Vector3& origin,
                               const Vector3& direction, double range_m) {
  return std::visit(Meets{{origin, direction, {0.0, range_m}}}, shape);
}

}  // namespace longarm::devices
