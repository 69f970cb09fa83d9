// SPDX-License-Identifier: Apache-2.0
// Puts the parts of a controller together, and makes the state that clients see.
#include "longarm/robots/ur/core.h"

#include <algorithm>
#include <cmath>

#include "longarm/core/index.h"
#include "longarm/protocols/ur/realtime.h"
#include "longarm/robots/arm/robot_tool.h"

namespace longarm::robots {
namespace {

using protocols::ur::ControllerState;
using protocols::ur::JointMode;
using protocols::ur::RobotMessage;
using protocols::ur::RtdeInputs;

// torque per ampere behind the gear, of the two sizes of joints: plausible, not measured
constexpr Joints kTorque_Nm_A{11.9, 11.9, 11.9, 9.3, 9.3, 9.3};
// what a warm robot shows
constexpr double kMotor_C = 32.0;
constexpr double kTool_C = 30.0;
constexpr double kBoard_C = 38.0;
constexpr double kSupply_V = 48.0;
constexpr double kIdleCurrent_A = 0.6;
constexpr double kExecution_ms = 0.2;
constexpr std::uint32_t kAllVoltage = 15;
constexpr double kMost_V = 10.0;
constexpr double kLeast_A = 0.004;
constexpr double kMost_A = 0.020;
constexpr std::size_t kDigitalOutputs = 18;

UrLimits limits_of(const UrConfig& config, const RobotArm& arm) {
  UrLimits limits;
  for (std::size_t j = 0; j < limits.lower_rad.size(); ++j) {
    limits.lower_rad[j] = arm.joint_models()[j].limits.lower;
    limits.upper_rad[j] = arm.joint_models()[j].limits.upper;
  }
  limits.speed_rad_s = config.joint_speed_rad_s;
  limits.safety_speed_rad_s = config.safety_joint_speed_rad_s;
  limits.acceleration_rad_s2 = config.joint_acceleration_rad_s2;
  limits.stop_rad_s2 = config.stop_deceleration_rad_s2;
  limits.brake_rad_s2 = config.brake_deceleration_rad_s2;
  limits.smallest_singular_value = config.smallest_singular_value;
  limits.stops_for_speed = config.over_speed == "stop";
  return limits;
}

protocols::ur::ControllerInfo info_of(const UrConfig& config, const UrLimits& limits) {
  protocols::ur::ControllerInfo info;
  info.firmware = protocols::ur::read_firmware(config.firmware).value();
  const UrGeometry geometry = ur5_geometry();
  info.dh_a_m = geometry.a_m;
  info.dh_d_m = geometry.d_m;
  info.dh_alpha_rad = geometry.alpha_rad;
  info.joint_lower_rad = limits.lower_rad;
  info.joint_upper_rad = limits.upper_rad;
  info.joint_speed_rad_s.fill(limits.safety_speed_rad_s);
  info.joint_acceleration_rad_s2.fill(limits.acceleration_rad_s2);
  info.cycle = kUrCycle;
  info.serial_number = config.serial_number;
  info.packages = protocols::ur::package_sizes(info.firmware);
  if (config.packages.robot_mode_bytes > 0) {
    info.packages.robot_mode_bytes = static_cast<std::size_t>(config.packages.robot_mode_bytes);
  }
  if (config.packages.masterboard_bytes > 0) {
    info.packages.masterboard_bytes = static_cast<std::size_t>(config.packages.masterboard_bytes);
  }
  return info;
}

}  // namespace

void UrMessages::add(RobotMessage message) {
  if (messages_.size() >= 2 * kKept) {
    messages_.erase(messages_.begin(), messages_.begin() + kKept);
  }
  message.number = next_++;
  messages_.push_back(std::move(message));
}

UrCore::UrCore(physics::Engine& engine, const model::Cell& cell, const UrConfig& given,
               Duration period)
    : config(given),
      kinematics(ur5_geometry()),
      joints(engine, cell, config, period),
      gripper(make_gripper(engine, cell,
                           {find_placement(cell, config.placement), joints.arm().last_tree_body(),
                            "gripper::tcp", config.name},
                           RobotConfig{}, period)),
      motion(kinematics, limits_of(config, joints.arm()), to_seconds(kUrCycle), joints.positions()),
      modes(config),
      sockets(config.name + ".sockets"),
      wired_inputs(static_cast<std::uint64_t>(config.digital_inputs)),
      random(config.seed, config.name + ".random") {
  if (auto* linkage = dynamic_cast<LinkageGripper*>(gripper.get())) {
    robotiq.emplace(*linkage, config.gripper.is_active);
  }
  joints.carry(gripper->bodies());
  info = info_of(config, limits_of(config, joints.arm()));
  live.analog_types = kAllVoltage;
  live.execution_time_ms = kExecution_ms;
  live.tool_temperature_C = kTool_C;
  live.masterboard_temperature_C = kBoard_C;
  live.motor_temperature_C.fill(kMotor_C);
}

void UrCore::say(RobotMessage::Kind kind, std::string text, std::int32_t code,
                 std::int32_t argument, protocols::ur::ReportLevel level) {
  messages.add({.kind = kind,
                .number = 0,
                .time = now,
                .text = std::move(text),
                .code = code,
                .argument = argument,
                .level = level,
                .title = {}});
}

void UrCore::say_key(std::string_view title, std::string text) {
  say(RobotMessage::Kind::kKey, std::move(text));
  messages.newest().title = title;
}

void UrCore::tell_safety_mode() {
  if (told_safety_ != modes.safety()) {
    told_safety_ = modes.safety();
    say(RobotMessage::Kind::kSafetyMode, {}, static_cast<std::int32_t>(told_safety_));
  }
}

void UrCore::set_tool(const Vector6& tcp_offset) {
  kinematics.set_tool(tcp_offset);
  live.tcp_offset = tcp_offset;
}

void UrCore::set_payload(double mass_kg, const protocols::ur::Vector3& cog_m) {
  live.payload_kg = mass_kg;
  live.payload_cog_m = cog_m;
  joints.set_payload(mass_kg);
}

void UrCore::set_speed_slider(double fraction) {
  if (std::isfinite(fraction)) {
    live.speed_slider = std::clamp(fraction, 0.0, 1.0);
    motion.set_rate(live.speed_slider);
  }
}

void UrCore::set_digital_output(std::size_t which, bool is_on) {
  if (which < kDigitalOutputs) {
    const std::uint64_t bit = std::uint64_t{1} << which;
    live.digital_outputs = is_on ? live.digital_outputs | bit : live.digital_outputs & ~bit;
  }
}

void UrCore::set_analog_output(std::size_t which, double fraction) {
  if (which >= live.analog_outputs.size() || !std::isfinite(fraction)) {
    return;
  }
  const double share = std::clamp(fraction, 0.0, 1.0);
  const bool is_voltage = (live.analog_types >> (2 + which) & 1U) != 0;
  live.analog_outputs[which] =
      is_voltage ? share * kMost_V : kLeast_A + share * (kMost_A - kLeast_A);
}

double UrCore::analog_output_fraction(std::size_t which) const {
  const double value = live.analog_outputs.at(which);
  const bool is_voltage = (live.analog_types >> (2 + which) & 1U) != 0;
  return is_voltage ? value / kMost_V : (value - kLeast_A) / (kMost_A - kLeast_A);
}

void UrCore::set_analog_type(std::size_t bit, bool is_voltage) {
  const std::uint32_t mask = std::uint32_t{1} << bit;
  const bool is_output = bit >= 2;
  const double fraction = is_output ? analog_output_fraction(bit - 2) : 0.0;
  live.analog_types = is_voltage ? live.analog_types | mask : live.analog_types & ~mask;
  if (is_output) {
    set_analog_output(bit - 2, fraction);
  }
}

void UrCore::write_inputs(const RtdeInputs& inputs) {
  watchdogs.written(inputs, now);
  if (inputs.speed_slider) {
    set_speed_slider(*inputs.speed_slider);
  }
  const std::uint64_t mask =
      inputs.digital_output_mask & ((std::uint64_t{1} << kDigitalOutputs) - 1);
  live.digital_outputs = (live.digital_outputs & ~mask) | (inputs.digital_output_values & mask);
  for (std::size_t i = 0; i < live.analog_outputs.size(); ++i) {
    if ((inputs.analog_output_mask >> i & 1U) != 0) {
      set_analog_type(2 + i, (inputs.analog_output_types >> i & 1U) != 0);
      set_analog_output(i, inputs.analog_outputs[i]);
    }
  }
  for (std::size_t i = 0; i < inputs.has_bit.size(); ++i) {
    if (inputs.has_bit[i]) {
      live.inputs.bits[i] = inputs.registers.bits[i];
    }
  }
  for (std::size_t i = 0; i < protocols::ur::Registers::kNumbers; ++i) {
    if ((inputs.has_integer >> i & 1U) != 0) {
      live.inputs.integers[i] = inputs.registers.integers[i];
    }
    if ((inputs.has_double >> i & 1U) != 0) {
      live.inputs.doubles[i] = inputs.registers.doubles[i];
    }
  }
}

std::uint64_t UrCore::digital_inputs() const {
  return config.loops_back_io ? wired_inputs | live.digital_outputs : wired_inputs;
}

bool UrCore::tool_output() const {
  constexpr std::size_t kFirstOfTool = 16;
  const std::int64_t which = config.gripper.tool_output;
  return which >= 0 && (live.digital_outputs >> (kFirstOfTool + index_of(which)) & 1U) != 0;
}

void UrCore::drive_gripper() {
  if (robotiq) {
    robotiq->wire(tool_output());
  } else if (tool_output() != was_tool_output_on_) {
    was_tool_output_on_ = tool_output();
    // on is closed for fingers, and suction for a cup
    const bool is_cup = gripper->report().kind == GripperKind::kVacuum;
    gripper->set(was_tool_output_on_ == is_cup ? 1.0 : 0.0);
  }
  gripper->before_step();
}

void UrCore::watch_gripper() {
  gripper->after_step();
  if (robotiq) {
    robotiq->after_step();
  }
}

void UrCore::feel_step() {
  if (!motion.gives_way()) {
    felt_steps_ = 0;
    return;
  }
  const Vector6 wrench = joints.contact_wrench(kinematics.tool(joints.positions()).translation());
  for (std::size_t i = 0; i < wrench.size(); ++i) {
    felt_sum_[i] = (felt_steps_ == 0 ? 0.0 : felt_sum_[i]) + wrench[i] - force_offset_[i];
  }
  ++felt_steps_;
}

void UrCore::feel_cycle() {
  Vector6 mean{};
  for (std::size_t i = 0; felt_steps_ > 0 && i < mean.size(); ++i) {
    mean[i] = felt_sum_[i] / felt_steps_;
  }
  motion.feel(mean, joints.positions());
  felt_steps_ = 0;
}

void UrCore::zero_force() {
  for (std::size_t i = 0; i < force_offset_.size(); ++i) {
    force_offset_[i] += live.tcp_force[i];
    live.tcp_force[i] = 0.0;
  }
}

void UrCore::measure() {
  live.timestamp_s = to_seconds(now.time_since_epoch() + config.clock_offset);
  live.q_actual = joints.positions();
  live.qd_actual = joints.velocities();
  const bool is_following = modes.has_brakes_off();
  const UrTarget& target = motion.target();
  live.q_target = is_following ? target.q : live.q_actual;
  live.qd_target = is_following ? target.qd : Joints{};
  live.qdd_target = is_following ? target.qdd : Joints{};
  live.moment_target_Nm =
      is_following ? joints.efforts_for(target.q, target.qd, target.qdd) : Joints{};
  const Joints efforts = is_following ? joints.efforts() : Joints{};
  double sum_A = 0.0;
  for (std::size_t j = 0; j < efforts.size(); ++j) {
    live.current_target_A[j] = live.moment_target_Nm[j] / kTorque_Nm_A[j];
    live.current_actual_A[j] = efforts[j] / kTorque_Nm_A[j];
    live.control_current_A[j] = live.current_actual_A[j];
    sum_A += std::abs(live.current_actual_A[j]);
  }
  live.is_power_on = modes.is_power_on();
  live.joint_modes.fill(is_following ? JointMode::kRunning : JointMode::kIdle);
  live.joint_voltage_V.fill(live.is_power_on ? kSupply_V : 0.0);
  live.robot_voltage_V = live.is_power_on ? kSupply_V : 0.0;
  live.main_voltage_V = kSupply_V;
  live.robot_current_A = live.is_power_on ? kIdleCurrent_A + 0.1 * sum_A : 0.0;
  live.digital_inputs = digital_inputs();
  live.robot_mode = modes.mode();
  live.safety_mode = modes.safety();
  live.speed_scaling = motion.rate();
  measure_tool();
}

void UrCore::measure_tool() {
  const Vector6 before = live.tcp_speed_actual;
  const model::Pose X_BT = kinematics.tool(live.q_actual);
  live.tcp_pose_actual = to_numbers(X_BT);
  live.tcp_speed_actual = kinematics.tool_velocity(live.q_actual, live.qd_actual);
  live.tcp_pose_target = to_numbers(kinematics.tool(live.q_target));
  live.tcp_speed_target = kinematics.tool_velocity(live.q_target, live.qd_target);
  live.tcp_force = joints.contact_wrench(X_BT.translation());
  for (std::size_t i = 0; i < force_offset_.size(); ++i) {
    live.tcp_force[i] -= force_offset_[i];
  }
  live.momentum_kg_m_s = joints.momentum_kg_m_s();
  // an accelerometer feels what the tool does and the floor's push, in its own axes
  model::Vector3 felt = -joints.gravity_B();
  for (std::size_t i = 0; has_measured_ && i < 3; ++i) {
    felt[static_cast<Eigen::Index>(i)] +=
        (live.tcp_speed_actual[i] - before[i]) / to_seconds(kUrCycle);
  }
  felt = X_BT.linear().transpose() * felt;
  has_measured_ = true;
  const model::Vector3 elbow = kinematics.elbow(live.q_actual);
  const model::Vector3 elbow_speed = kinematics.elbow_velocity(live.q_actual, live.qd_actual);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    live.tool_acceleration_m_s2[i] = felt[k];
    live.elbow_position_m[i] = elbow[k];
    live.elbow_velocity_m_s[i] = elbow_speed[k];
  }
}

}  // namespace longarm::robots
