// SPDX-License-Identifier: Apache-2.0
// Samples the trajectory, watches the tolerances, and turns errors into commands.
#include "longarm/control/joint_trajectory_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/control/limits.h"
#include "longarm/core/check.h"
#include "longarm/core/text.h"

namespace longarm::control {

JointTrajectoryController::JointTrajectoryController(JointInterfaces& interfaces, Claim claim,
                                                     const TrajectoryControllerConfig& config)
    : interfaces_(interfaces), claim_(std::move(claim)), config_(config) {
  const int count = static_cast<int>(claim_.joints().size());
  path_tolerances_ = per_joint(config.tolerances.path_rad, count);
  goal_tolerances_ = per_joint(config.tolerances.goal_rad, count);
  for (std::size_t i = 0; i < claim_.joints().size(); ++i) {
    pids_.emplace_back(i < config.gains.size() ? config.gains[i] : PidGains{});
  }
  desired_positions_.resize(pids_.size());
  desired_velocities_.resize(pids_.size());
  position_errors_.resize(pids_.size());
}

void JointTrajectoryController::hold(std::span<const double> positions) {
  check(positions.size() == pids_.size(), "hold() needs one position per joint");
  std::copy(positions.begin(), positions.end(), desired_positions_.begin());
  std::fill(desired_velocities_.begin(), desired_velocities_.end(), 0.0);
  status_ = TrajectoryStatus::kHolding;
  for (Pid& pid : pids_) {
    pid.reset();
  }
}

void JointTrajectoryController::follow(const motion::Trajectory& trajectory, Time start) {
  check(static_cast<std::size_t>(trajectory.joint_count()) == pids_.size(),
        "a trajectory needs one position per joint");
  trajectory_ = trajectory;
  cursor_ = {};
  start_ = start;
  status_ = TrajectoryStatus::kExecuting;
  abort_reason_.clear();
}

void JointTrajectoryController::update(Time now, Duration period) {
  sample_desired(now);

  // what the PIDs see: errors against the states that have arrived here
  const JointStates& states = interfaces_.states();
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    const auto joint = static_cast<std::size_t>(claim_.joints()[i]);
    position_errors_[i] = desired_positions_[i] - states.positions[joint];
  }
  check_tolerances(now);
  write_commands(period);
}

void JointTrajectoryController::sample_desired(Time now) {
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
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      if (path_tolerances_[i] > 0.0 && std::abs(position_errors_[i]) > path_tolerances_[i]) {
        abort(fmt::format("{} left its path tolerance of {} rad by {:.3g} rad",
                          interfaces_.name(claim_.joints()[i]), path_tolerances_[i],
                          std::abs(position_errors_[i]) - path_tolerances_[i]));
        return;
      }
    }
    return;
  }

  // at the end: every joint in its goal tolerance and, where one is asked for, stopped
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    const auto joint = static_cast<std::size_t>(claim_.joints()[i]);
    const double speed = std::abs(interfaces_.states().velocities[joint]);
    const bool is_checked = goal_tolerances_[i] > 0.0;
    const bool is_there = std::abs(position_errors_[i]) <= goal_tolerances_[i] &&
                          speed <= config_.tolerances.stopped_velocity_rad_s;
    if (!is_checked || is_there) {
      continue;
    }
    if (elapsed >= trajectory_.end() + config_.tolerances.goal_time) {
      abort(fmt::format("{} was {:.3g} rad from its goal after the goal time of {}",
                        interfaces_.name(claim_.joints()[i]), std::abs(position_errors_[i]),
                        format_duration(config_.tolerances.goal_time)));
    }
    return;
  }
  status_ = TrajectoryStatus::kSucceeded;
}

void JointTrajectoryController::abort(std::string reason) {
  std::vector<double> here;
  for (const int joint : claim_.joints()) {
    here.push_back(interfaces_.states().positions[static_cast<std::size_t>(joint)]);
  }
  hold(here);
  std::fill(position_errors_.begin(), position_errors_.end(), 0.0);
  status_ = TrajectoryStatus::kAborted;
  abort_reason_ = std::move(reason);
}

void JointTrajectoryController::write_commands(Duration period) {
  const JointStates& states = interfaces_.states();
  for (std::size_t i = 0; i < pids_.size(); ++i) {
    const auto joint = static_cast<std::size_t>(claim_.joints()[i]);
    const model::JointLimits& limits = interfaces_.limits(claim_.joints()[i]);
    if (claim_.kind() == CommandKind::kPosition) {
      interfaces_.write(claim_, i, limit_position(limits, desired_positions_[i]),
                        desired_velocities_[i]);
      continue;
    }
    const double velocity_error = desired_velocities_[i] - states.velocities[joint];
    const double command = config_.feed_forward * desired_velocities_[i] +
                           pids_[i].update(position_errors_[i], velocity_error, period);
    const bool is_velocity = claim_.kind() == CommandKind::kVelocity;
    interfaces_.write(claim_, i,
                      is_velocity ? limit_velocity(limits, states.positions[joint], command)
                                  : limit_effort(limits, command));
  }
}

}  // namespace longarm::control
