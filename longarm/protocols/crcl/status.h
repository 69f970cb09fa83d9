// SPDX-License-Identifier: Apache-2.0
// What a CRCL server says of itself: the state of the current command and the sections asked for.
#pragma once

#include <variant>

#include "longarm/protocols/crcl/data.h"

namespace longarm::protocols::crcl {

enum class CommandState { kReady, kWorking, kDone, kError };
template <>
inline constexpr std::array<std::string_view, 4> kNames<CommandState>{"CRCL_Ready", "CRCL_Working",
                                                                      "CRCL_Done", "CRCL_Error"};

struct CommandStatus {
  std::int64_t command_id = 0;
  std::int64_t status_id = 0;
  CommandState state = CommandState::kReady;
  std::optional<std::string> description;
  std::optional<std::string> program_file;
  std::optional<std::int32_t> program_index;
  std::optional<std::int32_t> program_length;
  std::optional<std::int32_t> override_percent;
  bool operator==(const CommandStatus&) const = default;
};

struct JointStatus {
  std::int32_t joint = 0;  ///< from 1
  std::optional<double> position;
  std::optional<double> torque_or_force;
  std::optional<double> velocity;
  bool operator==(const JointStatus&) const = default;
};

struct PoseStatus {
  Pose pose;
  std::optional<Twist> twist;
  std::optional<Wrench> wrench;
  std::optional<std::string> configuration;
  bool operator==(const PoseStatus&) const = default;
};

struct ParallelGripper {
  double separation = 0.0;
  bool operator==(const ParallelGripper&) const = default;
};

struct VacuumGripper {
  bool is_powered = false;
  bool operator==(const VacuumGripper&) const = default;
};

/// Positions are fractions: 0 closed, 1 open.
struct ThreeFingerGripper {
  std::optional<double> position_1;
  std::optional<double> position_2;
  std::optional<double> position_3;
  std::optional<double> force_1;
  std::optional<double> force_2;
  std::optional<double> force_3;
  bool operator==(const ThreeFingerGripper&) const = default;
};

struct GripperStatus {
  std::string name;  ///< an XML NMTOKEN
  std::vector<Parameter> options;
  std::optional<bool> is_holding;
  std::variant<ParallelGripper, VacuumGripper, ThreeFingerGripper> kind;
  bool operator==(const GripperStatus&) const = default;
};

struct JointLimit {
  std::int32_t joint = 0;  ///< from 1
  std::optional<double> min_position;
  std::optional<double> max_position;
  std::optional<double> max_torque_or_force;
  std::optional<double> max_velocity;
  bool operator==(const JointLimit&) const = default;
};

/// In the order of the schema. Absolute and relative rates are elements of their own; both may be
/// given.
struct SettingsStatus {
  std::optional<AngleUnit> angle_unit;
  std::vector<Parameter> end_effector_parameters;
  std::optional<double> end_effector_setting;
  std::optional<ForceUnit> force_unit;
  std::vector<JointLimit> joint_limits;
  std::optional<PoseTolerance> intermediate_pose_tolerance;
  std::optional<LengthUnit> length_unit;
  std::optional<Point> max_cartesian_limit;
  std::optional<Point> min_cartesian_limit;
  std::optional<bool> is_motion_coordinated;
  std::optional<PoseTolerance> end_pose_tolerance;
  std::vector<Parameter> robot_parameters;
  std::optional<double> rotation_acceleration_absolute;
  std::optional<double> rotation_acceleration_relative;
  std::optional<double> rotation_speed_absolute;
  std::optional<double> rotation_speed_relative;
  std::optional<TorqueUnit> torque_unit;
  std::optional<double> translation_acceleration_absolute;
  std::optional<double> translation_acceleration_relative;
  std::optional<double> translation_speed_absolute;
  std::optional<double> translation_speed_relative;
  std::optional<std::vector<JointTolerance>> joint_tolerances;
  bool operator==(const SettingsStatus&) const = default;
};

/// What all sensors say; times are milliseconds since 1970.
struct SensorHeader {
  std::string id;
  std::int32_t read_count = 0;
  std::int64_t last_read_ms = 0;
  std::vector<Parameter> parameters;
  bool operator==(const SensorHeader&) const = default;
};

struct OnOffSensor {
  SensorHeader header;
  bool is_on = false;
  bool operator==(const OnOffSensor&) const = default;
};

struct ScalarSensor {
  SensorHeader header;
  double value = 0.0;
  bool operator==(const ScalarSensor&) const = default;
};

struct CountSensor {
  SensorHeader header;
  std::int32_t count = 0;
  bool operator==(const CountSensor&) const = default;
};

/// Newtons and newton-metres, whatever the units.
struct ForceTorqueSensor {
  SensorHeader header;
  double fx_N = 0.0;
  double fy_N = 0.0;
  double fz_N = 0.0;
  double tx_Nm = 0.0;
  double ty_Nm = 0.0;
  double tz_Nm = 0.0;
  bool operator==(const ForceTorqueSensor&) const = default;
};

struct SensorStatuses {
  std::vector<OnOffSensor> on_off;
  std::vector<ScalarSensor> scalar;
  std::vector<CountSensor> count;
  std::vector<ForceTorqueSensor> force_torque;
  bool operator==(const SensorStatuses&) const = default;
};

struct GuardsStatuses {
  std::vector<Guard> guards;
  std::int32_t trigger_count = 0;
  std::int64_t trigger_stop_microseconds = 0;
  std::optional<double> trigger_value;
  std::optional<Pose> trigger_pose;
  bool operator==(const GuardsStatuses&) const = default;
};

/// The document a server sends. `joints`, if there, must not be empty.
struct Status {
  std::string name;
  CommandStatus command;
  std::optional<std::vector<JointStatus>> joints;
  std::optional<PoseStatus> pose;
  std::optional<GripperStatus> gripper;
  std::optional<SettingsStatus> settings;
  std::optional<SensorStatuses> sensors;
  std::optional<GuardsStatuses> guards;
  bool operator==(const Status&) const = default;
};

}  // namespace longarm::protocols::crcl
