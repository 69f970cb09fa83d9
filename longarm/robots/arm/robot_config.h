// SPDX-License-Identifier: Apache-2.0
// The settings of a robot, with their defaults, and what is wrong with them.
#pragma once

#include <string>
#include <vector>

#include "longarm/control/gripper/gripper_config.h"
#include "longarm/control/gripper/vacuum.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/network/link.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// A coupling at the flange, and what can be coupled to it. Without tools there is none.
struct ToolChangerConfig {
  std::vector<std::string> tools;  ///< placements of their own, which stand about freely
  std::string mounted;             ///< which of them the robot starts with; empty: none
  double reach_m = 0.02;           ///< how far a tool's root may be from the flange to be taken
  double reach_rad = 0.1;          ///< and by how much turned
};
void list_fields(Fields& fields, ToolChangerConfig& config);

/// 10 N a finger: 2·0.8·10 N hold 0.4 N of gear forty times over.
control::GripperConfig usual_gripper();

/// A robot is one placement of a cell: an arm, and either the gripper that is part of its model or
/// a tool changer.
struct RobotConfig {
  std::string placement;              ///< of the cell, e.g. "fanuc"
  std::string flange = "arm::tool0";  ///< frame that tools are mounted on, z out
  std::string tool_frame =
      "gripper::tcp";        ///< controlled point; a tool changer's tools have a `tcp`
  std::vector<double> home;  ///< joint positions it starts at; empty: those of the world
  SpeedLimits fastest{1.0, 5.0, 3.0, 20.0};
  double joint_acceleration = 20.0;  ///< rad/s², of every joint
  double servo_gain = 100.0;         ///< 1/s, of the position servo
  double tolerance_m = 5e-4;         ///< of goals that ask for none
  double tolerance_rad = 8.7e-3;
  Duration settle{10'000'000};           ///< so long within tolerance is done
  Duration goal_timeout{1'000'000'000};  ///< after the end of the plan
  double overload_N = 1000.0;            ///< at the wrist; more is a fault
  control::GripperConfig gripper = usual_gripper();
  control::VacuumConfig vacuum{.radius_m = 0.009};
  ToolChangerConfig tool_changer;
};
void list_fields(Fields& fields, RobotConfig& config);

/// Everything in it that makes no sense, by itself and in this cell; keys begin with `prefix`.
std::vector<network::KeyRemark> judge_robot(const RobotConfig& config, const model::Cell& cell,
                                            const std::string& prefix);

}  // namespace longarm::robots
