// SPDX-License-Identifier: Apache-2.0
// What the primary and secondary ports of a UR controller say, as data; visit_fields() is the one
// place that says in which order it stands on the wire.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// Of packets, and of the sub-packages of a robot state.
enum class PacketType : std::uint8_t { kRobotState = 16, kRobotMessage = 20 };
enum class PackageType : std::uint8_t {
  kRobotMode = 0,
  kJoints = 1,
  kTool = 2,
  kMasterboard = 3,
  kCartesian = 4,
  kKinematics = 5,
  kConfiguration = 6,
};

struct RobotModePackage {
  static constexpr PackageType kType = PackageType::kRobotMode;
  std::uint64_t timestamp_us = 0;
  bool is_real_robot_connected = false;
  bool is_real_robot_enabled = false;
  bool is_power_on = false;
  bool is_emergency_stopped = false;
  bool is_protective_stopped = false;
  bool is_program_running = false;
  bool is_program_paused = false;
  std::uint8_t robot_mode = 0;  ///< RobotMode; -1 is 255
  std::uint8_t control_mode = 0;
  double target_speed_fraction = 0.0;
  double speed_scaling = 0.0;
  double target_speed_fraction_limit = 0.0;
};

struct JointsPackage {
  static constexpr PackageType kType = PackageType::kJoints;
  struct Joint {
    double q_actual = 0.0;
    double q_target = 0.0;
    double qd_actual = 0.0;
    float current_A = 0.0F;
    float voltage_V = 0.0F;
    float motor_temperature_C = 0.0F;
    float micro_temperature_C = 0.0F;  ///< no longer in use
    std::uint8_t mode = 0;             ///< JointMode
  };
  std::array<Joint, 6> joints{};
};

struct ToolPackage {
  static constexpr PackageType kType = PackageType::kTool;
  std::array<std::uint8_t, 2> analog_ranges{};
  std::array<double, 2> analog_inputs{};
  float supply_voltage_V = 0.0F;
  std::uint8_t output_voltage_V = 0;
  float current_A = 0.0F;
  float temperature_C = 0.0F;
  std::uint8_t mode = 0;
};

struct MasterboardPackage {
  static constexpr PackageType kType = PackageType::kMasterboard;
  std::uint32_t digital_inputs = 0;
  std::uint32_t digital_outputs = 0;
  std::array<std::uint8_t, 2> analog_input_ranges{};
  std::array<double, 2> analog_inputs{};
  std::array<std::int8_t, 2> analog_output_domains{};
  std::array<double, 2> analog_outputs{};
  float temperature_C = 0.0F;
  float robot_voltage_V = 0.0F;
  float robot_current_A = 0.0F;
  float io_current_A = 0.0F;
  std::uint8_t safety_mode = 0;
  std::uint8_t is_reduced = 0;
  std::uint8_t has_euromap = 0;  ///< if not 0, the next four are there
  std::uint32_t euromap_inputs = 0;
  std::uint32_t euromap_outputs = 0;
  float euromap_voltage_V = 0.0F;
  float euromap_current_A = 0.0F;
  std::uint32_t reserved = 0;
  std::uint8_t operational_mode_selector = 0;
  std::uint8_t three_position_enabling = 0;
};

struct CartesianPackage {
  static constexpr PackageType kType = PackageType::kCartesian;
  Vector6 tcp_pose{};
  Vector6 tcp_offset{};
};

struct KinematicsPackage {
  static constexpr PackageType kType = PackageType::kKinematics;
  std::array<std::uint32_t, 6> checksums{};
  Joints theta_rad{};
  Joints a_m{};
  Joints d_m{};
  Joints alpha_rad{};
  std::uint32_t status = 0;
};

