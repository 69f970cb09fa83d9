// SPDX-License-Identifier: Apache-2.0
// The table of RTDE variables that clients read.
#include <array>
#include <cmath>

#include "longarm/protocols/ur/rtde_family.h"
#include "longarm/protocols/ur/rtde_variables.h"

namespace longarm::protocols::ur {
namespace {

using State = ControllerState;
using enum RtdeType;

constexpr std::uint32_t kToolRunning = 253;
constexpr std::uint8_t kToolOutputSinks = 1;

RtdeValue status_bits(const State& state, std::size_t) {
  const bool is_running = state.runtime_state == RuntimeState::kPlaying ||
                          state.runtime_state == RuntimeState::kPausing ||
                          state.runtime_state == RuntimeState::kResuming;
  // the buttons of bits 2 and 3 are never pressed
  return (state.is_power_on ? 1U : 0U) | (is_running ? 2U : 0U);
}

RtdeValue safety_bits(const State& state, std::size_t) {
  constexpr std::uint32_t kEmergency = 1U << 7;
  constexpr std::uint32_t kStopped = 1U << 10;
  switch (state.safety_mode) {
    case SafetyMode::kNormal:
      return 1U << 0;
    case SafetyMode::kReduced:
      return 1U << 1;
    case SafetyMode::kProtectiveStop:
      return 1U << 2 | kStopped;
    case SafetyMode::kRecovery:
      return 1U << 3;
    case SafetyMode::kSafeguardStop:
      return 1U << 4 | kStopped;
    case SafetyMode::kSystemEmergencyStop:
      return 1U << 5 | kEmergency | kStopped;
    case SafetyMode::kRobotEmergencyStop:
      return 1U << 6 | kEmergency | kStopped;
    case SafetyMode::kViolation:
      return 1U << 8 | kStopped;
    case SafetyMode::kFault:
      return 1U << 9 | kStopped;
  }
  return std::uint32_t{0};
}

RtdeValue joint_modes(const State& state, std::size_t) {
  std::array<std::int32_t, 6> modes{};
  for (std::size_t i = 0; i < modes.size(); ++i) {
    modes[i] = static_cast<std::int32_t>(state.joint_modes[i]);
  }
  return modes;
}

RtdeValue runtime_state(const State& state, std::size_t) {
  return static_cast<std::uint32_t>(state.runtime_state);
}

RtdeValue force_norm_N(const State& state, std::size_t) {
  return std::sqrt(state.tcp_force[0] * state.tcp_force[0] +
                   state.tcp_force[1] * state.tcp_force[1] +
                   state.tcp_force[2] * state.tcp_force[2]);
}

/// 32 bit registers in a word, the first one lowest.
std::uint32_t word_of(const Registers& registers, std::size_t first) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    word |= (registers.bits[first + i] ? 1U : 0U) << i;
  }
  return word;
}

template <auto Member>
RtdeValue member(const State& state, std::size_t) {
  return state.*Member;
}

template <auto Member>
RtdeValue numbered(const State& state, std::size_t index) {
  return (state.*Member)[index];
}

template <auto Member>
RtdeValue number_of(const State& state, std::size_t) {
  return static_cast<std::int32_t>(state.*Member);
}

/// What this robot does not have, or never says anything of.
template <typename Value>
RtdeValue nothing(const State&, std::size_t) {
  return Value{};
}

template <auto Value>
RtdeValue always(const State&, std::size_t) {
  return Value;
}

template <auto Direction>
RtdeValue bit(const State& state, std::size_t index) {
  return (state.*Direction).bits[index];
}

template <auto Direction, std::size_t First>
RtdeValue word(const State& state, std::size_t) {
  return word_of(state.*Direction, First);
}

template <auto Direction>
RtdeValue integer(const State& state, std::size_t index) {
  return (state.*Direction).integers[index];
}

template <auto Direction>
RtdeValue real(const State& state, std::size_t index) {
  return (state.*Direction).doubles[index];
}

struct OutputRow {
  RtdeFamily family;
  RtdeType type;
  RtdeOutput::Read read;
};

