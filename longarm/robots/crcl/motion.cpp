// SPDX-License-Identifier: Apache-2.0
// CRCL commands that move the arm, or wait.
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "longarm/robots/crcl/actions.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

Result<CrclStarted> moving(const Result<Duration>& planned, const CrclDialect& dialect) {
  if (!planned) {
    return Error{dialect.to_client(planned.error().message)};
  }
  return CrclStarted{CrclWait::kMotion, *planned};
}

}  // namespace

Result<std::size_t> CrclActions::joint(std::int32_t number) const {
  const std::size_t count = robot_.info().joint_limits.size();
  if (number < 1 || static_cast<std::size_t>(number) > count) {
    return Error{fmt::format("there is no joint {}; joints are 1 to {}", number, count)};
  }
  return static_cast<std::size_t>(number) - 1;
}

Result<std::map<std::size_t, double>> CrclActions::joint_tolerances(
    const std::vector<crcl::JointTolerance>& given, const CrclDialect& dialect) const {
  std::map<std::size_t, double> tolerances;
  for (const crcl::JointTolerance& tolerance : given) {
    const Result<std::size_t> index = joint(tolerance.joint);
    if (!index) {
      return index.error();
    }
    const double value =
        tolerance.tolerance * dialect.joint_position(robot_.info().is_prismatic[*index]);
    if (!(value > 0.0) || !std::isfinite(value)) {
      return Error{fmt::format("the tolerance of joint {} must be above 0", tolerance.joint)};
    }
    tolerances[*index] = value;
  }
  return tolerances;
}

Result<CrclStarted> CrclActions::move_joints(const crcl::ActuateJoints& command,
                                             const CrclDialect& dialect) {
  std::map<std::size_t, double> tolerances = settings_.joint_tolerances;
  if (command.tolerances) {
    const auto given = joint_tolerances(*command.tolerances, dialect);
    if (!given) {
      return given.error();
    }
    for (const auto& [index, tolerance] : *given) {
      tolerances[index] = tolerance;
    }
  }
  const auto scaled = [](const std::optional<double>& value, double unit) {
    return value ? std::optional<double>(*value * unit) : std::nullopt;
  };
  std::vector<JointGoal> goals;
  std::vector<JointPush> pushes;
  std::set<std::size_t> seen;
  for (const crcl::JointActuation& actuation : command.joints) {
    const Result<std::size_t> index = joint(actuation.joint);
    if (!index) {
      return index.error();
    }
    if (!seen.insert(*index).second) {
      return Error{fmt::format("joint {} is named twice", actuation.joint)};
    }
    const bool is_prismatic = robot_.info().is_prismatic[*index];
    const double unit = dialect.joint_position(is_prismatic);
    if (const auto* push = std::get_if<crcl::JointForceTorque>(&actuation.details)) {
      if (!push->setting) {
        return Error{fmt::format("joint {} has no force or torque to apply", actuation.joint)};
      }
      const double effort_unit = dialect.joint_effort(is_prismatic);
      pushes.push_back({.joint = *index,
                        .effort = *push->setting * effort_unit,
                        .change_rate = scaled(push->change_rate, effort_unit)});
      continue;
    }
    const auto& details = std::get<crcl::JointSpeedAccel>(actuation.details);
    for (const std::optional<double>& rate : {details.speed, details.acceleration}) {
      if (rate && !(*rate > 0.0)) {
        return Error{
            fmt::format("the speed and acceleration of joint {} must be above 0", actuation.joint)};
      }
    }
    JointGoal goal{.joint = *index,
                   .position = actuation.position * unit,
                   .speed = scaled(details.speed, unit),
                   .acceleration = scaled(details.acceleration, unit),
                   .tolerance = std::nullopt};
    if (const auto found = tolerances.find(*index); found != tolerances.end()) {
      goal.tolerance = found->second;
    }
    goals.push_back(goal);
  }
  return moving(robot_.move_joints(goals, pushes), dialect);
}

Result<CrclStarted> CrclActions::move_through(bool is_straight,
                                              const std::vector<crcl::Waypoint>& waypoints,
                                              const CrclDialect& dialect) {
  CartesianMotion motion{.is_straight = is_straight, .goals = {}};
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    const bool is_last = i + 1 == waypoints.size();
    const Result<MotionGoal> goal =
        to_goal(waypoints[i], is_last ? settings_.end_tolerance : settings_.intermediate_tolerance,
                settings_, dialect, robot_.info().fastest);
    if (!goal) {
      return Error{waypoints.size() == 1
                       ? goal.error().message
                       : fmt::format("waypoint {}: {}", i + 1, goal.error().message)};
    }
    motion.goals.push_back(*goal);
  }
  return moving(robot_.move(motion), dialect);
}

Result<CrclStarted> CrclActions::move_screw(const crcl::MoveScrew& command,
                                            const CrclDialect& dialect) {
  ScrewMotion motion{.start = std::nullopt,
                     .p_BA = std::nullopt,
                     .free_m = command.free_distance.value_or(0.0) * dialect.metres(),
                     .screw_m = command.screw_distance * dialect.metres(),
                     .turn_rad = command.turn * dialect.radians(),
                     .limits = settings_.limits(robot_.info().fastest)};
  if (command.start) {
    const Result<MotionGoal> start =
        to_goal(*command.start, settings_.end_tolerance, settings_, dialect, robot_.info().fastest);
    if (!start) {
      return Error{"StartPosition: " + start.error().message};
    }
    motion.start = *start;
  }
  if (command.axis_point) {
    motion.p_BA = dialect.to_robot(*command.axis_point);
  }
  return moving(robot_.move(motion), dialect);
}

Result<CrclStarted> CrclActions::change_tool(bool opens, const CrclDialect& dialect) {
  if (settings_.tool_changer_is_gripper) {
    return set_end_effector(opens ? 1.0 : 0.0);
  }
  const Result<bool> changed = opens ? robot_.release_tool() : robot_.take_tool();
  if (!changed) {
    return Error{dialect.to_client(changed.error().message)};
  }
  return CrclStarted{};
}

Result<CrclStarted> CrclActions::dwell(const crcl::Dwell& command) const {
  constexpr double kLongest_s = 86400.0;  // a day: more is a mistake, or a trick
  if (!(command.time_s >= 0.0 && command.time_s <= kLongest_s)) {
    return Error{"DwellTime must be from 0 to 86400 s"};
  }
  return CrclStarted{CrclWait::kTime,
                     Duration(static_cast<Duration::rep>(std::llround(command.time_s * 1e9)))};
}

}  // namespace longarm::robots
