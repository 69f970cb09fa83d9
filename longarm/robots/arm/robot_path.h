// SPDX-License-Identifier: Apache-2.0
// A robot's way, sampled, with what its speed depends on; and time for it. Internal to the folder.
#pragma once

#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/motion/trajectory.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// One place of a way. Going and turning are counted from its start.
struct WaySample {
  std::vector<double> q;
  double gone_m = 0.0;
  double turned_rad = 0.0;
  std::size_t leg = 0;  ///< which goal it leads to
};

struct Way {
  std::vector<WaySample> samples;
  std::vector<std::size_t> rests;   ///< samples where it has to stop, ends not among them
  std::vector<SpeedLimits> limits;  ///< by leg
};

/// Poses of the controlled point, near to each other; the first is where it starts.
struct PoseSample {
  Pose X_BT = Pose::Identity();
  std::size_t leg = 0;
  bool is_rest = false;
};

/// Straight lines through the goals, evenly turning; where a goal's tolerance allows it, a corner
/// is rounded and passed without a stop.
std::vector<PoseSample> straight_lines(const Pose& start, std::span<const MotionGoal> goals);

/// Follows poses with inverse kinematics, each from the last. The error says where and why not.
Result<Way> follow(const RobotArm& arm, std::span<const PoseSample> poses,
                   std::span<const double> start);

/// One stop of a way through the joints.
struct JointStation {
  std::vector<double> q;
  GoalTolerance tolerance;  ///< of the controlled point
};

/// Straight in the joints from station to station; where a station's tolerance allows it, it is
/// passed by without a stop.
Way straight_in_joints(const RobotArm& arm, std::span<const double> start,
                       std::span<const JointStation> stations);

/// As fast as the legs' limits and the joints' allow.
Result<motion::Trajectory> put_time(const RobotArm& arm, const Way& way,
                                    std::span<const double> joint_velocity,
                                    std::span<const double> joint_acceleration);

}  // namespace longarm::robots
