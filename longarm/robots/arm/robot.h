// SPDX-License-Identifier: Apache-2.0
// A robot in the engine: one arm of the cell, what is at its flange, and the motion it is in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot_config.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

class EngineHardware;
class RobotArm;
class RobotHardware;
struct PlannedMotion;
class RobotMotion;

/// Commands come between steps and act from the next one on. Planning costs no simulated time.
///
/// Each step of the world: before_step(), the engine's step, after_step(). Where the joints are
/// elsewhere, each control period: after_step(), before_step().
class Robot final : public RobotPort {
 public:
  /// Borrows the engine, which was made of `cell`, and puts the arm's joints at home. Throws
  /// InputError for what judge_robot() refuses.
  Robot(physics::Engine& engine, const model::Cell& cell, const RobotConfig& config,
        Duration period);
  /// The controller of a robot whose joints are elsewhere; borrows both.
  Robot(RobotHardware& hardware, const model::Cell& cell, const RobotConfig& config,
        Duration period);
  ~Robot() override;
  Robot(const Robot&) = delete;
  Robot& operator=(const Robot&) = delete;

  void before_step();
  void after_step();

  const RobotInfo& info() const override { return info_; }
  Result<Duration> move(const CartesianMotion& motion) override;
  Result<Duration> move(const ScrewMotion& motion) override;
  Result<Duration> move_joints(std::span<const JointGoal> goals,
                               std::span<const JointPush> pushes) override;
  void stop(StopKind kind) override;
  MotionReport motion() const override;

  void set_gripper(double opening) override;
  void move_fingers(double position_m, double max_force_N) override;
  void drive_fingers(double velocity_m_s, double max_force_N) override;
  GripperReport gripper() const override;
  void stop_gripper() override;
  Result<bool> release_tool() override;
  Result<bool> take_tool() override;

  RobotState state() const override;
  std::vector<SensorReading> sensors() const override;
  std::string fault() const override;
  void clear_fault() override;
  bool is_safety_stopped() const override;

  /// Stops on the path as hard as the drives can, and pauses the motion: it is still under way.
  /// Takes no commands until resumed, then ramps up again and finishes.
  void safety_stop();
  void safety_resume();
  /// How far the controlled point came between the last safety_stop() and standstill, so far.
  double stop_distance_m() const;
  /// Of all safety stops.
  int safety_stops() const { return safety_stops_; }

  /// Brakes on for good; the gripper stays as it is. fault() says so.
  void break_down();
  bool is_broken() const { return is_broken_; }

  /// Base in the world: what poses of this robot are relative to.
  const Pose& X_WB() const { return X_WB_; }
  /// Names of the arm's joints in the model, by their numbers in JointGoal.
  const std::vector<std::string>& joint_names() const { return joint_names_; }
  /// Whether a motion is under way or it stands elsewhere than told.
  bool is_moving() const;
  /// All bodies of the arm and of the tool that it carries; of a robot in this engine.
  std::vector<physics::BodyId> bodies() const;

 private:
  Result<Duration> begin(Result<PlannedMotion> planned, std::span<const JointPush> pushes);
  void describe(const model::Cell& cell, const RobotConfig& config, Duration period);

  Pose X_WB_ = Pose::Identity();
  RobotInfo info_;
  std::vector<std::string> joint_names_;
  std::unique_ptr<RobotArm> arm_;
  std::unique_ptr<EngineHardware> own_;  ///< null: it is elsewhere
  RobotHardware* hardware_ = nullptr;
  std::unique_ptr<RobotMotion> motion_;
  bool is_broken_ = false;
  int safety_stops_ = 0;
};

}  // namespace longarm::robots
