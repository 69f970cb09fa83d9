// SPDX-License-Identifier: Apache-2.0
// From the newest command, through watchdog, servos and limits, to the engine.
#include "longarm/control/actuators.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/control/limits.h"

namespace longarm::control {

Actuators::Actuators(physics::Engine& engine, ActuatorsConfig config, std::unique_ptr<Servo> servo,
                     const JointCommand& initial)
    : engine_(engine),
      config_(std::move(config)),
      servo_(std::move(servo)),
      command_(initial),
      watchdog_({config_.watchdog, config_.on_silence, config_.silence_after, config_.cycle}) {
  const std::size_t count = config_.limits.size();
  velocity_commands_.assign(count, 0.0);
  position_errors_.assign(count, 0.0);
  efforts_.assign(count, 0.0);
  applied_.assign(count, 0.0);
  targets_.assign(count, 0.0);
  limited_.assign(count, 0);
  if (config_.joint_commands.empty()) {
    config_.joint_commands.assign(count, servo_ ? CommandKind::kEffort : CommandKind::kVelocity);
  }
  config_.is_driven.resize(count, config_.is_driven.empty() ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_idle(i)) {
      engine_.set_effort(id(i), 0.0);  // worlds hold joints until somebody tells them something
    }
  }
}

void Actuators::receive(const JointCommand& command, Time now) {
  // an older command that was overtaken does not undo a newer one
  if (has_received_ && command.stamp < command_.stamp) {
    return;
  }
  command_ = command;
  has_received_ = true;
  watchdog_.receive(command, now);
}

void Actuators::apply(Time now, std::span<const double> servo_positions,
                      std::span<const double> servo_velocities) {
  watchdog_.update(now);
  if (is_emergency_stopped_ || watchdog_.has_tripped()) {
    brake();
    return;
  }

  // a position of zero would be a place to go to, so for positions `zero` means stand still
  const bool is_zeroed = watchdog_.is_zeroing();
  const JointCommand* const bridge = watchdog_.bridge();
  const JointCommand& command = bridge != nullptr ? *bridge : command_;
  if (is_zeroed && command.kind == CommandKind::kPosition) {
    brake();
    return;
  }
  if (command.kind == CommandKind::kEffort) {
    for (std::size_t i = 0; i < applied_.size(); ++i) {
      velocity_commands_[i] = 0.0;
      if (!is_idle(i)) {
        apply_effort(i, is_zeroed ? 0.0 : command.values[i]);
      }
    }
    return;
  }
  if (command.kind == CommandKind::kPosition) {
    servo_positions_to_velocities(command);
  } else {
    for (std::size_t i = 0; i < applied_.size(); ++i) {
      velocity_commands_[i] = is_zeroed ? 0.0 : command.values[i];
    }
  }
  apply_velocities(servo_positions, servo_velocities);
}

void Actuators::set_emergency_stop(bool is_stopped) {
  // what the servo had summed up before it was stopped is of no use afterwards
  if (is_emergency_stopped_ && !is_stopped && servo_) {
    servo_->reset();
  }
  is_emergency_stopped_ = is_stopped;
}

void Actuators::brake() {
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    velocity_commands_[i] = 0.0;
    position_errors_[i] = 0.0;
    applied_[i] = 0.0;
    limited_[i] = 0;
    if (!is_idle(i)) {
      engine_.set_velocity(id(i), 0.0, config_.limits[i].effort);
    }
  }
}

void Actuators::servo_positions_to_velocities(const JointCommand& command) {
  const std::span<const double> positions =
      engine_.positions().subspan(static_cast<std::size_t>(config_.first_joint), applied_.size());
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    const double target = limit_position(config_.limits[i], command.values[i]);
    const double target_velocity = command.velocities.empty() ? 0.0 : command.velocities[i];
    position_errors_[i] = target - positions[i];
    if (config_.joint_commands[i] == CommandKind::kPosition) {
      // its motor goes there within the step, as fast as it may
      targets_[i] = target;
      velocity_commands_[i] = position_errors_[i] / to_seconds(config_.period);
      continue;
    }
    velocity_commands_[i] =
        config_.position_gains[i] * position_errors_[i] + config_.feed_forward * target_velocity;
  }
}

void Actuators::apply_velocities(std::span<const double> servo_positions,
                                 std::span<const double> servo_velocities) {
  const std::span<const double> positions =
      engine_.positions().subspan(static_cast<std::size_t>(config_.first_joint), applied_.size());
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    if (is_idle(i)) {
      velocity_commands_[i] = servo_velocities[i];  // so that a servo counts on no change
      limited_[i] = 0;
      continue;
    }
    const double wanted = velocity_commands_[i];
    velocity_commands_[i] = limit_velocity(config_.limits[i], positions[i], wanted);

    // a controller that keeps the limits itself never asks for more than the limit
    const bool is_at_limit = std::abs(wanted) >= config_.limits[i].velocity;
    limited_[i] = static_cast<char>(velocity_commands_[i] != wanted || is_at_limit);
  }
  if (servo_) {
    servo_->update(velocity_commands_, servo_positions, servo_velocities, config_.period, efforts_);
  }
  for (std::size_t i = 0; i < applied_.size(); ++i) {
    const bool was_fast = limited_[i] != 0;
    if (is_idle(i)) {
      continue;
    }
    switch (config_.joint_commands[i]) {
      case CommandKind::kEffort:
        apply_effort(i, efforts_[i]);
        limited_[i] = static_cast<char>(was_fast || limited_[i] != 0);
        break;
      case CommandKind::kVelocity:
        applied_[i] = velocity_commands_[i];
        engine_.set_velocity(id(i), applied_[i], config_.limits[i].effort);
        break;
      case CommandKind::kPosition:
        apply_position(i, positions[i]);
        break;
    }
  }
}

void Actuators::apply_effort(std::size_t joint, double effort) {
  applied_[joint] = limit_effort(config_.limits[joint], effort);
  limited_[joint] = std::abs(effort) >= config_.limits[joint].effort;
  engine_.set_effort(id(joint), applied_[joint]);
}

void Actuators::apply_position(std::size_t joint, double position) {
  const bool is_limited = limited_[joint] != 0;
  applied_[joint] = is_limited ? position + velocity_commands_[joint] * to_seconds(config_.period)
                               : targets_[joint];
  engine_.set_position(id(joint), applied_[joint], config_.limits[joint].effort);
}

physics::JointId Actuators::id(std::size_t joint) const {
  return physics::JointId(static_cast<int>(config_.first_joint) + static_cast<int>(joint));
}

}  // namespace longarm::control
