// SPDX-License-Identifier: Apache-2.0
// From what a UR controller is to what its primary and secondary ports say of it.
#include <algorithm>
#include <cmath>

#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/primary_messages.h"

namespace longarm::protocols::ur {
namespace {

// What a real controller knows of its own hardware and we do not: constants of ours.
constexpr std::uint32_t kKinematicsChecksum = 0x4C4F4E47;
constexpr double kEquivalentRadius_m = 0.25;
constexpr std::int32_t kBoxTypeCb3 = 2;
constexpr std::int32_t kRobotTypeUr5 = 1;
// The first 3.x with a reserved byte at the end of these sub-packages.
constexpr std::uint8_t kFirstWithReservedMode = 5;
constexpr std::uint8_t kFirstWithReservedMasterboard = 10;

constexpr std::uint8_t bit(std::uint32_t bits, unsigned index) {
  return static_cast<std::uint8_t>(bits >> index & 1U);
}

// So that no number of ours is too big for a float.
float as_float(double number) {
  constexpr double kMost = 1e30;
  return static_cast<float>(std::clamp(number, -kMost, kMost));
}

std::uint64_t as_microseconds(double seconds) {
  constexpr double kMost_s = 1e12;
  return static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, kMost_s) * 1e6));
}

RobotModePackage describe_mode(const ControllerState& state) {
  RobotModePackage mode;
  mode.timestamp_us = as_microseconds(state.timestamp_s);
  mode.is_real_robot_connected = state.robot_mode >= RobotMode::kConfirmSafety;
  mode.is_real_robot_enabled = state.is_power_on;
  mode.is_power_on = state.is_power_on;
  mode.is_emergency_stopped = state.safety_mode == SafetyMode::kSystemEmergencyStop ||
                              state.safety_mode == SafetyMode::kRobotEmergencyStop;
  mode.is_protective_stopped = state.safety_mode == SafetyMode::kProtectiveStop;
  mode.is_program_paused = state.runtime_state == RuntimeState::kPaused;
  mode.is_program_running =
      state.runtime_state != RuntimeState::kStopped && !mode.is_program_paused;
  mode.robot_mode = static_cast<std::uint8_t>(state.robot_mode);
  mode.target_speed_fraction = state.speed_slider;
  mode.speed_scaling = state.speed_scaling;
  mode.target_speed_fraction_limit = 1.0;
  return mode;
}

JointsPackage describe_joints(const ControllerState& state) {
  JointsPackage package;
  for (std::size_t i = 0; i < package.joints.size(); ++i) {
    JointsPackage::Joint& joint = package.joints[i];
    joint.q_actual = state.q_actual[i];
    joint.q_target = state.q_target[i];
    joint.qd_actual = state.qd_actual[i];
    joint.current_A = as_float(state.current_actual_A[i]);
    joint.voltage_V = as_float(state.joint_voltage_V[i]);
    joint.motor_temperature_C = as_float(state.motor_temperature_C[i]);
    joint.mode = static_cast<std::uint8_t>(state.joint_modes[i]);
  }
  return package;
}

ToolPackage describe_tool(const ControllerState& state) {
  ToolPackage tool;
  tool.analog_ranges = {bit(state.tool_analog_types, 0), bit(state.tool_analog_types, 1)};
  tool.analog_inputs = state.tool_analog_inputs;
  tool.supply_voltage_V = as_float(state.robot_voltage_V);
  tool.output_voltage_V = static_cast<std::uint8_t>(std::clamp(state.tool_voltage_V, 0, 255));
  tool.current_A = as_float(state.tool_current_A);
  tool.temperature_C = as_float(state.tool_temperature_C);
  tool.mode = static_cast<std::uint8_t>(state.is_power_on ? JointMode::kRunning : JointMode::kIdle);
  return tool;
}

