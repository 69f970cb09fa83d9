// SPDX-License-Identifier: Apache-2.0
// Where everything is in a real-time packet: the one place that says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// Slots that mean nothing to us and are sent as 0.
struct Reserved {};
/// Sent as the safety mode, read as a number of its own.
struct SafetyStatus {};

/// The member of the state that a field shows. Everything takes slots of eight bytes: doubles,
/// except for the bits (std::uint64_t), which are integers. Modes are doubles.
using RealTimeMember =
    std::variant<Reserved, SafetyStatus, double ControllerState::*, Joints ControllerState::*,
                 Vector3 ControllerState::*, std::uint64_t ControllerState::*,
                 RobotMode ControllerState::*, SafetyMode ControllerState::*,
                 RuntimeState ControllerState::*, std::array<JointMode, 6> ControllerState::*>;

struct RealTimeField {
  std::size_t offset;  ///< from the beginning of the packet
  std::string_view name;
  std::size_t count;  ///< of slots
  RealTimeMember member;
};

using RealTimeState = ControllerState;  // short enough for a row per line

/// From 3.0 on; a packet ends behind one of these.
constexpr std::array<RealTimeField, 41> kRealTimeFields{{
    {4, "time", 1, &RealTimeState::timestamp_s},
    {12, "q target", 6, &RealTimeState::q_target},
    {60, "qd target", 6, &RealTimeState::qd_target},
    {108, "qdd target", 6, &RealTimeState::qdd_target},
    {156, "I target", 6, &RealTimeState::current_target_A},
    {204, "M target", 6, &RealTimeState::moment_target_Nm},
    {252, "q actual", 6, &RealTimeState::q_actual},
    {300, "qd actual", 6, &RealTimeState::qd_actual},
    {348, "I actual", 6, &RealTimeState::current_actual_A},
    {396, "I control", 6, &RealTimeState::control_current_A},
    {444, "tool vector actual", 6, &RealTimeState::tcp_pose_actual},
    {492, "TCP speed actual", 6, &RealTimeState::tcp_speed_actual},
    {540, "TCP force", 6, &RealTimeState::tcp_force},
    {588, "tool vector target", 6, &RealTimeState::tcp_pose_target},
    {636, "TCP speed target", 6, &RealTimeState::tcp_speed_target},
    {684, "digital inputs", 1, &RealTimeState::digital_inputs},
    {692, "motor temperatures", 6, &RealTimeState::motor_temperature_C},
    {740, "controller timer", 1, &RealTimeState::execution_time_ms},
    {748, "test value", 1, Reserved{}},
    {756, "robot mode", 1, &RealTimeState::robot_mode},
    {764, "joint modes", 6, &RealTimeState::joint_modes},
    {812, "safety mode", 1, &RealTimeState::safety_mode},
    {820, "reserved", 6, Reserved{}},
    {868, "tool accelerometer", 3, &RealTimeState::tool_acceleration_m_s2},
    {892, "reserved", 6, Reserved{}},
    {940, "speed scaling", 1, &RealTimeState::speed_scaling},
    {948, "linear momentum norm", 1, &RealTimeState::momentum_kg_m_s},
    {956, "reserved", 2, Reserved{}},
    {972, "V main", 1, &RealTimeState::main_voltage_V},
    {980, "V robot", 1, &RealTimeState::robot_voltage_V},
    {988, "I robot", 1, &RealTimeState::robot_current_A},
    {996, "V actual", 6, &RealTimeState::joint_voltage_V},
    {1044, "digital outputs", 1, &RealTimeState::digital_outputs},
    {1052, "program state", 1, &RealTimeState::runtime_state},
    {1060, "elbow position", 3, &RealTimeState::elbow_position_m},
    {1084, "elbow velocity", 3, &RealTimeState::elbow_velocity_m_s},
    {1108, "safety status", 1, SafetyStatus{}},
    {1116, "reserved", 3, Reserved{}},
    {1140, "payload mass", 1, &RealTimeState::payload_kg},
    {1148, "payload centre of gravity", 3, &RealTimeState::payload_cog_m},
    {1172, "payload inertia", 6, Reserved{}},
}};

/// What the packets of 1.6 … 1.8 have between the actual currents and the digital inputs, where
/// newer ones have control currents, poses and speeds.
constexpr std::array<RealTimeField, 5> kOldRealTimeFields{{
    {396, "tool accelerometer", 3, &RealTimeState::tool_acceleration_m_s2},
    {420, "unused", 15, Reserved{}},
    {540, "TCP force", 6, &RealTimeState::tcp_force},
    {588, "tool vector", 6, &RealTimeState::tcp_pose_actual},
    {636, "TCP speed", 6, &RealTimeState::tcp_speed_actual},
}};
constexpr std::size_t kOldFieldsBegin = 396;
constexpr std::size_t kOldFieldsEnd = 684;
constexpr std::size_t kSmallestNewSize = 1044;

}  // namespace longarm::protocols::ur
