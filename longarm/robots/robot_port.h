// SPDX-License-Identifier: Apache-2.0
// What a robot can be told and asked, whatever protocol it is behind; everything in SI units and in
// the robot's base frame.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/model/model.h"
#include "longarm/physics/engine.h"

namespace longarm::robots {

using model::Pose;
using model::Vector3;

/// How fast the controlled point may go along one segment.
struct SpeedLimits {
  double speed_m_s = 0.0;
  double acceleration_m_s2 = 0.0;
  double turn_speed_rad_s = 0.0;
  double turn_acceleration_rad_s2 = 0.0;
};

/// How near counts as there, along and about the axes of the goal; absent: not asked for.
struct GoalTolerance {
  std::optional<double> x_m;
  std::optional<double> y_m;
  std::optional<double> z_m;
  std::optional<double> x_axis_rad;
  std::optional<double> z_axis_rad;
};

/// One goal of the controlled point.
struct MotionGoal {
  Pose X_BT = Pose::Identity();
  SpeedLimits limits;
  GoalTolerance tolerance;
  bool is_coordinated = true;  ///< turning and going end together
};

/// Through all goals; the last one is reached at rest, the others within their tolerances.
struct CartesianMotion {
  bool is_straight = true;  ///< the controlled point on straight lines; otherwise any path
  std::vector<MotionGoal> goals;
};

/// To `start` if there is one, `free_m` along the axis, then `screw_m` along it while turning by
/// `turn_rad` about it. The axis is the tool's z axis, through `p_BA` if given, else through the
/// controlled point; distances are positive away from the end effector, turns positive
/// counter-clockwise seen from where the tool's +z points to.
struct ScrewMotion {
  std::optional<MotionGoal> start;
  std::optional<Vector3> p_BA;
  double free_m = 0.0;
  double screw_m = 0.0;
  double turn_rad = 0.0;
  SpeedLimits limits;
};

/// Joints are counted from 0. Absent limits are the robot's own.
struct JointGoal {
  std::size_t joint = 0;
  double position = 0.0;
  std::optional<double> speed;
  std::optional<double> acceleration;
  std::optional<double> tolerance;
};

/// A joint that pushes with a force or torque instead of going somewhere, until told otherwise.
struct JointPush {
  std::size_t joint = 0;
  double effort = 0.0;
  std::optional<double> change_rate;  ///< effort per second; absent: at once
};

enum class StopKind {
  kImmediate,  ///< drives off, brakes on; the path may be left
  kFast,       ///< stays on the path, as hard as the drives can; they are off a second later
  kNormal,     ///< stays on the path, with the ordinary ramp; drives stay on
};

enum class MotionState { kIdle, kMoving, kDone, kFailed };

struct MotionReport {
  MotionState state = MotionState::kIdle;
  std::string failure;  ///< why, when it failed
};

struct JointState {
  double position = 0.0;
  double velocity = 0.0;
  double effort = 0.0;
};

struct RobotState {
  std::vector<JointState> joints;  ///< of the arm, fingers not among them
  Pose X_BT = Pose::Identity();    ///< of the controlled point
  physics::Twist twist_B;
  physics::Wrench wrench_B;  ///< what the tool feels at the wrist, weight of the tool taken off
};

enum class GripperKind { kNone, kParallel, kVacuum };

struct GripperReport {
  GripperKind kind = GripperKind::kNone;  ///< none: nothing is mounted
  std::string name;
  bool is_busy = false;       ///< has not yet come where it was told to go
  bool is_holding = false;    ///< something is between its fingers, or sealed to its cup
  double opening = 0.0;       ///< fraction of its stroke: 1 open, 0 closed
  double separation_m = 0.0;  ///< between the fingers
  double stroke_m = 0.0;      ///< of each finger, from closed to open; 0: not known
  bool is_powered = false;    ///< of a vacuum
  double force_N = 0.0;       ///< of one finger, as exerted
  double closed_m = 0.0;      ///< separation at either end of the stroke
  double open_m = 0.0;
  double usual_force_N = 0.0;  ///< of one finger, where a command names none
};

struct RobotInfo {
  std::string name;
  std::vector<model::JointLimits> joint_limits;
  std::vector<bool> is_prismatic;
  SpeedLimits fastest;  ///< what 100 % means
  double joint_acceleration = 0.0;
};

/// What can be measured on it, for guards and status: "force_torque" (fields Fx … Tz), "gripper"
/// (force), "joint_effort" (fields 1 … n).
struct SensorReading {
  std::string id;
  std::string field;
  double value = 0.0;
};

/// One robot. A new motion replaces the one under way, which stops on its path first.
class RobotPort {
 public:
  virtual ~RobotPort() = default;

  virtual const RobotInfo& info() const = 0;

  /// How long it will take, or why it cannot be done; then nothing moves.
  virtual Result<Duration> move(const CartesianMotion& motion) = 0;
  virtual Result<Duration> move(const ScrewMotion& motion) = 0;
  /// Joints that are not named stay where they are told to be.
  virtual Result<Duration> move_joints(std::span<const JointGoal> goals,
                                       std::span<const JointPush> pushes) = 0;
  virtual void stop(StopKind kind) = 0;
  /// Of the last motion or stop: done when it stands within its tolerances.
  virtual MotionReport motion() const = 0;

  /// To a fraction of the stroke; of a vacuum anything above zero is on.
  virtual void set_gripper(double opening) = 0;
  /// Every finger to a position along its stroke, 0 being closed, with at most a force; 0: its own.
  virtual void move_fingers(double position_m, double max_force_N) = 0;
  /// Every finger with a velocity (positive opens) and at most a force.
  virtual void drive_fingers(double velocity_m_s, double max_force_N) = 0;
  virtual GripperReport gripper() const = 0;
  virtual void stop_gripper() = 0;

  /// Parts with its tool where it is, or picks up the one at its flange; the controlled point
  /// changes. The error says why not.
  virtual Result<bool> release_tool() = 0;
  virtual Result<bool> take_tool() = 0;

  virtual RobotState state() const = 0;
  virtual std::vector<SensorReading> sensors() const = 0;

  /// Why it takes no commands: broken down, overloaded, or stopped by the safety system. Empty: it
  /// does.
  virtual std::string fault() const = 0;
  /// As an operator does it: what can be cleared is.
  virtual void clear_fault() {}
  virtual bool is_safety_stopped() const = 0;
};

}  // namespace longarm::robots
