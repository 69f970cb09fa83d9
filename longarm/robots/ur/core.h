// SPDX-License-Identifier: Apache-2.0
// What the parts of a UR controller share: joints, motion, modes, signals, messages and figures.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/random.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/robots/ur/config.h"
#include "longarm/robots/ur/figures.h"
#include "longarm/robots/ur/joints.h"
#include "longarm/robots/ur/kinematics.h"
#include "longarm/robots/ur/modes.h"
#include "longarm/robots/ur/motion.h"
#include "longarm/robots/ur/robotiq.h"
#include "longarm/robots/ur/sockets.h"
#include "longarm/robots/ur/watchdogs.h"

namespace longarm::robots {

/// The newest ones, numbered.
class UrMessages {
 public:
  void add(protocols::ur::RobotMessage message);
  protocols::ur::RobotMessage& newest() { return messages_.back(); }
  std::span<const protocols::ur::RobotMessage> all() const { return messages_; }

 private:
  static constexpr std::size_t kKept = 256;
  std::vector<protocols::ur::RobotMessage> messages_;
  std::uint64_t next_ = 0;
};

/// Scripts and clients change `live` at any time between steps; measure() fills in the rest.
struct UrCore {
  UrCore(physics::Engine& engine, const model::Cell& cell, const UrConfig& given, Duration period);

  void say(protocols::ur::RobotMessage::Kind kind, std::string text, std::int32_t code = 0,
           std::int32_t argument = 0,
           protocols::ur::ReportLevel level = protocols::ur::ReportLevel::kViolation);
  /// A message that clients wait for by its title.
  void say_key(std::string_view title, std::string text);
  /// Whoever follows the safety mode at the primary port hears of changes alone.
  void tell_safety_mode();
  void set_tool(const Vector6& tcp_offset);
  void set_payload(double mass_kg, const protocols::ur::Vector3& cog_m);
  void set_speed_slider(double fraction);
  void set_digital_output(std::size_t which, bool is_on);
  /// A fraction of the output's range: 0 … 10 V, or 4 … 20 mA.
  void set_analog_output(std::size_t which, double fraction);
  double analog_output_fraction(std::size_t which) const;
  void set_analog_type(std::size_t bit, bool is_voltage);
  void write_inputs(const protocols::ur::RtdeInputs& inputs);
  std::uint64_t digital_inputs() const;
  /// Right before and right after each step of the engine.
  void drive_gripper();
  void watch_gripper();
  /// While motion gives way: takes what touches the arm in this step into account.
  void feel_step();
  /// And tells it, on average over the cycle.
  void feel_cycle();
  /// What pushes the tool now counts as nothing.
  void zero_force();
  /// Everything that follows from joints and targets, as of `now`.
  void measure();

  UrConfig config;
  protocols::ur::ControllerInfo info;
  UrKinematics kinematics;
  UrJoints joints;
  std::unique_ptr<RobotGripper> gripper;
  std::optional<Robotiq> robotiq;  ///< if the gripper is one
  UrMotion motion;
  UrModes modes;
  UrSockets sockets;
  UrMessages messages;
  UrWatchdogs watchdogs;
  UrFigures figures;
  protocols::ur::ControllerState live;
  std::uint64_t wired_inputs = 0;
  std::uint32_t flags = 0;
  std::uint64_t closed_popups = 0;  ///< so often somebody closed what was shown
  Time now{};
  bool wants_power_off = false;  ///< a script asked for it
  std::string wanted_stop;       ///< a script asked for a protective stop, in these words
  double force_damping = 0.005;  ///< of force mode: 0 … 1
  double force_gain = 1.0;       ///< 0 … 2
  /// Beyond this share of the deviation that would stop the arm there is a message.
  std::optional<double> warned_deviation;
  RandomStream random;
  std::set<std::size_t> port_bits;  ///< those that are on
  std::map<std::size_t, std::int32_t> port_registers;

 private:
  void measure_tool();
  bool tool_output() const;
  bool has_measured_ = false;
  Vector6 felt_sum_{};
  int felt_steps_ = 0;
  Vector6 force_offset_{};
  bool was_tool_output_on_ = false;
  protocols::ur::SafetyMode told_safety_ = protocols::ur::SafetyMode::kNormal;
};

}  // namespace longarm::robots
