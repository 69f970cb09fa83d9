// SPDX-License-Identifier: Apache-2.0
// The elements of every CRCL command in the order of the schema.
#pragma once

#include <variant>

#include "longarm/protocols/crcl/commands.h"
#include "longarm/protocols/crcl/fields.h"

namespace longarm::protocols::crcl {

/// In the order of CommandBody.
inline constexpr auto kCommandTypes = std::to_array<std::string_view>({
    "InitCanonType",
    "EndCanonType",
    "ActuateJointsType",
    "MoveToType",
    "MoveThroughToType",
    "MoveScrewType",
    "StopMotionType",
    "DwellType",
    "GetStatusType",
    "MessageType",
    "RunProgramType",
    "SetEndEffectorType",
    "SetEndEffectorParametersType",
    "SetRobotParametersType",
    "OpenToolChangerType",
    "CloseToolChangerType",
    "EnableGripperType",
    "DisableGripperType",
    "EnableSensorType",
    "DisableSensorType",
    "EnableRobotParameterStatusType",
    "DisableRobotParameterStatusType",
    "ConfigureJointReportsType",
    "ConfigureStatusReportType",
    "SetLengthUnitsType",
    "SetAngleUnitsType",
    "SetForceUnitsType",
    "SetTorqueUnitsType",
    "SetTransSpeedType",
    "SetTransAccelType",
    "SetRotSpeedType",
    "SetRotAccelType",
    "SetEndPoseToleranceType",
    "SetIntermediatePoseToleranceType",
    "SetDefaultJointPositonsTolerancesType",  // the schema's spelling
    "SetMotionCoordinationType",
    "LoopBlockStartType",
    "LoopBlockEndType",
});
static_assert(kCommandTypes.size() == std::variant_size_v<CommandBody>);

inline constexpr auto kJointDetailTypes =
    std::to_array<std::string_view>({"JointSpeedAccelType", "JointForceTorqueType"});
using JointDetails = decltype(JointActuation::details);

inline std::string type_attribute(std::string_view /*element*/, const JointDetails& details) {
  return std::string(kJointDetailTypes[details.index()]);
}

inline bool take_type(std::string_view /*element*/, std::string_view type, JointDetails& details) {
  return take_alternative(type, kJointDetailTypes, details);
}

/// A program's first and last command say what they are by the names of their elements.
inline std::string type_attribute(std::string_view element, const Command& command) {
  const bool is_plain = element == "InitCanon" || element == "EndCanon";
  return is_plain ? std::string() : std::string(kCommandTypes[command.body.index()]);
}

inline bool take_type(std::string_view element, std::string_view type, Command& command) {
  if (element == "InitCanon" || element == "EndCanon") {
    const std::string own_type = std::string(element) + "Type";
    return (type.empty() || type == own_type) &&
           take_alternative(own_type, kCommandTypes, command.body);
  }
  if (element == "MiddleCommand" && (type == "InitCanonType" || type == "EndCanonType")) {
    return false;
  }
  return take_alternative(type, kCommandTypes, command.body);
}

// --- motion
// ---------------------------------------------------------------------------------------

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointDetails>& details) {
  if (auto* moving = std::get_if<JointSpeedAccel>(&details)) {
    archive.optional("JointSpeed", moving->speed);
    archive.optional("JointAccel", moving->acceleration);
  } else if (auto* pushing = std::get_if<JointForceTorque>(&details)) {
    archive.optional("Setting", pushing->setting);
    archive.optional("ChangeRate", pushing->change_rate);
  }
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointActuation>& joint) {
  archive.required("JointNumber", joint.joint);
  archive.required("JointPosition", joint.position);
  archive.required("JointDetails", joint.details);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ActuateJoints>& command) {
  archive.list("ActuateJoint", command.joints, 1);
  archive.optional_group("JointTolerances", command.tolerances, "Setting");
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, MoveTo>& command) {
  archive.required("MoveStraight", command.is_straight);
  archive.required("EndPosition", command.end);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, MoveThroughTo>& command) {
  archive.required("MoveStraight", command.is_straight);
  archive.list("Waypoint", command.waypoints, 2);
  archive.required("NumPositions", command.number_of_positions);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, MoveScrew>& command) {
  archive.optional("StartPosition", command.start);
  archive.optional("AxisPoint", command.axis_point);
  archive.optional("AxialDistanceFree", command.free_distance);
  archive.required("AxialDistanceScrew", command.screw_distance);
  archive.required("Turn", command.turn);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, StopMotion>& command) {
  archive.required("StopCondition", command.condition);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Dwell>& command) {
  archive.required("DwellTime", command.time_s);
}