MasterboardPackage describe_masterboard(const ControllerState& state) {
  MasterboardPackage board;
  board.digital_inputs = static_cast<std::uint32_t>(state.digital_inputs);
  board.digital_outputs = static_cast<std::uint32_t>(state.digital_outputs);
  board.analog_input_ranges = {bit(state.analog_types, 0), bit(state.analog_types, 1)};
  board.analog_inputs = state.analog_inputs;
  board.analog_output_domains = {static_cast<std::int8_t>(bit(state.analog_types, 2)),
                                 static_cast<std::int8_t>(bit(state.analog_types, 3))};
  board.analog_outputs = state.analog_outputs;
  board.temperature_C = as_float(state.masterboard_temperature_C);
  board.robot_voltage_V = as_float(state.robot_voltage_V);
  board.robot_current_A = as_float(state.robot_current_A);
  board.io_current_A = as_float(state.io_current_A);
  board.safety_mode = static_cast<std::uint8_t>(state.safety_mode);
  board.is_reduced = state.safety_mode == SafetyMode::kReduced ? 1 : 0;
  return board;
}

KinematicsPackage describe_kinematics(const ControllerInfo& info) {
  KinematicsPackage kinematics;
  kinematics.checksums.fill(kKinematicsChecksum);
  kinematics.theta_rad = info.dh_theta_rad;
  kinematics.a_m = info.dh_a_m;
  kinematics.d_m = info.dh_d_m;
  kinematics.alpha_rad = info.dh_alpha_rad;
  return kinematics;
}

ConfigurationPackage describe_configuration(const ControllerInfo& info) {
  ConfigurationPackage configuration;
  for (std::size_t i = 0; i < info.dh_a_m.size(); ++i) {
    configuration.joint_limits_rad[i] = {info.joint_lower_rad[i], info.joint_upper_rad[i]};
    configuration.joint_motion[i] = {info.joint_speed_rad_s[i], info.joint_acceleration_rad_s2[i]};
  }
  configuration.joint_speed_default_rad_s = info.joint_speed_default_rad_s;
  configuration.joint_acceleration_default_rad_s2 = info.joint_acceleration_default_rad_s2;
  configuration.tool_speed_default_m_s = info.tool_speed_default_m_s;
  configuration.tool_acceleration_default_m_s2 = info.tool_acceleration_default_m_s2;
  configuration.equivalent_radius_m = kEquivalentRadius_m;
  configuration.a_m = info.dh_a_m;
  configuration.d_m = info.dh_d_m;
  configuration.alpha_rad = info.dh_alpha_rad;
  configuration.theta_rad = info.dh_theta_rad;
  configuration.box_type = kBoxTypeCb3;
  configuration.robot_type = kRobotTypeUr5;
  return configuration;
}

}  // namespace

PackageSizes package_sizes(const Firmware& firmware) {
  const auto is_since = [&](std::uint8_t minor) {
    return firmware.major > 3 || (firmware.major == 3 && firmware.minor >= minor);
  };
  return {is_since(kFirstWithReservedMode) ? 47U : 46U,
          is_since(kFirstWithReservedMasterboard) ? 75U : 74U};
}

RobotStatePacket describe(const ControllerInfo& info, const ControllerState& state) {
  RobotStatePacket packet;
  packet.sizes = info.packages;
  packet.robot_mode = describe_mode(state);
  packet.joints = describe_joints(state);
  packet.tool = describe_tool(state);
  packet.masterboard = describe_masterboard(state);
  packet.cartesian = CartesianPackage{state.tcp_pose_actual, state.tcp_offset};
  packet.kinematics = describe_kinematics(info);
  packet.configuration = describe_configuration(info);
  return packet;
}

MessagePacket describe(const RobotMessage& message, Duration ahead) {
  MessagePacket packet;
  packet.kind = message.kind;
  packet.timestamp_us = as_microseconds(to_seconds(message.time.time_since_epoch() + ahead));
  const bool is_of_program = message.kind == RobotMessage::Kind::kText ||
                             message.kind == RobotMessage::Kind::kProgramLabel ||
                             message.kind == RobotMessage::Kind::kRuntimeException;
  packet.source = is_of_program ? kProgramSource : kControlSource;
  packet.text = message.text;
  packet.code = message.code;
  packet.argument = message.argument;
  packet.level = message.level;
  packet.title = message.title;
  return packet;
}

}  // namespace longarm::protocols::ur
