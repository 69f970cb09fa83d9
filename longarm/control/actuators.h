// SPDX-License-Identifier: Apache-2.0
// The robot's side of the loop: takes the newest command, and makes the joints of the engine do it.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "longarm/control/config.h"
#include "longarm/control/messages.h"
#include "longarm/control/servo.h"
#include "longarm/control/watchdog.h"
#include "longarm/physics/engine.h"

namespace longarm::control {

/// What the actuators need to know beside the engine.
struct ActuatorsConfig {
  physics::JointId first_joint{};
  std::vector<model::JointLimits> limits;
  std::vector<double> position_gains;  ///< of the position servo, 1/s
  double feed_forward = 0.0;
  /// What each joint is told; empty: efforts where there is a servo, else velocities.
  std::vector<CommandKind> joint_commands;
  std::vector<char> is_driven;  ///< empty: all
  Silence on_silence = Silence::kHold;
  Duration silence_after{0};
  Watchdog watchdog = Watchdog::kGeneric;
  Duration cycle{0};   ///< of the controller, by which the watchdog counts
  Duration period{0};  ///< of apply()
};

/// Applies joint commands of any kind. Positions go through the position servo, or to the engine's
/// position motors where joints take them; velocities through `servo` or, where joints take them,
/// to the engine's velocity motors. Limits act here whatever the controller did.
class Actuators {
 public:
  /// `initial` is what acts until a command arrives.
  Actuators(physics::Engine& engine, ActuatorsConfig config, std::unique_ptr<Servo> servo,
            const JointCommand& initial);

  void receive(const JointCommand& command, Time now);

  /// Once per physics step, before it. `servo_states` is what the servo believes; the position
  /// servo always sees the joints themselves.
  void apply(Time now, std::span<const double> servo_positions,
             std::span<const double> servo_velocities);

  /// Of the position servo, from now on.
  void set_position_gains(std::vector<double> gains, double feed_forward) {
    config_.position_gains = std::move(gains);
    config_.feed_forward = feed_forward;
  }
  /// Brakes on (velocity motors at zero, full effort) or off, with a servo that starts afresh.
  void set_emergency_stop(bool is_stopped);
  /// For good: by `on_silence: stop`, or by a watchdog that tripped.
  bool is_stopped_by_silence() const { return watchdog_.has_tripped(); }
  const CommandWatchdog& watchdog() const { return watchdog_; }

  /// Of the last apply(): velocity asked of the servo (zero for effort commands), effort or
  /// velocity given to the engine, and whether a limit was reached.
  const std::vector<double>& velocity_commands() const { return velocity_commands_; }
  const std::vector<double>& position_errors() const { return position_errors_; }
  /// The newest command, or the initial one.
  const JointCommand& command() const { return command_; }
  const std::vector<double>& applied() const { return applied_; }
  bool was_limited(std::size_t joint) const { return limited_[joint] != 0; }

 private:
  void brake();
  void servo_positions_to_velocities(const JointCommand& command);
  void apply_velocities(std::span<const double> positions, std::span<const double> velocities);
  void apply_effort(std::size_t joint, double effort);
  void apply_position(std::size_t joint, double position);
  /// A joint without a drive.
  bool is_idle(std::size_t joint) const { return config_.is_driven[joint] == 0; }
  physics::JointId id(std::size_t joint) const;

  physics::Engine& engine_;
  ActuatorsConfig config_;
  std::unique_ptr<Servo> servo_;
  JointCommand command_;
  CommandWatchdog watchdog_;
  bool has_received_ = false;
  bool is_emergency_stopped_ = false;
  std::vector<double> velocity_commands_;
  std::vector<double> position_errors_;
  std::vector<double> efforts_;
  std::vector<double> applied_;
  std::vector<double> targets_;  ///< positions, of joints that take them
  std::vector<char> limited_;
};

}  // namespace longarm::control
