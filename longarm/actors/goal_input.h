// SPDX-License-Identifier: Apache-2.0
// An arm's controller, to whoever gives it goals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/cell/wish.h"
#include "longarm/control/config.h"
#include "longarm/control/joint_trajectory_controller.h"
#include "longarm/control/messages.h"
#include "longarm/core/time.h"
#include "longarm/motion/trajectory.h"

namespace longarm::actors {

/// Lists have one number per joint of the arm, in the order of its model. Where the controller has
/// a host, this is there.
class GoalInput {
 public:
  static constexpr cell::Interface kInterface{"goals of an arm", cell::Reach::kBody};

  virtual ~GoalInput() = default;
  /// Follows it from `start` on, from wherever the joints are told to be then.
  virtual void follow(const motion::Trajectory& trajectory, Time start,
                      const control::ToleranceConfig& tolerances) = 0;
  virtual void drive(std::span<const double> velocities) = 0;
  virtual void hold(std::span<const double> positions) = 0;
  virtual const control::JointTrajectoryController& controller() const = 0;
  /// As its controller has received them.
  virtual const control::JointStates& seen() const = 0;
  /// Where a goal has none of its own.
  virtual const control::ToleranceConfig& tolerances() const = 0;
};

/// What others may know of an arm before it is made.
class GoalTaker {
 public:
  virtual ~GoalTaker() = default;
  /// Why it takes no goals; empty: it does.
  virtual std::string why_no_goals() const = 0;
  /// Joints that goals are about, of those of its model.
  virtual const std::vector<int>& goal_joints() const = 0;
};

}  // namespace longarm::actors
