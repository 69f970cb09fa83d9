// SPDX-License-Identifier: Apache-2.0
// What a ROS program is told first: the robots of a cell, its frames, what can be asked of it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/cell_config.h"
#include "longarm/cell/cell_frames.h"
#include "longarm/model/cell.h"

namespace longarm::actors {

/// A model of the cell with joints that an actor drives.
struct RosRobot {
  std::string name;  ///< of the actor
  int placement = 0;
  std::vector<int> goal_joints{};  ///< that goals are about; empty: it takes none
  int goal_arm = -1;               ///< which one of those that take goals; -1: none
  std::string quoted{};            ///< its name, as JSON has it
};

/// All robots of a cell, in the order of its actors; `arms` take goals.
std::vector<RosRobot> ros_robots(const model::Cell& cell, const cell::CellConfig& config,
                                 const std::vector<std::string>& arms);

/// Frames of an only robot keep their names, those of others get the robot's in front.
cell::CellFrames ros_frames(const model::Cell& cell, const std::vector<RosRobot>& robots);

/// Robots and frames, as the first line has them.
nlohmann::ordered_json robots_json(const model::Cell& cell, const std::vector<RosRobot>& robots);
nlohmann::ordered_json frames_json(const std::vector<record::FramePlace>& frames, bool with_places);

}  // namespace longarm::actors
