// SPDX-License-Identifier: Apache-2.0
// The settings of an arm's control loop, with their defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/control/messages.h"
#include "longarm/control/pid.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/link_meter.h"

namespace longarm::control {

/// Where the loop is cut by the link: named by what crosses it towards the robot.
enum class Cut { kNone, kTrajectory, kPosition, kVelocity, kEffort, kStaleServo };

/// The words of the `cut` key, in the order of Cut; and a word's meaning.
const std::vector<std::string>& cut_names();
Cut cut_of(const std::string& name);

/// The words for CommandKind, in its order; and a word's meaning.
const std::vector<std::string>& command_names();
CommandKind command_of(const std::string& name);

enum class Silence { kHold, kZero, kStop };
const std::vector<std::string>& silence_names();
Silence silence_of(const std::string& name);

/// Who watches the commands at the robot. `generic` follows `on_silence` and `silence_after`; `ur`
/// repeats the last command and stops for good after 20 ms without one (the time-out of its reverse
/// interface); `franka` expects one in every control cycle, bridges missing ones with constant
/// acceleration, and stops for good after 20 missed in a row.
enum class Watchdog { kGeneric, kUr, kFranka };
const std::vector<std::string>& watchdog_names();
Watchdog watchdog_of(const std::string& name);

/// Per joint; an empty list means zeros, a single number means the same for every joint.
struct GainsConfig {
  std::vector<double> p;
  std::vector<double> i;
  std::vector<double> d;
  std::vector<double> i_clamp;
  bool antiwindup = false;
};
void list_fields(Fields& fields, GainsConfig& config);

/// The trajectory controller's tolerances; zero or empty means unchecked.
struct ToleranceConfig {
  std::vector<double> path_rad;
  std::vector<double> goal_rad;
  Duration goal_time{0};
  double stopped_velocity_rad_s = 0.01;
};
void list_fields(Fields& fields, ToleranceConfig& config);

/// The velocity loop: `ideal` is the engine's velocity motor (or computed torque, when remote),
/// `pid` turns velocity errors into efforts.
struct ServoConfig {
  std::string model;  ///< "ideal", "pid" or empty: chosen by the cut
  GainsConfig gains;
  std::vector<double> rotor_inertia_kg_m2;  ///< replaces the model file's; empty keeps it
  bool gravity_compensation = true;
};
void list_fields(Fields& fields, ServoConfig& config);
/// What an empty model means: pid where the velocity loop is computed as efforts, else ideal.
std::string default_servo_model(Cut cut);

struct LoopConfig {
  Cut cut = Cut::kVelocity;
  Duration physics_period{1'000'000};
  Duration control_period{1'000'000};
  Duration states_period{1'000'000};
  GainsConfig gains;
  double feed_forward = 0.0;
  ToleranceConfig tolerances;
  ServoConfig servo;
  /// What each joint is told by the robot's side of the loop, whatever crosses the link. Empty: all
  /// of them efforts where a servo computes these, else velocities. Positions need a loop that ends
  /// in positions: cuts `none`, `trajectory`, `position`.
  std::vector<CommandKind> joint_commands;
  /// Which joints have a drive; empty: all. Others are told nothing, and are not among the probes.
  std::vector<char> is_driven;
  Silence on_silence = Silence::kHold;
  Duration silence_after{1'000'000};
  bool zero_fill = false;
  std::optional<Duration> estop_at;
  std::optional<Duration> estop_release;

  // The controller host's clock minus the robot's, which is right. It stamps commands, and the plan
  // starts when it reads zero: a clock that is ahead samples the plan that much ahead. Offset and
  // drift act where the controller is remote (not for cuts `none` and `trajectory`).
  Duration clock_offset{0};
  double clock_drift_ppm = 0.0;
  // Wherever the controller is, it ticks when its clock reads control_phase + k · control_period
  // (0 <= phase < period), late by a uniform draw below control_jitter (< period).
  Duration control_phase{0};
  Duration control_jitter{0};
  std::uint64_t seed = 0;

  Watchdog watchdog = Watchdog::kGeneric;
  network::LinkRequirements states_requirements;
  network::LinkRequirements commands_requirements;
};

/// `values` for `count` joints: empty gives `otherwise`, one number is repeated. The count has been
/// checked before.
std::vector<double> per_joint(const std::vector<double>& values, int count, double otherwise = 0.0);

/// The gains of each joint, from lists that per_joint() understands.
std::vector<PidGains> pid_gains(const GainsConfig& config, int count);

}  // namespace longarm::control
