// SPDX-License-Identifier: Apache-2.0
// Every CRCL command as a plain struct, and the two documents that carry commands.
#pragma once

#include <variant>

#include "longarm/protocols/crcl/data.h"

namespace longarm::protocols::crcl {

// clang-format off
struct InitCanon { bool operator==(const InitCanon&) const = default; };
struct EndCanon { bool operator==(const EndCanon&) const = default; };
struct GetStatus { bool operator==(const GetStatus&) const = default; };
struct OpenToolChanger { bool operator==(const OpenToolChanger&) const = default; };
struct CloseToolChanger { bool operator==(const CloseToolChanger&) const = default; };
// clang-format on

// --- motion
// ---------------------------------------------------------------------------------------

struct JointSpeedAccel {
  std::optional<double> speed;
  std::optional<double> acceleration;
  bool operator==(const JointSpeedAccel&) const = default;
};

struct JointForceTorque {
  std::optional<double> setting;
  std::optional<double> change_rate;
  bool operator==(const JointForceTorque&) const = default;
};

struct JointActuation {
  std::int32_t joint = 0;  ///< from 1
  double position = 0.0;
  std::variant<JointSpeedAccel, JointForceTorque> details;
  bool operator==(const JointActuation&) const = default;
};

struct ActuateJoints {
  std::vector<JointActuation> joints;
  std::optional<std::vector<JointTolerance>> tolerances;
  bool operator==(const ActuateJoints&) const = default;
};

struct MoveTo {
  bool is_straight = false;
  Waypoint end;
  bool operator==(const MoveTo&) const = default;
};

/// `number_of_positions` is the client's claim; whether it is true is for the session to say.
struct MoveThroughTo {
  bool is_straight = false;
  std::vector<Waypoint> waypoints;
  std::int32_t number_of_positions = 0;
  bool operator==(const MoveThroughTo&) const = default;
};

struct MoveScrew {
  std::optional<Waypoint> start;
  std::optional<Point> axis_point;
  std::optional<double> free_distance;
  double screw_distance = 0.0;
  double turn = 0.0;
  bool operator==(const MoveScrew&) const = default;
};

enum class StopCondition { kImmediate, kFast, kNormal };
template <>
inline constexpr std::array<std::string_view, 3> kNames<StopCondition>{"Immediate", "Fast",
                                                                       "Normal"};
struct StopMotion {
  StopCondition condition = StopCondition::kImmediate;
  bool operator==(const StopMotion&) const = default;
};

struct Dwell {
  double time_s = 0.0;  ///< seconds, whatever the units
  bool operator==(const Dwell&) const = default;
};

// --- words, programs, parameters
// ------------------------------------------------------------------

struct Message {
  std::string text;
  bool operator==(const Message&) const = default;
};

struct RunProgram {
  std::string text;
  bool operator==(const RunProgram&) const = default;
};

struct SetRobotParameters {
  std::vector<Parameter> parameters;
  bool operator==(const SetRobotParameters&) const = default;
};

// --- end effector, sensors
// ------------------------------------------------------------------------

struct SetEndEffector {
  double setting = 0.0;  ///< 0 … 1
  bool operator==(const SetEndEffector&) const = default;
};

struct SetEndEffectorParameters {
  std::vector<Parameter> parameters;
  bool operator==(const SetEndEffectorParameters&) const = default;
};

struct EnableGripper {
  std::string gripper;
  std::vector<Parameter> options;
  bool operator==(const EnableGripper&) const = default;
};

struct DisableGripper {
  std::string gripper;
  bool operator==(const DisableGripper&) const = default;
};

struct EnableSensor {
  std::string sensor;
  std::vector<Parameter> options;
  bool operator==(const EnableSensor&) const = default;
};

struct DisableSensor {
  std::string sensor;
  bool operator==(const DisableSensor&) const = default;
};

// --- what is reported
// -----------------------------------------------------------------------------

struct EnableRobotParameterStatus {
  std::string parameter;
  bool operator==(const EnableRobotParameterStatus&) const = default;
};

struct DisableRobotParameterStatus {
  std::string parameter;
  bool operator==(const DisableRobotParameterStatus&) const = default;
};

struct JointReport {
  std::int32_t joint = 0;  ///< from 1
  bool with_position = false;
  bool with_torque_or_force = false;
  bool with_velocity = false;
  bool operator==(const JointReport&) const = default;
};

struct ConfigureJointReports {
  bool resets_all = false;
  std::vector<JointReport> reports;
  bool operator==(const ConfigureJointReports&) const = default;
};

/// Older clients send the first four flags only; the others then are absent, and stay as they were.
struct ConfigureStatusReport {
  bool with_joints = false;
  bool with_pose = false;
  bool with_gripper = false;
  bool with_settings = false;
  std::optional<bool> with_sensors = false;
  std::optional<bool> with_guards = false;
  bool operator==(const ConfigureStatusReport&) const = default;
};

// --- settings
// -------------------------------------------------------------------------------------

struct SetLengthUnits {
  LengthUnit unit = LengthUnit::kMeter;
  bool operator==(const SetLengthUnits&) const = default;
};

struct SetAngleUnits {
  AngleUnit unit = AngleUnit::kRadian;
  bool operator==(const SetAngleUnits&) const = default;
};

struct SetForceUnits {
  ForceUnit unit = ForceUnit::kNewton;
  bool operator==(const SetForceUnits&) const = default;
};

struct SetTorqueUnits {
  TorqueUnit unit = TorqueUnit::kNewtonMeter;
  bool operator==(const SetTorqueUnits&) const = default;
};

struct SetTransSpeed {
  Rate speed;
  bool operator==(const SetTransSpeed&) const = default;
};

struct SetTransAccel {
  Rate acceleration;
  bool operator==(const SetTransAccel&) const = default;
};

struct SetRotSpeed {
  Rate speed;
  bool operator==(const SetRotSpeed&) const = default;
};

struct SetRotAccel {
  Rate acceleration;
  bool operator==(const SetRotAccel&) const = default;
};

struct SetEndPoseTolerance {
  PoseTolerance tolerance;
  bool operator==(const SetEndPoseTolerance&) const = default;
};

struct SetIntermediatePoseTolerance {
  PoseTolerance tolerance;
  bool operator==(const SetIntermediatePoseTolerance&) const = default;
};

struct SetDefaultJointPositionsTolerances {
  std::vector<JointTolerance> tolerances;
  bool operator==(const SetDefaultJointPositionsTolerances&) const = default;
};

struct SetMotionCoordination {
  bool is_coordinated = false;
  bool operator==(const SetMotionCoordination&) const = default;
};

// --- loops: schema of 2021, read but never written
// ------------------------------------------------

struct LoopBlockStart {
  std::string loop;
  bool operator==(const LoopBlockStart&) const = default;
};

struct LoopBlockEnd {
  std::string loop;
  std::int32_t max_count = 0;
  bool operator==(const LoopBlockEnd&) const = default;
};

// --- envelopes
// ------------------------------------------------------------------------------------

using CommandBody =
    std::variant<InitCanon, EndCanon, ActuateJoints, MoveTo, MoveThroughTo, MoveScrew, StopMotion,
                 Dwell, GetStatus, Message, RunProgram, SetEndEffector, SetEndEffectorParameters,
                 SetRobotParameters, OpenToolChanger, CloseToolChanger, EnableGripper,
                 DisableGripper, EnableSensor, DisableSensor, EnableRobotParameterStatus,
                 DisableRobotParameterStatus, ConfigureJointReports, ConfigureStatusReport,
                 SetLengthUnits, SetAngleUnits, SetForceUnits, SetTorqueUnits, SetTransSpeed,
                 SetTransAccel, SetRotSpeed, SetRotAccel, SetEndPoseTolerance,
                 SetIntermediatePoseTolerance, SetDefaultJointPositionsTolerances,
                 SetMotionCoordination, LoopBlockStart, LoopBlockEnd>;

/// `name` is the client's, empty if it gave none. Names of what is inside a command are read over.
struct Command {
  std::int64_t id = 0;
  std::string name;
  std::vector<Guard> guards;
  CommandBody body;
  bool operator==(const Command&) const = default;
};

/// The document a client sends: one command, and where in which program it stands.
struct CommandInstance {
  std::string name;
  Command command;
  std::optional<std::string> program_file;
  std::optional<std::int32_t> program_index;  ///< 0 is InitCanon
  std::optional<std::int32_t> program_length;
  bool operator==(const CommandInstance&) const = default;
};

/// The document a file holds: InitCanon first, EndCanon last.
struct Program {
  std::string name;
  std::vector<Command> commands;
  bool operator==(const Program&) const = default;
};

}  // namespace longarm::protocols::crcl
