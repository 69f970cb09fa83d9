// SPDX-License-Identifier: Apache-2.0
// The waypoint task: from where the arm stands through points in space or in the joints, then hold.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/result.h"
#include "longarm/model/body_tree.h"
#include "longarm/motion/trajectory.h"

namespace longarm::tasks {

struct WaypointTaskConfig {
  /// "cartesian": straight lines of the end effector; "joint": straight lines in joint space;
  /// "step": the last configuration is asked for at once.
  std::string path = "cartesian";
  std::vector<std::vector<double>> poses_m_deg;  ///< x y z roll pitch yaw in the robot's base frame
  std::vector<std::vector<double>> joints_rad;   ///< configurations, instead of poses
  std::vector<double> velocity_limit_rad_s;      ///< per joint; empty: the model's
  std::vector<double> acceleration_limit_rad_s2{10.0};
  Duration hold{2'000'000'000};
};
void list_fields(Fields& fields, WaypointTaskConfig& config);

/// What the arm is to do, from time zero.
struct Plan {
  motion::Trajectory trajectory;
  Duration hold_start{0};  ///< when the last waypoint is reached
  Duration end{0};         ///< after the final hold
  std::vector<double> goal;
};

/// Plans from configuration `home_rad`. The error says which segment fails and why. List lengths
/// have been checked.
Result<Plan> plan_waypoints(const WaypointTaskConfig& config, const model::BodyTree& tree,
                            int end_effector_frame, const std::vector<double>& home_rad);

}  // namespace longarm::tasks
