// SPDX-License-Identifier: Apache-2.0
// How far the points of an arm can move at most while its joints move a little.
#pragma once

#include <span>
#include <vector>

#include "longarm/motion/kinematics.h"

namespace longarm::motion {

/// From the lengths of the tree and the sizes of its collision shapes: an upper bound, whatever the
/// configuration. Prismatic joints without limits count as moving within ±10 m.
class ArmSweep {
 public:
  explicit ArmSweep(const model::BodyTree& tree);

  /// No point of a collision shape moves further than this while the joints go straight from `a` to
  /// `b`. Entries of mimicking joints are ignored.
  double bound_m(std::span<const double> a, std::span<const double> b) const;

  /// Metres per radian or per metre of each joint; zero for mimicking joints.
  const std::vector<double>& reach_m() const { return reach_m_; }

 private:
  std::vector<double> reach_m_;
};

}  // namespace longarm::motion
