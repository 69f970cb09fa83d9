// SPDX-License-Identifier: Apache-2.0
// The search of Gilbert, Johnson and Keerthi: the nearest point to the origin among all differences
// of two cores.
#include "longarm/physics/convex_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include <Eigen/LU>

namespace longarm::physics {
namespace {

using model::Pose;
using model::Vector3;

constexpr double kShrink = 1.0 - 1e-6;
constexpr int kMostSteps = 100;
constexpr double kGjkRounding_m = 1e-10;

/// Up to four differences of points of two shapes, and the point nearest to the origin among
/// everything between them.
class Simplex {
 public:
  bool contains(const Vector3& corner) const {
    return std::find(corners_.begin(), corners_.begin() + count_, corner) !=
           corners_.begin() + count_;
  }

  /// Adds a corner and forgets those that the nearest point does not need.
  Vector3 add(const Vector3& corner) {
    corners_[static_cast<std::size_t>(count_++)] = corner;
    unsigned best = 0;
    Vector3 nearest = Vector3::Zero();
    // every corner, edge and face, and the inside: whichever has its own nearest point within it
    for (unsigned subset = 1; subset < (1U << count_); ++subset) {
      Vector3 point;
      if (foot_within(subset, point) &&
          (best == 0 || point.squaredNorm() < nearest.squaredNorm())) {
        best = subset;
        nearest = point;
      }
    }
    keep(best);
    return nearest;
  }

  bool is_full() const { return count_ == 4; }

 private:
  /// The point of the flat through the chosen corners nearest to the origin, if it lies between
  /// them.
  bool foot_within(unsigned subset, Vector3& foot) const {
    std::array<Vector3, 4> chosen;
    int size = 0;
    for (int i = 0; i < count_; ++i) {
      if ((subset >> i & 1U) != 0) {
        chosen[static_cast<std::size_t>(size++)] = corners_[static_cast<std::size_t>(i)];
      }
    }
    foot = chosen[0];
    if (size == 1) {
      return true;
    }
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> edges(3, size - 1);
    for (int i = 1; i < size; ++i) {
      edges.col(i - 1) = chosen[static_cast<std::size_t>(i)] - chosen[0];
    }
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> products =
        edges.transpose() * edges;
    // corners in a line or a plane: smaller subsets say the same
    const double scale = products.diagonal().prod();
    if (!(products.determinant() > 1e-14 * scale)) {
      return false;
    }
    const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> shares =
        products.partialPivLu().solve(-edges.transpose() * chosen[0]);
    if (!(shares.minCoeff() >= 0.0) || !(shares.sum() <= 1.0)) {
      return false;
    }
    foot += edges * shares;
    return true;
  }

  void keep(unsigned subset) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      if ((subset >> i & 1U) != 0) {
        corners_[static_cast<std::size_t>(kept++)] = corners_[static_cast<std::size_t>(i)];
      }
    }
    count_ = kept;
  }

  std::array<Vector3, 4> corners_;
  int count_ = 0;
};

Vector3 farthest_W(const ConvexShape& shape, const Pose& X, const Vector3& direction_W) {
  return X * shape.farthest(X.linear().transpose() * direction_W);
}

bool is_below(const Pose& X_WH, const ConvexShape& shape, const Pose& X_WG) {
  const Vector3 up = X_WH.linear().col(2);
  const Vector3 lowest = farthest_W(shape, X_WG, -up);
  return up.dot(lowest - X_WH.translation()) < shape.radius_m();
}

}  // namespace

ConvexShape::ConvexShape(const model::Shape& shape) {
  if (const auto* box = std::get_if<model::Box>(&shape)) {
    half_m_ = kShrink * box->size_m / 2.0;
    reach_m_ = half_m_.norm();
  } else if (const auto* sphere = std::get_if<model::Sphere>(&shape)) {
    radius_m_ = reach_m_ = kShrink * sphere->radius_m;
  } else if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
    half_m_.z() = kShrink * cylinder->length_m / 2.0;
    disc_radius_m_ = kShrink * cylinder->radius_m;
    reach_m_ = std::hypot(half_m_.z(), disc_radius_m_);
  } else if (const auto* capsule = std::get_if<model::Capsule>(&shape)) {
    half_m_.z() = kShrink * capsule->length_m / 2.0;
    radius_m_ = kShrink * capsule->radius_m;
    reach_m_ = half_m_.z() + radius_m_;
  } else if (const auto* mesh = std::get_if<model::Mesh>(&shape)) {
    const std::vector<Vector3>& vertices = mesh->data->vertices_m;
    for (const Vector3& vertex : vertices) {
      middle_ += vertex / static_cast<double>(vertices.size());
    }
    for (const Vector3& vertex : vertices) {
      corners_m_.push_back(middle_ + kShrink * (vertex - middle_));
      reach_m_ = std::max(reach_m_, (corners_m_.back() - middle_).norm());
    }
  } else {
    is_half_space_ = true;
  }
}

Vector3 ConvexShape::farthest(const Vector3& direction) const {
  if (!corners_m_.empty()) {
    return *std::max_element(
        corners_m_.begin(), corners_m_.end(),
        [&](const Vector3& a, const Vector3& b) { return direction.dot(a) < direction.dot(b); });
  }
  Vector3 point;
  for (int k = 0; k < 3; ++k) {
    point[k] = std::copysign(half_m_[k], direction[k]);
  }
  const double sideways = direction.head<2>().norm();
  if (disc_radius_m_ > 0.0 && sideways > 0.0) {
    point.head<2>() = direction.head<2>() * (disc_radius_m_ / sideways);
  }
  return point;
}

bool do_overlap(const ConvexShape& a, const Pose& X_WA, const ConvexShape& b, const Pose& X_WB) {
  if (a.is_half_space() || b.is_half_space()) {
    return a.is_half_space() != b.is_half_space() &&
           (a.is_half_space() ? is_below(X_WA, b, X_WB) : is_below(X_WB, a, X_WA));
  }
  const double reach = a.radius_m() + b.radius_m();
  Vector3 apart = X_WA * a.middle() - X_WB * b.middle();
  Simplex simplex;
  for (int i = 0; i < kMostSteps; ++i) {
    const double distance = apart.norm();
    if (distance <= std::max(reach, kGjkRounding_m)) {
      return true;
    }
    const Vector3 corner = farthest_W(a, X_WA, -apart) - farthest_W(b, X_WB, apart);
    // no difference is nearer than this one's height along the line to the origin
    const double at_least = apart.dot(corner) / distance;
    if (at_least > reach || distance - at_least < kGjkRounding_m || simplex.contains(corner)) {
      return false;
    }
    apart = simplex.add(corner);
    if (simplex.is_full()) {
      return true;
    }
  }
  return false;
}

}  // namespace longarm::physics
