// SPDX-License-Identifier: Apache-2.0
// A robot port without a robot: does what the test says, and remembers what it was told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// Motions go on until the test says otherwise.
class ScriptedRobot : public RobotPort {
 public:
  ScriptedRobot() {
    info_.name = "scripted";
    info_.joint_limits.assign(6, {.lower = -3.0, .upper = 3.0, .velocity = 2.0, .effort = 50.0});
    info_.is_prismatic = {false, false, false, false, false, true};
    info_.fastest = {.speed_m_s = 2.0,
                     .acceleration_m_s2 = 8.0,
                     .turn_speed_rad_s = 3.0,
                     .turn_acceleration_rad_s2 = 20.0};
    robot_state.joints.assign(6, {});
    gripper_report = {.kind = GripperKind::kParallel, .name = "two fingers"};
    readings = {{"force_torque", "Fx", 0.0}, {"force_torque", "Fy", 0.0},
                {"force_torque", "Fz", 0.0}, {"force_torque", "Tx", 0.0},
                {"force_torque", "Ty", 0.0}, {"force_torque", "Tz", 0.0},
                {"gripper", "force", 0.0}};
  }

  const RobotInfo& info() const override { return info_; }
  Result<Duration> move(const CartesianMotion& motion) override {
    cartesian = motion;
    return begin();
  }
  Result<Duration> move(const ScrewMotion& motion) override {
    screw = motion;
    return begin();
  }
  Result<Duration> move_joints(std::span<const JointGoal> given_goals,
                               std::span<const JointPush> given_pushes) override {
    goals.assign(given_goals.begin(), given_goals.end());
    pushes.assign(given_pushes.begin(), given_pushes.end());
    return begin();
  }
  void stop(StopKind kind) override { stops.push_back(kind); }
  MotionReport motion() const override { return report; }

  void set_gripper(double opening) override { openings.push_back(opening); }
  void move_fingers(double position_m, double) override {
    finger_positions_m.push_back(position_m);
  }
  void drive_fingers(double velocity_m_s, double max_force_N) override {
    drives.emplace_back(velocity_m_s, max_force_N);
  }
  GripperReport gripper() const override { return gripper_report; }
  void stop_gripper() override { ++gripper_stops; }
  Result<bool> release_tool() override {
    ++releases;
    return true;
  }
  Result<bool> take_tool() override { return Error{"no tool is at the flange"}; }

  RobotState state() const override { return robot_state; }
  std::vector<SensorReading> sensors() const override { return readings; }
  std::string fault() const override { return fault_text; }
  void clear_fault() override {
    if (can_be_cleared) {
      fault_text.clear();
    }
  }
  bool is_safety_stopped() const override { return is_stopped; }

  RobotInfo info_;
  std::string refusal;  ///< of every motion; empty: none
  MotionReport report;
  int motions = 0;
  std::optional<CartesianMotion> cartesian;
  std::optional<ScrewMotion> screw;
  std::vector<JointGoal> goals;
  std::vector<JointPush> pushes;
  std::vector<StopKind> stops;
  std::vector<double> openings;
  std::vector<double> finger_positions_m;
  std::vector<std::pair<double, double>> drives;
  GripperReport gripper_report;
  int gripper_stops = 0;
  int releases = 0;
  RobotState robot_state;
  std::vector<SensorReading> readings;
  std::string fault_text;
  bool can_be_cleared = false;
  bool is_stopped = false;

 private:
  Result<Duration> begin() {
    if (!refusal.empty()) {
      return Error{refusal};
    }
    ++motions;
    report = {MotionState::kMoving, {}};
    return Duration(1'000'000'000);
  }
};

}  // namespace longarm::robots
