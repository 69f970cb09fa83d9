// SPDX-License-Identifier: Apache-2.0
// The joints and the tool of a robot, as its controller sees and moves them.
#pragma once

#include <cstddef>
#include <vector>

#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/arm/robot_config.h"
#include "longarm/robots/arm/robot_gripper.h"
#include "longarm/robots/arm/robot_tool.h"

namespace longarm::robots {

/// Joints are those of the arm, in its order. What is told acts from the next step on, until
/// something else is.
class RobotHardware {
 public:
  virtual ~RobotHardware() = default;

  virtual JointState joint(std::size_t joint) const = 0;
  std::vector<double> positions() const;
  virtual std::size_t joint_count() const = 0;
  /// What the tool feels at the wrist, in the base.
  virtual physics::Wrench wrench_B() const = 0;

  /// By the position servo: the joint should be at `reference` now, and goes on with `velocity`.
  virtual void follow(std::size_t joint, double reference, double velocity) = 0;
  virtual void push(std::size_t joint, double effort) = 0;
  /// All of them.
  virtual void brake() = 0;

  virtual RobotGripper& gripper() = 0;
  virtual const RobotGripper& gripper() const = 0;
  virtual Result<bool> take_tool() = 0;
  virtual Result<bool> release_tool() = 0;
};

/// In the engine.
class EngineHardware final : public RobotHardware {
 public:
  /// Borrows engine, cell and arm, and puts the arm's joints at home.
  EngineHardware(physics::Engine& engine, const model::Cell& cell, RobotArm& arm,
                 const RobotConfig& config, Duration period);

  JointState joint(std::size_t joint) const override;
  std::size_t joint_count() const override { return arm_.joint_count(); }
  physics::Wrench wrench_B() const override;
  void follow(std::size_t joint, double reference, double velocity) override;
  void push(std::size_t joint, double effort) override;
  void brake() override;
  /// A velocity as it is, within the joint's limits.
  void drive(std::size_t joint, double velocity);
  RobotGripper& gripper() override { return tool_.gripper(); }
  const RobotGripper& gripper() const override { return tool_.gripper(); }
  Result<bool> take_tool() override { return tool_.take(); }
  Result<bool> release_tool() override { return tool_.release(); }

  /// Right before and right after each step of the engine.
  void before_step() { tool_.before_step(); }
  void after_step() { tool_.after_step(); }

  /// Base in the world.
  const Pose& X_WB() const { return X_WB_; }
  /// All bodies of the arm and of the tool that it carries.
  std::vector<physics::BodyId> bodies() const;

 private:
  physics::Engine& engine_;
  RobotArm& arm_;
  double servo_gain_;
  Pose X_WB_;
  RobotTool tool_;
};

}  // namespace longarm::robots
