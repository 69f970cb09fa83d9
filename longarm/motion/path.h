// SPDX-License-Identifier: Apache-2.0
// Geometric paths through waypoints, straight in space or straight in the joints; no time in them
// yet.
#pragma once

#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/motion/ik.h"

namespace longarm::motion {

/// Configurations close enough together to be joined smoothly. The path may have a corner at each
/// waypoint and nowhere else.
struct JointPath {
  std::vector<std::vector<double>> configurations;
  std::vector<std::size_t>
      waypoints;  ///< indices into configurations; the first is 0, the last the last
};

struct StraightPathOptions {
  double max_step_m = 1e-3;    ///< between neighbouring samples
  double max_turn_rad = 2e-3;  ///< between neighbouring samples
  double max_joint_step =
      0.1;  ///< rad or m; more between neighbouring samples is a jump to another branch
  double min_singular_value = 0.01;  ///< of the Jacobian; below it the arm is called singular
};

/// From the configuration `start` through the poses in turn: the frame's origin on straight lines,
/// its orientation turning about a fixed axis in proportion. The start itself is the first
/// waypoint. The error names the segment, the fraction of it and why the arm cannot go on.
Result<JointPath> straight_in_space(InverseKinematics& ik, std::span<const double> start,
                                    std::span<const Pose> poses,
                                    const StraightPathOptions& options = {});

/// From the configuration `start` through the poses in turn, without a corner: one configuration
/// per pose, to be joined by a smooth curve. Inverse kinematics follows the straight lines between
/// them, so that the arm does not change its branch. Errors as above.
Result<JointPath> curve_in_space(InverseKinematics& ik, std::span<const double> start,
                                 std::span<const Pose> poses,
                                 const StraightPathOptions& options = {});

/// Straight lines between configurations, the first being the start.
Result<JointPath> straight_in_joints(std::span<const std::vector<double>> waypoints,
                                     double max_joint_step = 0.01);

}  // namespace longarm::motion
