// SPDX-License-Identifier: Apache-2.0
// Which function each CRCL command goes to.
#include "longarm/robots/crcl/actions.h"

#include <algorithm>
#include <cctype>
#include <type_traits>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

CrclActions::CrclActions(RobotPort& robot, const CrclDoorConfig& config, const Pose& X_WB)
    : robot_(robot), config_(config), X_WB_(X_WB), settings_(config) {}

struct CrclActions::Visitor {
  CrclActions& actions;
  CrclClient& client;

  using Outcome = Result<CrclStarted>;
  const CrclDialect& dialect() const { return client.dialect; }
  CrclSettings& settings() const { return actions.settings_; }

  Outcome operator()(const crcl::ActuateJoints& command) const {
    return actions.move_joints(command, dialect());
  }
  Outcome operator()(const crcl::MoveTo& command) const {
    return actions.move_through(command.is_straight, {command.end}, dialect());
  }
  Outcome operator()(const crcl::MoveThroughTo& command) const {
    if (command.number_of_positions != static_cast<std::int64_t>(command.waypoints.size())) {
      return Error{fmt::format("NumPositions is {}, but there are {} waypoints",
                               command.number_of_positions, command.waypoints.size())};
    }
    return actions.move_through(command.is_straight, command.waypoints, dialect());
  }
  Outcome operator()(const crcl::MoveScrew& command) const {
    return actions.move_screw(command, dialect());
  }
  Outcome operator()(const crcl::Dwell& command) const { return actions.dwell(command); }
  Outcome operator()(const crcl::OpenToolChanger&) const {
    return actions.change_tool(true, dialect());
  }
  Outcome operator()(const crcl::CloseToolChanger&) const {
    return actions.change_tool(false, dialect());
  }

  Outcome operator()(const crcl::SetEndEffector& command) const {
    return actions.set_end_effector(command.setting);
  }
  Outcome operator()(const crcl::SetEndEffectorParameters& command) const {
    return actions.set_end_effector(command.parameters);
  }
  Outcome operator()(const crcl::EnableGripper& command) const {
    return actions.enable_gripper(command.gripper, true, command.options);
  }
  Outcome operator()(const crcl::DisableGripper& command) const {
    return actions.enable_gripper(command.gripper, false, {});
  }

  Outcome operator()(const crcl::EnableSensor& command) const {
    return actions.enable_sensor(command.sensor, true, command.options);
  }
  Outcome operator()(const crcl::DisableSensor& command) const {
    return actions.enable_sensor(command.sensor, false, {});
  }
  Outcome operator()(const crcl::SetRobotParameters& command) const {
    return actions.set_robot_parameters(command.parameters, client);
  }
  Outcome operator()(const crcl::EnableRobotParameterStatus& command) const {
    return actions.report_parameter(command.parameter, true, client);
  }
  Outcome operator()(const crcl::DisableRobotParameterStatus& command) const {
    return actions.report_parameter(command.parameter, false, client);
  }
  Outcome operator()(const crcl::ConfigureJointReports& command) const {
    return actions.configure(command, client);
  }
  Outcome operator()(const crcl::ConfigureStatusReport& command) const {
    return actions.configure(command, client);
  }

  Outcome operator()(const crcl::SetLengthUnits& command) const {
    client.dialect.units.length = command.unit;
    return CrclStarted{};
  }
  Outcome operator()(const crcl::SetAngleUnits& command) const {
    client.dialect.units.angle = command.unit;
    return CrclStarted{};
  }
  Outcome operator()(const crcl::SetForceUnits& command) const {
    client.dialect.units.force = command.unit;
    return CrclStarted{};
  }
  Outcome operator()(const crcl::SetTorqueUnits& command) const {
    client.dialect.units.torque = command.unit;
    return CrclStarted{};
  }
  Outcome operator()(const crcl::SetTransSpeed& command) const {
    return actions.set_rate(command.speed, dialect().metres(), settings().speed);
  }
  Outcome operator()(const crcl::SetTransAccel& command) const {
    return actions.set_rate(command.acceleration, dialect().metres(), settings().acceleration);
  }
  Outcome operator()(const crcl::SetRotSpeed& command) const {
    return actions.set_rate(command.speed, dialect().radians(), settings().turn_speed);
  }
  Outcome operator()(const crcl::SetRotAccel& command) const {
    return actions.set_rate(command.acceleration, dialect().radians(),
                            settings().turn_acceleration);
  }
  Outcome operator()(const crcl::SetEndPoseTolerance& command) const {
    return actions.set_tolerance(command.tolerance, dialect(), settings().end_tolerance);
  }
  Outcome operator()(const crcl::SetIntermediatePoseTolerance& command) const {
    return actions.set_tolerance(command.tolerance, dialect(), settings().intermediate_tolerance);
  }
  Outcome operator()(const crcl::SetDefaultJointPositionsTolerances& command) const {
    const auto tolerances = actions.joint_tolerances(command.tolerances, dialect());
    if (!tolerances) {
      return tolerances.error();
    }
    for (const auto& [joint, tolerance] : *tolerances) {
      settings().joint_tolerances[joint] = tolerance;
    }
    return CrclStarted{};
  }
  Outcome operator()(const crcl::SetMotionCoordination& command) const {
    settings().is_coordinated = command.is_coordinated;
    return CrclStarted{};
  }

