// SPDX-License-Identifier: Apache-2.0
// Collects them from a cell that is complete.
#include "longarm/actors/ros_hello.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "longarm/actors/goal_input.h"
#include "longarm/cell/world.h"
#include "longarm/core/suggest.h"
#include "longarm/model/urdf_writer.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;

const model::BodyTree& tree_of(const model::Cell& cell, const RosRobot& robot) {
  return cell.placements[static_cast<std::size_t>(robot.placement)].tree;
}

}  // namespace

std::vector<RosRobot> ros_robots(const model::Cell& cell, const cell::CellConfig& config,
                                 const std::vector<std::string>& arms) {
  std::vector<RosRobot> robots;
  for (const cell::ActorEntry& actor : config.actors) {
    std::vector<std::string> models = actor.model->drives();
    for (const model::Placement& brought : actor.model->brings()) {
      models.push_back(brought.name);
    }
    for (const std::string& name : models) {
      const std::optional<int> placement = cell::find_placement(cell, name);
      const auto is_same = [&](const RosRobot& each) { return each.placement == *placement; };
      if (!placement || std::any_of(robots.begin(), robots.end(), is_same) ||
          cell.placements[static_cast<std::size_t>(*placement)].tree.joints.empty()) {
        continue;
      }
      RosRobot robot{models.size() == 1 ? actor.name : name, *placement};
      robot.quoted = Json(robot.name).dump();
      const auto arm = std::find(arms.begin(), arms.end(), actor.name);
      if (arm != arms.end()) {
        robot.goal_arm = static_cast<int>(arm - arms.begin());
        robot.goal_joints = dynamic_cast<const GoalTaker&>(*actor.model).goal_joints();
      }
      robots.push_back(std::move(robot));
    }
  }
  return robots;
}

cell::CellFrames ros_frames(const model::Cell& cell, const std::vector<RosRobot>& robots) {
  return {cell, robots.size() == 1 ? robots.front().placement : -1};
}

Json robots_json(const model::Cell& cell, const std::vector<RosRobot>& robots) {
  Json out = Json::array();
  for (const RosRobot& robot : robots) {
    const model::BodyTree& tree = tree_of(cell, robot);
    Json driven = Json::array();
    for (const int joint : robot.goal_joints) {
      driven.push_back(tree.joints[static_cast<std::size_t>(joint)].name);
    }
    const std::string& placement = cell.placements[static_cast<std::size_t>(robot.placement)].name;
    out.push_back({{"name", robot.name},
                   {"joints", names_of(tree.joints)},
                   {"driven", std::move(driven)},
                   {"prefix", robots.size() == 1 ? "" : placement + "/"},
                   {"accepts", robot.goal_arm < 0 ? Json::array()
                                                  : Json{"trajectory", "velocity", "position"}},
                   {"description", model::write_urdf(tree)}});
  }
  return out;
}

Json frames_json(const std::vector<record::FramePlace>& frames, bool with_places) {
  Json out = Json::array();
  for (const record::FramePlace& frame : frames) {
    Json row{frame.parent, frame.child};
    if (with_places) {
      for (const double number :
           {frame.X_PC.translation_m.x(), frame.X_PC.translation_m.y(),
            frame.X_PC.translation_m.z(), frame.X_PC.rotation.x(), frame.X_PC.rotation.y(),
            frame.X_PC.rotation.z(), frame.X_PC.rotation.w()}) {
        row.push_back(number);
      }
    }
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace longarm::actors