constexpr OutputRow kOutputRows[] = {
    {{"timestamp"}, kDouble, member<&State::timestamp_s>},
    {{"target_q"}, kVector6d, member<&State::q_target>},
    {{"target_qd"}, kVector6d, member<&State::qd_target>},
    {{"target_qdd"}, kVector6d, member<&State::qdd_target>},
    {{"target_current"}, kVector6d, member<&State::current_target_A>},
    {{"target_moment"}, kVector6d, member<&State::moment_target_Nm>},
    {{"actual_q"}, kVector6d, member<&State::q_actual>},
    {{"actual_qd"}, kVector6d, member<&State::qd_actual>},
    {{"actual_current"}, kVector6d, member<&State::current_actual_A>},
    {{"actual_current_window"}, kVector6d, nothing<Vector6>},
    {{"joint_control_output"}, kVector6d, member<&State::control_current_A>},
    {{"actual_TCP_pose"}, kVector6d, member<&State::tcp_pose_actual>},
    {{"actual_TCP_speed"}, kVector6d, member<&State::tcp_speed_actual>},
    {{"actual_TCP_force"}, kVector6d, member<&State::tcp_force>},
    {{"target_TCP_pose"}, kVector6d, member<&State::tcp_pose_target>},
    {{"target_TCP_speed"}, kVector6d, member<&State::tcp_speed_target>},
    {{"tcp_offset"}, kVector6d, member<&State::tcp_offset>},
    {{"actual_digital_input_bits"}, kUint64, member<&State::digital_inputs>},
    {{"joint_temperatures"}, kVector6d, member<&State::motor_temperature_C>},
    {{"actual_execution_time"}, kDouble, member<&State::execution_time_ms>},
    {{"robot_mode"}, kInt32, number_of<&State::robot_mode>},
    {{"joint_mode"}, kVector6Int32, joint_modes},
    {{"safety_mode"}, kInt32, number_of<&State::safety_mode>},
    {{"safety_status"}, kInt32, number_of<&State::safety_mode>},
    {{"actual_tool_accelerometer"}, kVector3d, member<&State::tool_acceleration_m_s2>},
    {{"speed_scaling"}, kDouble, member<&State::speed_scaling>},
    {{"target_speed_fraction"}, kDouble, member<&State::speed_slider>},
    {{"actual_momentum"}, kDouble, member<&State::momentum_kg_m_s>},
    {{"actual_main_voltage"}, kDouble, member<&State::main_voltage_V>},
    {{"actual_robot_voltage"}, kDouble, member<&State::robot_voltage_V>},
    {{"actual_robot_current"}, kDouble, member<&State::robot_current_A>},
    {{"actual_joint_voltage"}, kVector6d, member<&State::joint_voltage_V>},
    {{"actual_digital_output_bits"}, kUint64, member<&State::digital_outputs>},
    {{"runtime_state"}, kUint32, runtime_state},
    {{"elbow_position"}, kVector3d, member<&State::elbow_position_m>},
    {{"elbow_velocity"}, kVector3d, member<&State::elbow_velocity_m_s>},
    {{"robot_status_bits"}, kUint32, status_bits},
    {{"safety_status_bits"}, kUint32, safety_bits},
    {{"analog_io_types"}, kUint32, member<&State::analog_types>},
    {{"standard_analog_input", 0, 1}, kDouble, numbered<&State::analog_inputs>},
    {{"standard_analog_output", 0, 1}, kDouble, numbered<&State::analog_outputs>},
    {{"io_current"}, kDouble, member<&State::io_current_A>},
    {{"euromap67_input_bits"}, kUint32, nothing<std::uint32_t>},
    {{"euromap67_output_bits"}, kUint32, nothing<std::uint32_t>},
    {{"euromap67_24V_voltage"}, kDouble, nothing<double>},
    {{"euromap67_24V_current"}, kDouble, nothing<double>},
    {{"tool_mode"}, kUint32, always<kToolRunning>},
    {{"tool_analog_input_types"}, kUint32, member<&State::tool_analog_types>},
    {{"tool_analog_input", 0, 1}, kDouble, numbered<&State::tool_analog_inputs>},
    {{"tool_output_voltage"}, kInt32, member<&State::tool_voltage_V>},
    {{"tool_output_current"}, kDouble, member<&State::tool_current_A>},
    {{"tool_temperature"}, kDouble, member<&State::tool_temperature_C>},
    {{"tool_output_mode"}, kUint8, nothing<std::uint8_t>},
    {{"tool_digital_output0_mode"}, kUint8, always<kToolOutputSinks>},
    {{"tool_digital_output1_mode"}, kUint8, always<kToolOutputSinks>},
    {{"tcp_force_scalar"}, kDouble, force_norm_N},
    {{"joint_position_deviation_ratio"}, kDouble, nothing<double>},
    {{"ft_raw_wrench"}, kVector6d, nothing<Vector6>},
    {{"payload"}, kDouble, member<&State::payload_kg>},
    {{"payload_cog"}, kVector3d, member<&State::payload_cog_m>},
    {{"payload_inertia"}, kVector6d, nothing<Vector6>},
    {{"script_control_line"}, kUint32, nothing<std::uint32_t>},
    {{"output_bit_registers0_to_31"}, kUint32, word<&State::outputs, 0>},
    {{"output_bit_registers32_to_63"}, kUint32, word<&State::outputs, 32>},
    {{"output_bit_register_", 64, kLastBit}, kBool, bit<&State::outputs>},
    {{"output_int_register_", 0, kLastNumber}, kInt32, integer<&State::outputs>},
    {{"output_double_register_", 0, kLastNumber}, kDouble, real<&State::outputs>},
    {{"input_bit_registers0_to_31"}, kUint32, word<&State::inputs, 0>},
    {{"input_bit_registers32_to_63"}, kUint32, word<&State::inputs, 32>},
    {{"input_bit_register_", 64, kLastBit}, kBool, bit<&State::inputs>},
    {{"input_int_register_", 0, kLastNumber}, kInt32, integer<&State::inputs>},
    {{"input_double_register_", 0, kLastNumber}, kDouble, real<&State::inputs>},
};

}  // namespace

std::optional<RtdeOutput> find_rtde_output(std::string_view name) {
  for (const OutputRow& row : kOutputRows) {
    if (const auto index = row.family.find(name)) {
      return RtdeOutput{row.type, row.read, *index};
    }
  }
  return std::nullopt;
}

void list_rtde_outputs(const std::function<void(const std::string&, RtdeType)>& take) {
  for (const OutputRow& row : kOutputRows) {
    for (std::size_t i = 0; i < row.family.count(); ++i) {
      take(row.family.member(i), row.type);
    }
  }
}

}  // namespace longarm::protocols::ur
