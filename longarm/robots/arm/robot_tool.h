// SPDX-License-Identifier: Apache-2.0
// What is at a robot's flange: a gripper that is part of its model, or whatever its tool changer
// holds.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/arm/robot_gripper.h"

namespace longarm::robots {

/// Moves the arm's controlled point along with the tool.
class RobotTool {
 public:
  /// Borrows engine, cell and arm. A tool that the robot starts with is put to its flange.
  RobotTool(physics::Engine& engine, const model::Cell& cell, int placement, RobotArm& arm,
            const RobotConfig& config, Duration period);

  RobotGripper& gripper();
  const RobotGripper& gripper() const;

  Result<bool> take();
  Result<bool> release();

  /// Whatever moves with the flange, the arm's last body first.
  const std::vector<physics::BodyId>& bodies() const { return bodies_; }

  void before_step();
  void after_step();

 private:
  /// One that can be coupled.
  struct Tool {
    std::string name;
    physics::BodyId root{};
    std::vector<physics::BodyId> bodies;
    Pose X_RT = Pose::Identity();  ///< its `tcp`
    std::unique_ptr<RobotGripper> gripper;
  };

  void add_tool(const model::Cell& cell, const std::string& name, Duration period);
  void set_collisions(const Tool& tool, std::span<const physics::BodyId> own, bool enabled);
  void couple(std::size_t number);
  Pose X_FR(const Tool& tool) const;
  bool is_within_reach(const Tool& tool) const;

  physics::Engine& engine_;
  RobotArm& arm_;
  RobotConfig config_;
  std::unique_ptr<RobotGripper> built_in_;
  std::vector<Tool> tools_;
  std::optional<std::size_t> mounted_;
  physics::AttachmentId coupling_{};
  std::vector<physics::BodyId> bodies_;
};

/// That of the tool which is part of the model, else the flange.
void set_first_controlled_point(RobotArm& arm, const model::BodyTree& tree,
                                const RobotConfig& config);

/// The number of a placement; throws InputError if the cell has none of that name.
int find_placement(const model::Cell& cell, const std::string& name);

}  // namespace longarm::robots
