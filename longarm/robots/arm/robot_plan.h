// SPDX-License-Identifier: Apache-2.0
// From what a robot is told to joint positions over time; pure, and free of simulated time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/motion/trajectory.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// Where one joint has to end, and how near.
struct JointCheck {
  std::size_t joint = 0;
  double position = 0.0;
  double tolerance = 0.0;
};

/// What tells that a motion has come to its goal.
struct GoalCheck {
  std::optional<Pose> X_BT;
  GoalTolerance tolerance;
  std::vector<JointCheck> joints;
};

/// A motion ready to be run, from rest to rest.
struct PlannedMotion {
  motion::Trajectory trajectory;  ///< one position per joint of the arm
  GoalCheck goal;
  SpeedLimits limits;  ///< of its last goal; an ordinary stop keeps them
};

/// Plans for one arm. All speeds are honoured as they are: zero or less is refused.
class RobotPlanner {
 public:
  RobotPlanner(const RobotArm& arm, double joint_acceleration);

  Result<PlannedMotion> plan(const CartesianMotion& motion, std::span<const double> start) const;
  Result<PlannedMotion> plan(const ScrewMotion& motion, std::span<const double> start) const;
  Result<PlannedMotion> plan(std::span<const JointGoal> goals, std::span<const double> start) const;

  /// A configuration for a pose: of several, the one that takes the joints the least way.
  Result<std::vector<double>> nearest_configuration(const Pose& X_BT,
                                                    std::span<const double> start) const;
  /// Where else to look for configurations, e.g. where the arm is at home.
  void add_seed(std::vector<double> q) { seeds_.push_back(std::move(q)); }

 private:
  const RobotArm& arm_;
  double joint_acceleration_;
  std::vector<std::vector<double>> seeds_;
};

}  // namespace longarm::robots
