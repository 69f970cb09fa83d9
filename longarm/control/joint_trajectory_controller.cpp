// SPDX-License-Identifier: Apache-2.0
// Samples the trajectory, watches the tolerances, and turns errors into commands.
#include "longarm/control/joint_trajectory_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/control/limits.h"
#include "longarm/control/pid_controller.h"
#include "longarm/core/check.h"
#include "longarm/core/text.h"

namespace longarm::control {

namespace {

std::unique_ptr<Controller> default_controller(const JointInterfaces& interfaces,
                                               const Claim& claim,
                                               const TrajectoryControllerConfig& config) {
  ControllerContext context;
  for (const int joint : claim.joints()) {
    context.joints.push_back(interfaces.name(joint));
  }
  context.gains = config.gains;
  context.feed_forward = config.feed_forward;
  return make_pid_controller(context);
}

}  // namespace

JointTrajectoryController::JointTrajectoryController(JointInterfaces& interfaces, Claim claim,
                                                     const TrajectoryControllerConfig& config,
                                                     std::unique_ptr<Controller> controller)
    : interfaces_(interfaces),
      claim_(std::move(claim)),
      config_(config),
      controller_(controller ? std::move(controller)
                             : default_controller(interfaces, claim_, config)) {
  const std::size_t count = claim_.joints().size();
  for (std::vector<double>* list : {&desired_positions_, &desired_velocities_, &position_errors_,
                                    &positions_, &velocities_, &commands_}) {
    list->resize(count);
  }
}

void JointTrajectoryController::hold(std::span<const double> positions) {
  check(positions.size() == desired_positions_.size(), "hold() needs one position per joint");
  std::copy(positions.begin(), positions.end(), desired_positions_.begin());
  std::fill(desired_velocities_.begin(), desired_velocities_.end(), 0.0);
  status_ = TrajectoryStatus::kHolding;
  is_driven_ = false;
  controller_->reset();
}

void JointTrajectoryController::drive(std::span<const double> velocities) {
  check(velocities.size() == desired_velocities_.size(), "drive() needs one velocity per joint");
  if (!is_driven_) {
    hold(positions_);
    is_driven_ = true;
  }
  std::copy(velocities.begin(), velocities.end(), desired_velocities_.begin());
}

void JointTrajectoryController::follow(const motion::Trajectory& trajectory, Time start) {
  follow(trajectory, start, config_.tolerances);
}

void JointTrajectoryController::follow(const motion::Trajectory& trajectory, Time start,
                                       const ToleranceConfig& tolerances) {
  check(static_cast<std::size_t>(trajectory.joint_count()) == desired_positions_.size(),
        "a trajectory needs one position per joint");
  trajectory_ = trajectory;
  cursor_ = {};
  start_ = start;
  tolerances_ = tolerances;
  path_tolerances_ = per_joint(tolerances.path_rad, trajectory.joint_count());
  goal_tolerances_ = per_joint(tolerances.goal_rad, trajectory.joint_count());
  status_ = TrajectoryStatus::kExecuting;
  is_driven_ = false;
  abort_cause_ = AbortCause::kNone;
  abort_reason_.clear();
  // what is desired is known before the first update: the next goal may begin there
  motion::Trajectory::Cursor first;
  trajectory_.sample(Duration{0}, desired_positions_, desired_velocities_, {}, first);
}

void JointTrajectoryController::update(Time now, Duration period) {
  sample_desired(now, period);

  // what the controller sees: the states that have arrived here
  const JointStates& states = interfaces_.states();
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    const auto joint = static_cast<std::size_t>(claim_.joints()[i]);
    positions_[i] = states.positions[joint];
    velocities_[i] = states.velocities[joint];
    position_errors_[i] = desired_positions_[i] - positions_[i];
  }
  check_tolerances(now);
  write_commands(now, period);
}

void JointTrajectoryController::sample_desired(Time now, Duration period) {
  if (is_driven_) {
    for (std::size_t i = 0; i < desired_positions_.size(); ++i) {
      desired_positions_[i] =
          limit_position(interfaces_.limits(claim_.joints()[i]),
                         desired_positions_[i] + desired_velocities_[i] * to_seconds(period));
    }
    return;
  }
  if (status_ == TrajectoryStatus::kExecuting || status_ == TrajectoryStatus::kSucceeded) {
    trajectory_.sample(now - start_, desired_positions_, desired_velocities_, {}, cursor_);
  }
}

void JointTrajectoryController::check_tolerances(Time now) {
  if (status_ != TrajectoryStatus::kExecuting) {
    return;
  }
  const Duration elapsed = now - start_;

  // on the way
  if (elapsed < trajectory_.end()) {
    for (std::size_t i = 0; i < desired_positions_.size(); ++i) {
      if (path_tolerances_[i] > 0.0 && std::abs(position_errors_[i]) > path_tolerances_[i]) {
        abort(AbortCause::kPath,
              fmt::format("{} exceeded its path tolerance of {} rad by {:.3g} rad",
                          interfaces_.name(claim_.joints()[i]), path_tolerances_[i],
                          std::abs(position_errors_[i]) - path_tolerances_[i]));
        return;
      }
    }
    return;
  }

  // at the end: every joint in its goal tolerance and, where one is asked for, stopped
  for (std::size_t i = 0; i < desired_positions_.size(); ++i) {
    const double speed = std::abs(velocities_[i]);
    const bool is_checked = goal_tolerances_[i] > 0.0;
    const bool is_there = std::abs(position_errors_[i]) <= goal_tolerances_[i] &&
                          speed <= tolerances_.stopped_velocity_rad_s;
    if (!is_checked || is_there) {
      continue;
    }
    if (elapsed >= trajectory_.end() + tolerances_.goal_time) {
      abort(AbortCause::kGoal,
            fmt::format("{} was {:.3g} rad from its goal after the goal time of {}",
                        interfaces_.name(claim_.joints()[i]), std::abs(position_errors_[i]),
                        format_duration(tolerances_.goal_time)));
    }
    return;
  }
  status_ = TrajectoryStatus::kSucceeded;
}

void JointTrajectoryController::abort(AbortCause cause, std::string reason) {
  hold(positions_);
  std::fill(position_errors_.begin(), position_errors_.end(), 0.0);
  status_ = TrajectoryStatus::kAborted;
  abort_cause_ = cause;
  abort_reason_ = std::move(reason);
}

void JointTrajectoryController::write_commands(Time now, Duration period) {
  if (claim_.kind() == CommandKind::kPosition) {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      const model::JointLimits& limits = interfaces_.limits(claim_.joints()[i]);
      interfaces_.write(claim_, i, limit_position(limits, desired_positions_[i]),
                        desired_velocities_[i]);
    }
    return;
  }
  if (is_driven_ && claim_.kind() == CommandKind::kVelocity) {
    commands_ = desired_velocities_;
  } else {
    controller_->update({now, period, interfaces_.states().stamp, positions_, velocities_,
                         desired_positions_, desired_velocities_},
                        commands_);
  }
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const model::JointLimits& limits = interfaces_.limits(claim_.joints()[i]);
    interfaces_.write(claim_, i,
                      claim_.kind() == CommandKind::kVelocity
                          ? limit_velocity(limits, positions_[i], commands_[i])
                          : limit_effort(limits, commands_[i]));
  }
}

}  // namespace longarm::control