struct ConfigurationPackage {
  static constexpr PackageType kType = PackageType::kConfiguration;
  std::array<std::array<double, 2>, 6> joint_limits_rad{};  ///< lowest, highest
  std::array<std::array<double, 2>, 6> joint_motion{};      ///< most speed, most acceleration
  double joint_speed_default_rad_s = 0.0;
  double joint_acceleration_default_rad_s2 = 0.0;
  double tool_speed_default_m_s = 0.0;
  double tool_acceleration_default_m_s2 = 0.0;
  double equivalent_radius_m = 0.0;
  Joints a_m{};
  Joints d_m{};
  Joints alpha_rad{};
  Joints theta_rad{};
  std::int32_t masterboard_version = 0;
  std::int32_t box_type = 0;
  std::int32_t robot_type = 0;
  std::int32_t robot_sub_type = 0;
};

template <typename Data, typename Package>
concept Is = std::same_as<std::remove_const_t<Data>, Package>;

// Each calls `visit(member)` for everything it has, in the order of the wire; arrays of numbers are
// visited as one. A reader has filled a member when its visit returns.

template <Is<RobotModePackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  visit(data.timestamp_us);
  visit(data.is_real_robot_connected);
  visit(data.is_real_robot_enabled);
  visit(data.is_power_on);
  visit(data.is_emergency_stopped);
  visit(data.is_protective_stopped);
  visit(data.is_program_running);
  visit(data.is_program_paused);
  visit(data.robot_mode);
  visit(data.control_mode);
  visit(data.target_speed_fraction);
  visit(data.speed_scaling);
  visit(data.target_speed_fraction_limit);
}

template <Is<JointsPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  for (auto& joint : data.joints) {
    visit(joint.q_actual);
    visit(joint.q_target);
    visit(joint.qd_actual);
    visit(joint.current_A);
    visit(joint.voltage_V);
    visit(joint.motor_temperature_C);
    visit(joint.micro_temperature_C);
    visit(joint.mode);
  }
}

template <Is<ToolPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  visit(data.analog_ranges);
  visit(data.analog_inputs);
  visit(data.supply_voltage_V);
  visit(data.output_voltage_V);
  visit(data.current_A);
  visit(data.temperature_C);
  visit(data.mode);
}

template <Is<MasterboardPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  visit(data.digital_inputs);
  visit(data.digital_outputs);
  visit(data.analog_input_ranges);
  visit(data.analog_inputs);
  visit(data.analog_output_domains);
  visit(data.analog_outputs);
  visit(data.temperature_C);
  visit(data.robot_voltage_V);
  visit(data.robot_current_A);
  visit(data.io_current_A);
  visit(data.safety_mode);
  visit(data.is_reduced);
  visit(data.has_euromap);
  if (data.has_euromap != 0) {
    visit(data.euromap_inputs);
    visit(data.euromap_outputs);
    visit(data.euromap_voltage_V);
    visit(data.euromap_current_A);
  }
  visit(data.reserved);
  visit(data.operational_mode_selector);
  visit(data.three_position_enabling);
}

template <Is<CartesianPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  visit(data.tcp_pose);
  visit(data.tcp_offset);
}

template <Is<KinematicsPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  visit(data.checksums);
  visit(data.theta_rad);
  visit(data.a_m);
  visit(data.d_m);
  visit(data.alpha_rad);
  visit(data.status);
}

template <Is<ConfigurationPackage> Data, typename Visit>
void visit_fields(Data& data, const Visit& visit) {
  for (auto& limits : data.joint_limits_rad) {
    visit(limits);
  }
  for (auto& motion : data.joint_motion) {
    visit(motion);
  }
  visit(data.joint_speed_default_rad_s);
  visit(data.joint_acceleration_default_rad_s2);
  visit(data.tool_speed_default_m_s);
  visit(data.tool_acceleration_default_m_s2);
  visit(data.equivalent_radius_m);
  visit(data.a_m);
  visit(data.d_m);
  visit(data.alpha_rad);
  visit(data.theta_rad);
  visit(data.masterboard_version);
  visit(data.box_type);
  visit(data.robot_type);
  visit(data.robot_sub_type);
}

}  // namespace longarm::protocols::ur
