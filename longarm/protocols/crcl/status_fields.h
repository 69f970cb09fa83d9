// SPDX-License-Identifier: Apache-2.0
// The elements of every section of a CRCL status in the order of the schema.
#pragma once

#include <variant>

#include "longarm/protocols/crcl/fields.h"
#include "longarm/protocols/crcl/status.h"

namespace longarm::protocols::crcl {

/// In the order of GripperStatus::kind.
inline constexpr auto kGripperTypes = std::to_array<std::string_view>(
    {"ParallelGripperStatusType", "VacuumGripperStatusType", "ThreeFingerGripperStatusType"});
static_assert(kGripperTypes.size() == std::variant_size_v<decltype(GripperStatus::kind)>);

inline std::string type_attribute(std::string_view /*element*/, const GripperStatus& gripper) {
  return std::string(kGripperTypes[gripper.kind.index()]);
}

inline bool take_type(std::string_view /*element*/, std::string_view type, GripperStatus& gripper) {
  return take_alternative(type, kGripperTypes, gripper.kind);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, CommandStatus>& command) {
  archive.required("CommandID", command.command_id);
  archive.required("StatusID", command.status_id);
  archive.required("CommandState", command.state);
  archive.optional("StateDescription", command.description);
  archive.optional("ProgramFile", command.program_file);
  archive.optional("ProgramIndex", command.program_index);
  archive.optional("ProgramLength", command.program_length);
  archive.optional("OverridePercent", command.override_percent);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointStatus>& joint) {
  archive.required("JointNumber", joint.joint);
  archive.optional("JointPosition", joint.position);
  archive.optional("JointTorqueOrForce", joint.torque_or_force);
  archive.optional("JointVelocity", joint.velocity);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, PoseStatus>& pose) {
  archive.required("Pose", pose.pose);
  archive.optional("Twist", pose.twist);
  archive.optional("Wrench", pose.wrench);
  archive.optional("Configuration", pose.configuration);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ParallelGripper>& gripper) {
  archive.required("Separation", gripper.separation);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, VacuumGripper>& gripper) {
  archive.required("IsPowered", gripper.is_powered);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ThreeFingerGripper>& gripper) {
  archive.optional("Finger1Position", gripper.position_1, Rule::kFraction);
  archive.optional("Finger2Position", gripper.position_2, Rule::kFraction);
  archive.optional("Finger3Position", gripper.position_3, Rule::kFraction);
  archive.optional("Finger1Force", gripper.force_1);
  archive.optional("Finger2Force", gripper.force_2);
  archive.optional("Finger3Force", gripper.force_3);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, GripperStatus>& gripper) {
  archive.required("GripperName", gripper.name, Rule::kNameToken);
  archive.list("GripperOption", gripper.options);
  archive.optional("HoldingObject", gripper.is_holding);
  std::visit([&](auto& kind) { list_fields(archive, kind); }, gripper.kind);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointLimit>& limit) {
  archive.required("JointNumber", limit.joint);
  archive.optional("JointMinPosition", limit.min_position);
  archive.optional("JointMaxPosition", limit.max_position);
  archive.optional("JointMaxTorqueOrForce", limit.max_torque_or_force);
  archive.optional("JointMaxVelocity", limit.max_velocity);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SettingsStatus>& settings) {
  archive.optional("AngleUnitName", settings.angle_unit);
  archive.list("EndEffectorParameterSetting", settings.end_effector_parameters);
  archive.optional("EndEffectorSetting", settings.end_effector_setting, Rule::kFraction);
  archive.optional("ForceUnitName", settings.force_unit);
  archive.list("JointLimits", settings.joint_limits);
  archive.optional("IntermediatePoseTolerance", settings.intermediate_pose_tolerance);
  archive.optional("LengthUnitName", settings.length_unit);
  archive.optional("MaxCartesianLimit", settings.max_cartesian_limit);
  archive.optional("MinCartesianLimit", settings.min_cartesian_limit);
  archive.optional("MotionCoordinated", settings.is_motion_coordinated);
  archive.optional("EndPoseTolerance", settings.end_pose_tolerance);
  archive.list("RobotParameterSetting", settings.robot_parameters);
  const auto rate = [&](std::string_view absolute_name, auto& absolute,
                        std::string_view relative_name, auto& relative) {
    archive.wrapped(absolute_name, absolute, "Setting", Rule::kNone);
    archive.wrapped(relative_name, relative, "Fraction", Rule::kFraction);
  };
  rate("RotAccelAbsolute", settings.rotation_acceleration_absolute, "RotAccelRelative",
       settings.rotation_acceleration_relative);
  rate("RotSpeedAbsolute", settings.rotation_speed_absolute, "RotSpeedRelative",
       settings.rotation_speed_relative);
  archive.optional("TorqueUnitName", settings.torque_unit);
  rate("TransAccelAbsolute", settings.translation_acceleration_absolute, "TransAccelRelative",
       settings.translation_acceleration_relative);
  rate("TransSpeedAbsolute", settings.translation_speed_absolute, "TransSpeedRelative",
       settings.translation_speed_relative);
  archive.optional_group("JointTolerances", settings.joint_tolerances, "Setting");
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SensorHeader>& header) {
  archive.required("SensorID", header.id, Rule::kToken);
  archive.required("ReadCount", header.read_count);
  archive.required("LastReadTime", header.last_read_ms);
  archive.list("SensorParameterSetting", header.parameters);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, OnOffSensor>& sensor) {
  list_fields(archive, sensor.header);
  archive.required("On", sensor.is_on);
}

/// The full stop is part of the element's name; so it is in the next.
template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ScalarSensor>& sensor) {
  list_fields(archive, sensor.header);
  archive.required("ScalarValue.", sensor.value);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, CountSensor>& sensor) {
  list_fields(archive, sensor.header);
  archive.required("CountValue.", sensor.count);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ForceTorqueSensor>& sensor) {
  list_fields(archive, sensor.header);
  archive.required("Fx", sensor.fx_N);
  archive.required("Fy", sensor.fy_N);
  archive.required("Fz", sensor.fz_N);
  archive.required("Tx", sensor.tx_Nm);
  archive.required("Ty", sensor.ty_Nm);
  archive.required("Tz", sensor.tz_Nm);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SensorStatuses>& sensors) {
  archive.list("OnOffSensorStatus", sensors.on_off);
  archive.list("ScalarSensorStatus", sensors.scalar);
  archive.list("CountSensorStatus", sensors.count);
  archive.list("ForceTorqueSensorStatus", sensors.force_torque);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, GuardsStatuses>& guards) {
  archive.list("Guard", guards.guards);
  archive.required("TriggerCount", guards.trigger_count);
  archive.required("TriggerStopTimeMicros", guards.trigger_stop_microseconds);
  archive.optional("TriggerValue", guards.trigger_value);
  archive.optional("TriggerPose", guards.trigger_pose);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Status>& status) {
  archive.name(status.name);
  archive.required("CommandStatus", status.command);
  archive.optional_group("JointStatuses", status.joints, "JointStatus");
  archive.optional("PoseStatus", status.pose);
  archive.optional("GripperStatus", status.gripper);
  archive.optional("SettingsStatus", status.settings);
  archive.optional("SensorStatuses", status.sensors);
  archive.optional("GuardsStatuses", status.guards);
}

}  // namespace longarm::protocols::crcl
