// SPDX-License-Identifier: Apache-2.0
// CRCL commands that set rates, tolerances and parameters, and what a client wants to hear.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "longarm/robots/crcl/actions.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

/// All that can be reported; the last two cannot be set.
constexpr std::array<std::string_view, 5> kParameters{"frame", "reportModels", "toolChanger",
                                                      "message", "fault"};
constexpr std::size_t kSettable = 3;

Error unknown_parameter(const std::string& name, std::size_t count) {
  std::string known;
  for (std::size_t i = 0; i < count; ++i) {
    known += (i == 0 ? "" : ", ") + std::string(kParameters[i]);
  }
  return Error{fmt::format("unknown robot parameter '{}'; valid names are: {}", name, known)};
}

/// What each parameter may be set to.
bool is_allowed(const crcl::Parameter& parameter) {
  if (parameter.name == "frame") {
    return parameter.value == "world" || parameter.value == "robot";
  }
  if (parameter.name == "reportModels") {
    return parameter.value == "true" || parameter.value == "false";
  }
  return parameter.value == "tool" || parameter.value == "gripper";
}

std::string_view allowed_values(std::string_view name) {
  return name == "frame"          ? "world or robot"
         : name == "reportModels" ? "true or false"
                                  : "tool or gripper";
}

}  // namespace

Result<CrclStarted> CrclActions::set_rate(const crcl::Rate& rate, double unit, CrclRate& target) {
  const Result<CrclRate> value = to_rate(rate, unit);
  if (!value) {
    return value.error();
  }
  target = *value;
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::set_tolerance(const crcl::PoseTolerance& tolerance,
                                               const CrclDialect& dialect, GoalTolerance& target) {
  const Result<GoalTolerance> value = to_tolerance(tolerance, dialect);
  if (!value) {
    return value.error();
  }
  target = *value;
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::enable_sensor(const std::string& id, bool is_enabled,
                                               const std::vector<crcl::Parameter>& options) {
  const std::vector<SensorReading> readings = robot_.sensors();
  std::set<std::string> known;
  for (const SensorReading& reading : readings) {
    known.insert(reading.id);
  }
  if (!known.contains(id)) {
    return Error{
        fmt::format("unknown sensor '{}'; valid names are: {}", id, fmt::join(known, ", "))};
  }
  if (!is_enabled) {
    settings_.sensors.erase(id);
    return CrclStarted{};
  }
  settings_.sensors[id].options = options;
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::set_robot_parameters(const std::vector<crcl::Parameter>& given,
                                                      CrclClient& client) {
  // all are looked at before any is set
  for (const crcl::Parameter& parameter : given) {
    const auto end = kParameters.begin() + kSettable;
    if (std::find(kParameters.begin(), end, parameter.name) == end) {
      return unknown_parameter(parameter.name, kSettable);
    }
    if (!is_allowed(parameter)) {
      return Error{fmt::format("robot parameter {} must be {}, not '{}'", parameter.name,
                               allowed_values(parameter.name), parameter.value)};
    }
  }
  for (const crcl::Parameter& parameter : given) {
    if (parameter.name == "frame") {
      client.is_in_world_frame = parameter.value == "world";
      client.dialect.X_FB = client.is_in_world_frame ? X_WB_ : Pose::Identity();
    } else if (parameter.name == "reportModels") {
      client.reports_models = parameter.value == "true";
    } else {
      settings_.tool_changer_is_gripper = parameter.value == "gripper";
    }
  }
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::report_parameter(const std::string& name, bool is_reported,
                                                  CrclClient& client) const {
  if (std::find(kParameters.begin(), kParameters.end(), name) == kParameters.end()) {
    return unknown_parameter(name, kParameters.size());
  }
  if (is_reported) {
    client.parameter_reports.insert(name);
  } else {
    client.parameter_reports.erase(name);
  }
  return CrclStarted{};
}

std::string CrclActions::parameter(std::string_view name, const CrclClient& client) const {
  if (name == "frame") {
    return client.is_in_world_frame ? "world" : "robot";
  }
  if (name == "reportModels") {
    return client.reports_models ? "true" : "false";
  }
  if (name == "toolChanger") {
    return settings_.tool_changer_is_gripper ? "gripper" : "tool";
  }
  return name == "fault" ? robot_.fault() : settings_.message;
}

Result<CrclStarted> CrclActions::configure(const crcl::ConfigureJointReports& command,
                                           CrclClient& client) const {
  std::int32_t last = 0;
  for (const crcl::JointReport& report : command.reports) {
    if (const auto index = joint(report.joint); !index) {
      return index.error();
    }
    if (report.joint <= last) {
      return Error{"joint numbers must ascend, each at most once"};
    }
    last = report.joint;
  }
  if (command.resets_all) {
    client.joint_reports.clear();
  }
  for (const crcl::JointReport& report : command.reports) {
    client.joint_reports[report.joint] = report;
  }
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::configure(const crcl::ConfigureStatusReport& command,
                                           CrclClient& client) const {
  const crcl::ConfigureStatusReport before = client.reports;
  client.reports = command;
  if (!command.with_sensors) {
    client.reports.with_sensors = before.with_sensors;
  }
  if (!command.with_guards) {
    client.reports.with_guards = before.with_guards;
  }
  return CrclStarted{};
}

}  // namespace longarm::robots
