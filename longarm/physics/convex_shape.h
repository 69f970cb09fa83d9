// SPDX-License-Identifier: Apache-2.0
// Shapes as convex bodies, and whether two of them share a point, however deep one is in the other.
#pragma once

#include <vector>

#include "longarm/model/shape.h"

namespace longarm::physics {

/// A shape as a core and everything within `radius_m` of it: a sphere is a thick point, a capsule a
/// thick line. A mesh is its convex hull. Shrunk by a millionth about its middle, so that what
/// merely touches does not overlap.
class ConvexShape {
 public:
  explicit ConvexShape(const model::Shape& shape);

  bool is_half_space() const { return is_half_space_; }
  double radius_m() const { return radius_m_; }
  /// A point inside, in the shape's frame, and the radius of a sphere about it around everything.
  const model::Vector3& middle() const { return middle_; }
  double reach_m() const { return reach_m_; }
  /// The point of the core that is farthest in a direction, both in the shape's frame.
  model::Vector3 farthest(const model::Vector3& direction) const;

 private:
  bool is_half_space_ = false;
  model::Vector3 half_m_ = model::Vector3::Zero();  ///< of a box or a line
  double disc_radius_m_ = 0.0;                      ///< of a cylinder, with half_m_.z()
  std::vector<model::Vector3> corners_m_;           ///< of a mesh
  double radius_m_ = 0.0;
  model::Vector3 middle_ = model::Vector3::Zero();
  double reach_m_ = 0.0;
};

/// Two half spaces never do: neither can move.
bool do_overlap(const ConvexShape& a, const model::Pose& X_WA, const ConvexShape& b,
                const model::Pose& X_WB);

}  // namespace longarm::physics
