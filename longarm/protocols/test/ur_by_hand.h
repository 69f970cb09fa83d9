// SPDX-License-Identifier: Apache-2.0
// For tests of UR ports: numbers read off the wire by hand, and a state without two equal numbers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/primary.h"

namespace longarm::protocols::ur {

/// Big-endian, by shifts that are not the codec's.
inline std::uint64_t bits_at(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(bytes.at(offset + count - 1 - i));
    bits |= std::uint64_t{byte} << (8 * i);
  }
  return bits;
}
inline double double_at(std::string_view bytes, std::size_t offset) {
  const std::uint64_t bits = bits_at(bytes, offset, 8);
  double number = 0.0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
inline float float_at(std::string_view bytes, std::size_t offset) {
  const auto bits = static_cast<std::uint32_t>(bits_at(bytes, offset, 4));
  float number = 0.0F;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
inline std::int32_t int_at(std::string_view bytes, std::size_t offset) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_at(bytes, offset, 4)));
}
inline unsigned byte_at(std::string_view bytes, std::size_t offset) {
  return static_cast<unsigned char>(bytes.at(offset));
}
inline void put_double(std::string& bytes, std::size_t offset, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < 8; ++i) {
    bytes.at(offset + i) = static_cast<char>(bits >> (56 - 8 * i) & 0xFF);
  }
}
/// Of nothing but zeros behind its size.
inline std::string packet_of(std::size_t size) {
  std::string bytes(size, '\0');
  bytes.at(2) = static_cast<char>(size >> 8);
  bytes.at(3) = static_cast<char>(size & 0xFF);
  return bytes;
}

/// first, first + 1, …
template <std::size_t N>
std::array<double, N> count_from(double first) {
  std::array<double, N> numbers{};
  for (std::size_t i = 0; i < N; ++i) {
    numbers[i] = first + static_cast<double>(i);
  }
  return numbers;
}

/// Joints and vectors count from a hundred of their own, single numbers are below 100.
inline ControllerState distinct_state() {
  ControllerState state;
  state.timestamp_s = 40.5;
  state.q_target = count_from<6>(100);
  state.qd_target = count_from<6>(200);
  state.qdd_target = count_from<6>(300);
  state.current_target_A = count_from<6>(400);
  state.moment_target_Nm = count_from<6>(500);
  state.q_actual = count_from<6>(600);
  state.qd_actual = count_from<6>(700);
  state.current_actual_A = count_from<6>(800);
  state.control_current_A = count_from<6>(900);
  state.motor_temperature_C = count_from<6>(1000);
  state.joint_voltage_V = count_from<6>(1100);
  state.joint_modes = {JointMode::kRunning, JointMode::kIdle,    JointMode::kFault,
                       JointMode::kRunning, JointMode::kRunning, JointMode::kIdle};
  state.tcp_pose_actual = count_from<6>(1200);
  state.tcp_speed_actual = count_from<6>(1300);
  state.tcp_force = count_from<6>(1400);
  state.tcp_pose_target = count_from<6>(1500);
  state.tcp_speed_target = count_from<6>(1600);
  state.tcp_offset = count_from<6>(1700);
  state.tool_acceleration_m_s2 = count_from<3>(1800);
  state.elbow_position_m = count_from<3>(1900);
  state.elbow_velocity_m_s = count_from<3>(2000);
  state.momentum_kg_m_s = 11.5;
  state.payload_kg = 12.5;
  state.payload_cog_m = count_from<3>(2100);
  state.robot_mode = RobotMode::kRunning;
  state.safety_mode = SafetyMode::kReduced;
  state.runtime_state = RuntimeState::kPaused;
  state.speed_slider = 0.75;
  state.speed_scaling = 0.625;
  state.execution_time_ms = 13.5;
  state.digital_inputs = 0x0000'0001'0002'A5C3;
  state.digital_outputs = 0x0000'0002'0001'5A3C;
  state.analog_types = 0b0110;
  state.analog_inputs = {14.5, 15.5};
  state.analog_outputs = {16.5, 17.5};
  state.tool_analog_inputs = {18.5, 19.5};
  state.tool_analog_types = 0b10;
  state.tool_voltage_V = 24;
  state.tool_current_A = 20.5;
  state.tool_temperature_C = 21.5;
  state.main_voltage_V = 47.5;
  state.robot_voltage_V = 46.5;
  state.robot_current_A = 22.5;
  state.io_current_A = 23.5;
  state.masterboard_temperature_C = 24.5;
  return state;
}

inline ControllerInfo distinct_info() {
  ControllerInfo info;
  info.firmware = {3, 15, 8, 106339};
  info.dh_a_m = count_from<6>(3000);
  info.dh_d_m = count_from<6>(3100);
  info.dh_alpha_rad = count_from<6>(3200);
  info.dh_theta_rad = count_from<6>(3300);
  info.joint_lower_rad = count_from<6>(3400);
  info.joint_upper_rad = count_from<6>(3500);
  info.joint_speed_rad_s = count_from<6>(3600);
  info.joint_acceleration_rad_s2 = count_from<6>(3700);
  info.joint_speed_default_rad_s = 31.5;
  info.joint_acceleration_default_rad_s2 = 32.5;
  info.tool_speed_default_m_s = 33.5;
  info.tool_acceleration_default_m_s2 = 34.5;
  return info;
}

/// Of the primary port, with all of these numbers.
inline std::string state_packet() {
  return encode_robot_state(describe(distinct_info(), distinct_state()));
}

}  // namespace longarm::protocols::ur
