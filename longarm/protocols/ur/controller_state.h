// SPDX-License-Identifier: Apache-2.0
// What a UR controller shows of itself once per control cycle, whatever port it is read from.
#pragma once

#include <array>
#include <cstdint>

namespace longarm::protocols::ur {

/// One number per joint, base to wrist 3.
using Joints = std::array<double, 6>;
/// x, y, z, then a rotation vector or its rate: metres, radians, newtons, newton metres.
using Vector6 = std::array<double, 6>;
using Vector3 = std::array<double, 3>;

enum class RobotMode : std::int8_t {
  kNoController = -1,
  kDisconnected,
  kConfirmSafety,
  kBooting,
  kPowerOff,
  kPowerOn,
  kIdle,
  kBackdrive,
  kRunning,
  kUpdating
};

enum class SafetyMode : std::uint8_t {
  kNormal = 1,
  kReduced,
  kProtectiveStop,
  kRecovery,
  kSafeguardStop,
  kSystemEmergencyStop,
  kRobotEmergencyStop,
  kViolation,
  kFault
};

enum class JointMode : std::uint8_t { kFault = 252, kRunning = 253, kIdle = 255 };

enum class RuntimeState : std::uint8_t {
  kStopping,
  kStopped,
  kPlaying,
  kPausing,
  kPaused,
  kResuming
};

/// General purpose registers, of one direction: inputs are written by RTDE clients and read by
/// scripts, outputs the other way round.
struct Registers {
  static constexpr std::size_t kBits = 128;
  static constexpr std::size_t kNumbers = 48;

  std::array<bool, kBits> bits{};
  std::array<std::int32_t, kNumbers> integers{};
  std::array<double, kNumbers> doubles{};
};

/// As of the end of the last cycle, SI units. Poses are those of the tool centre point in the
/// controller's base frame, which is the one of the Denavit–Hartenberg parameters.
struct ControllerState {
  double timestamp_s = 0.0;  ///< since the controller was started

  Joints q_target{};
  Joints qd_target{};
  Joints qdd_target{};
  Joints current_target_A{};
  Joints moment_target_Nm{};
  Joints q_actual{};
  Joints qd_actual{};
  Joints current_actual_A{};
  Joints control_current_A{};
  Joints motor_temperature_C{};
  Joints joint_voltage_V{};
  std::array<JointMode, 6> joint_modes{};

  Vector6 tcp_pose_actual{};
  Vector6 tcp_speed_actual{};
  Vector6 tcp_force{};
  Vector6 tcp_pose_target{};
  Vector6 tcp_speed_target{};
  Vector6 tcp_offset{};
  Vector3 tool_acceleration_m_s2{};
  Vector3 elbow_position_m{};
  Vector3 elbow_velocity_m_s{};
  double momentum_kg_m_s = 0.0;
  double payload_kg = 0.0;
  Vector3 payload_cog_m{};

  RobotMode robot_mode = RobotMode::kRunning;
  SafetyMode safety_mode = SafetyMode::kNormal;
  RuntimeState runtime_state = RuntimeState::kStopped;
  bool is_power_on = true;
  double speed_slider = 1.0;       ///< what was asked for: target speed fraction
  double speed_scaling = 1.0;      ///< how fast the program's time runs
  double execution_time_ms = 0.0;  ///< of the controller's own thread in this cycle

  std::uint64_t digital_inputs = 0;   ///< 0–7 standard, 8–15 configurable, 16–17 tool
  std::uint64_t digital_outputs = 0;  ///< likewise
  std::uint32_t analog_types = 0;     ///< bits 0–3: in0, in1, out0, out1; 1 voltage, 0 current
  std::array<double, 2> analog_inputs{};   ///< V, or A
  std::array<double, 2> analog_outputs{};  ///< likewise
  std::array<double, 2> tool_analog_inputs{};
  std::uint32_t tool_analog_types = 0;
  std::int32_t tool_voltage_V = 0;
  double tool_current_A = 0.0;
  double tool_temperature_C = 0.0;
  double main_voltage_V = 48.0;
  double robot_voltage_V = 48.0;
  double robot_current_A = 0.0;
  double io_current_A = 0.0;
  double masterboard_temperature_C = 0.0;

  Registers inputs;
  Registers outputs;
};

}  // namespace longarm::protocols::ur