// --- words, programs, end effector, sensors
// -------------------------------------------------------

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Message>& command) {
  archive.required("Message", command.text);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, RunProgram>& command) {
  archive.required("ProgramText", command.text);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetRobotParameters>& command) {
  archive.list("ParameterSetting", command.parameters, 1);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetEndEffector>& command) {
  archive.required("Setting", command.setting, Rule::kFraction);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetEndEffectorParameters>& command) {
  archive.list("ParameterSetting", command.parameters, 1);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, EnableGripper>& command) {
  archive.required("GripperName", command.gripper, Rule::kNameToken);
  archive.list("GripperOption", command.options);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, DisableGripper>& command) {
  archive.required("GripperName", command.gripper, Rule::kNameToken);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, EnableSensor>& command) {
  archive.required("SensorID", command.sensor, Rule::kToken);
  archive.list("SensorOption", command.options);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, DisableSensor>& command) {
  archive.required("SensorID", command.sensor, Rule::kToken);
}

// --- what is reported
// -----------------------------------------------------------------------------

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, EnableRobotParameterStatus>& command) {
  archive.required("RobotParameterName", command.parameter, Rule::kToken);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, DisableRobotParameterStatus>& command) {
  archive.required("RobotParameterName", command.parameter, Rule::kToken);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, JointReport>& report) {
  archive.required("JointNumber", report.joint);
  archive.required("ReportPosition", report.with_position);
  archive.required("ReportTorqueOrForce", report.with_torque_or_force);
  archive.required("ReportVelocity", report.with_velocity);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ConfigureJointReports>& command) {
  archive.required("ResetAll", command.resets_all);
  archive.list("ConfigureJointReport", command.reports);
}

/// The last two are required by the schema, but older clients know nothing of them.
template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ConfigureStatusReport>& command) {
  archive.required("ReportJointStatuses", command.with_joints);
  archive.required("ReportPoseStatus", command.with_pose);
  archive.required("ReportGripperStatus", command.with_gripper);
  archive.required("ReportSettingsStatus", command.with_settings);
  if constexpr (Archive::kReads) {
    archive.optional("ReportSensorsStatus", command.with_sensors);
    archive.optional("ReportGuardsStatus", command.with_guards);
  } else {
    archive.required("ReportSensorsStatus", command.with_sensors.value_or(false));
    archive.required("ReportGuardsStatus", command.with_guards.value_or(false));
  }
}

// --- settings
// -------------------------------------------------------------------------------------

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetLengthUnits>& command) {
  archive.required("UnitName", command.unit);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetAngleUnits>& command) {
  archive.required("UnitName", command.unit);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetForceUnits>& command) {
  archive.required("UnitName", command.unit);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetTorqueUnits>& command) {
  archive.required("UnitName", command.unit);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetTransSpeed>& command) {
  archive.required("TransSpeed", command.speed);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetTransAccel>& command) {
  archive.required("TransAccel", command.acceleration);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetRotSpeed>& command) {
  archive.required("RotSpeed", command.speed);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetRotAccel>& command) {
  archive.required("RotAccel", command.acceleration);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetEndPoseTolerance>& command) {
  archive.required("Tolerance", command.tolerance);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetIntermediatePoseTolerance>& command) {
  archive.required("Tolerance", command.tolerance);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetDefaultJointPositionsTolerances>& command) {
  archive.group("JointTolerances", command.tolerances, "Setting");
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, SetMotionCoordination>& command) {
  archive.required("Coordinated", command.is_coordinated);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, LoopBlockStart>& command) {
  archive.required("LoopName", command.loop);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, LoopBlockEnd>& command) {
  archive.required("LoopName", command.loop);
  archive.required("MaxCount", command.max_count);
}

// --- envelopes
// ------------------------------------------------------------------------------------

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, Command>& command) {
  archive.name(command.name);
  archive.required("CommandID", command.id);
  archive.list("Guard", command.guards);
  std::visit(
      [&](auto& body) {
        // InitCanon and its like have no fields
        if constexpr (!std::is_empty_v<std::remove_cvref_t<decltype(body)>>) {
          list_fields(archive, body);
        }
      },
      command.body);
}

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, CommandInstance>& instance) {
  archive.name(instance.name);
  archive.required("CRCLCommand", instance.command);
  archive.optional("ProgramFile", instance.program_file);
  archive.optional("ProgramIndex", instance.program_index);
  archive.optional("ProgramLength", instance.program_length);
}

/// A program as the schema cuts it.
struct ProgramParts {
  std::string name;
  Command init;
  std::vector<Command> middle;
  Command end;
};

template <typename Archive>
void list_fields(Archive& archive, Of<Archive, ProgramParts>& program) {
  archive.name(program.name);
  archive.required("InitCanon", program.init);
  archive.list("MiddleCommand", program.middle);
  archive.required("EndCanon", program.end);
}

}  // namespace longarm::protocols::crcl
