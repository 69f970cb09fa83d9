// SPDX-License-Identifier: Apache-2.0
// The one list of a robot's keys, and its judge.
#include "longarm/robots/arm/robot_config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/arm/robot_tool.h"
#include "longarm/robots/config_judge.h"

namespace longarm::robots {
namespace {

using network::KeyRemark;

void judge_numbers(const RobotConfig& c, ConfigJudge& judge) {
  judge.positive("speed_m_s", c.fastest.speed_m_s, "1");
  judge.positive("acceleration_m_s2", c.fastest.acceleration_m_s2, "5");
  judge.positive("turn_speed_rad_s", c.fastest.turn_speed_rad_s, "3");
  judge.positive("turn_acceleration_rad_s2", c.fastest.turn_acceleration_rad_s2, "20");
  judge.positive("joint_acceleration", c.joint_acceleration, "20");
  judge.positive("servo_gain", c.servo_gain, "100");
  judge.positive("tolerance_m", c.tolerance_m, "0.0005");
  judge.positive("tolerance_rad", c.tolerance_rad, "0.0087");
  judge.positive("overload_N", c.overload_N, "1000");
  judge.positive("tool_changer.reach_m", c.tool_changer.reach_m, "0.02");
  judge.positive("tool_changer.reach_rad", c.tool_changer.reach_rad, "0.1");
  if (c.settle < Duration{0} || c.goal_timeout <= c.settle) {
    judge.refuse("goal_timeout", "goal_timeout must be longer than settle",
                 "settle: 10ms and goal_timeout: 1s are usual");
  }
}

void judge_home(const RobotConfig& c, const RobotArm& arm, ConfigJudge& judge) {
  if (c.home.empty()) {
    return;
  }
  if (c.home.size() != arm.joint_count()) {
    judge.refuse("home",
                 fmt::format("home has {} joint positions, but the arm has {} joints",
                             c.home.size(), arm.joint_count()),
                 "give one position per joint, in rad");
  } else if (!arm.is_within_limits(c.home)) {
    judge.refuse("home", "home is beyond the limits of a joint", "longarm lint shows them");
  }
}

void judge_tools(const RobotConfig& c, const model::Cell& cell, ConfigJudge& judge) {
  const std::vector<std::string>& tools = c.tool_changer.tools;
  for (const std::string& name : tools) {
    try {
      if (cell.placements[static_cast<std::size_t>(find_placement(cell, name))].is_fixed) {
        judge.refuse("tool_changer.tools", fmt::format("'{}' is fixed to the world", name),
                     "a tool must be a free body");
      }
    } catch (const InputError& error) {
      judge.refuse("tool_changer.tools", error);
    }
  }
  const std::string& mounted = c.tool_changer.mounted;
  if (!mounted.empty() && std::find(tools.begin(), tools.end(), mounted) == tools.end()) {
    judge.refuse("tool_changer.mounted", fmt::format("'{}' is not one of the tools", mounted),
                 "add it to tool_changer.tools");
  }
}

}  // namespace

control::GripperConfig usual_gripper() {
  control::GripperConfig config;
  config.force_N = 10.0;
  config.open_force_N = 10.0;
  return config;
}

void list_fields(Fields& fields, ToolChangerConfig& c) {
  fields.field("tools", c.tools, "models of the world that can be coupled; empty: no tool changer");
  fields.field("mounted", c.mounted, "tool mounted at the start; empty: none");
  fields.field("reach_m", c.reach_m,
               "largest distance from the flange at which a tool can be coupled");
  fields.field("reach_rad", c.reach_rad,
               "largest angle from the flange at which a tool can be coupled");
}

void list_fields(Fields& fields, RobotConfig& c) {
  fields.field("drives", c.placement, "model of the world to drive; default: the actor's name");
  fields.field("flange", c.flange, "frame of the model that tools are mounted on");
  fields.field("tool_frame", c.tool_frame, "frame of the model that motions control");
  fields.field("home", c.home, "joint positions at the start, in rad; default: those of the world");
  fields.field("speed_m_s", c.fastest.speed_m_s, "value of 100 %");
  fields.field("acceleration_m_s2", c.fastest.acceleration_m_s2, "value of 100 %");
  fields.field("turn_speed_rad_s", c.fastest.turn_speed_rad_s, "value of 100 %");
  fields.field("turn_acceleration_rad_s2", c.fastest.turn_acceleration_rad_s2, "value of 100 %");
  fields.field("joint_acceleration", c.joint_acceleration, "acceleration of every joint, rad/s²");
  fields.field("servo_gain", c.servo_gain, "gain of the position servo, 1/s");
  fields.field("tolerance_m", c.tolerance_m, "default tolerance of goals");
  fields.field("tolerance_rad", c.tolerance_rad, "default tolerance of goals");
  fields.field("settle", c.settle, "time within tolerance after which a goal is reached");
  fields.field("goal_timeout", c.goal_timeout,
               "time after its planned end at which a motion has failed");
  fields.field(
      "overload_N", c.overload_N,
      "force at the wrist above which the robot stops with a fault and engages its brakes");
  fields.section("gripper", "how fingers are driven",
                 [&](Fields& f) { control::list_fields(f, c.gripper); });
  fields.section("vacuum", "suction cup, if its tool has one",
                 [&](Fields& f) { control::list_fields(f, c.vacuum); });
  fields.section("tool_changer", "coupling at the flange and the tools that fit it",
                 [&](Fields& f) { list_fields(f, c.tool_changer); });
}

std::vector<KeyRemark> judge_robot(const RobotConfig& config, const model::Cell& cell,
                                   const std::string& prefix) {
  ConfigJudge judge(prefix);
  judge_numbers(config, judge);
  judge.add(control::judge_gripper(config.gripper, prefix + "gripper."));
  judge_tools(config, cell, judge);
  try {
    const int placement = find_placement(cell, config.placement);
    if (!cell.placements[static_cast<std::size_t>(placement)].is_fixed) {
      judge.refuse("drives", fmt::format("'{}' is not fixed to the world", config.placement),
                   "fix the base of the robot to the world");
    }
    try {
      judge_home(config, RobotArm(cell, placement, config.flange), judge);
    } catch (const InputError& error) {
      judge.refuse("flange", error);
    }
  } catch (const InputError& error) {
    judge.refuse("drives", error);
  }
  return std::move(judge).remarks();
}

}  // namespace longarm::robots