  Outcome operator()(const crcl::Message& command) const {
    constexpr std::size_t kMostBytes = 1000;  // kept for as long as the cell runs
    settings().message = command.text.substr(0, kMostBytes);
    return CrclStarted{};
  }
  Outcome operator()(const crcl::RunProgram&) const {
    return Error{"RunProgram: this controller has no native programming language"};
  }
  Outcome operator()(const crcl::LoopBlockStart&) const { return loop(); }
  Outcome operator()(const crcl::LoopBlockEnd&) const { return loop(); }
  static Outcome loop() {
    return Error{"a loop needs the commands it repeats: send it within a CRCLProgram"};
  }

  // the controller's own
  Outcome operator()(const crcl::InitCanon&) const { return CrclStarted{}; }
  Outcome operator()(const crcl::EndCanon&) const { return CrclStarted{}; }
  Outcome operator()(const crcl::StopMotion&) const { return CrclStarted{}; }
  Outcome operator()(const crcl::GetStatus&) const { return CrclStarted{}; }
};

Result<CrclStarted> CrclActions::start(const crcl::CommandBody& body, CrclClient& client) {
  return std::visit(Visitor{*this, client}, body);
}

bool CrclActions::needs_robot(const crcl::CommandBody& body) {
  return std::visit(
      [](const auto& command) {
        using Type = std::decay_t<decltype(command)>;
        return std::is_same_v<Type, crcl::ActuateJoints> || std::is_same_v<Type, crcl::MoveTo> ||
               std::is_same_v<Type, crcl::MoveThroughTo> || std::is_same_v<Type, crcl::MoveScrew> ||
               std::is_same_v<Type, crcl::SetEndEffector> ||
               std::is_same_v<Type, crcl::SetEndEffectorParameters> ||
               std::is_same_v<Type, crcl::OpenToolChanger> ||
               std::is_same_v<Type, crcl::CloseToolChanger>;
      },
      body);
}

CrclDialect CrclActions::usual_dialect() const {
  CrclDialect dialect;
  if (config_.is_lab()) {
    dialect.units.length = crcl::LengthUnit::kMillimeter;
    dialect.units.angle = crcl::AngleUnit::kDegree;
  }
  if (config_.frame == "world") {
    dialect.X_FB = X_WB_;
  }
  return dialect;
}

void CrclActions::welcome(CrclClient& client) const {
  client.dialect = usual_dialect();
  client.is_in_world_frame = config_.frame == "world";
  if (!config_.is_lab()) {
    return;
  }
  for (std::size_t i = 0; i < robot_.info().joint_limits.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i + 1);
    client.joint_reports[number] = {.joint = number, .with_position = true};
  }
}

void CrclActions::reset(CrclClient& client) {
  const std::string message = settings_.message;  // was shown, and stays so
  settings_ = CrclSettings(config_);
  settings_.message = message;
  const crcl::Units units = client.dialect.units;
  client.dialect = usual_dialect();
  if (config_.is_lab()) {
    client.dialect.units = units;
  }
  client.is_in_world_frame = config_.frame == "world";
  client.reports_models = false;
}

std::string to_name_token(std::string_view name) {
  std::string token(name.empty() ? "_" : name);
  std::replace_if(
      token.begin(), token.end(),
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
               std::string_view("._-:").find(c) == std::string_view::npos;
      },
      '_');
  return token;
}

}  // namespace longarm::robots
