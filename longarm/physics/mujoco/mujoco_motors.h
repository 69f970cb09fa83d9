// SPDX-License-Identifier: Apache-2.0
// Joint commands in MuJoCo: what accelerates the joints during the coming step, and with what
// effort.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/limited_motors.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/mujoco/mujoco_sliding.h"
#include "longarm/physics/mujoco/mujoco_sticking.h"

namespace longarm::physics {

/// Holds the commands and solves each step for the accelerations under them.
///
/// A motor is a velocity constraint with a force limit. Where nothing else constrains the arm its
/// effort follows exactly from the equation of motion. Otherwise it becomes a row of MuJoCo's
/// constraint solver: a dry friction row, whose force is limited to ±max_effort, made hard and
/// aimed at the motor's target velocity instead of at zero.
class MujocoMotors {
 public:
  MujocoMotors(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers);

  JointCommand& command(JointId joint) { return commands_[static_cast<std::size_t>(joint)]; }
  /// Per joint, what its actuator exerted in the last solve.
  const std::vector<double>& efforts() const { return efforts_; }

  /// See Engine::set_gripping().
  void set_gripping(BodyId body, bool is_gripping) { sticking_.set(body, is_gripping); }

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

  /// Needs positions, velocities, inertia, bias and contacts of the present instant; leaves
  /// data.qacc and all forces. `external` are generalised forces from elsewhere; `has_attachments`
  /// says that some weld is active.
  void solve(mjData& data, std::span<const double> external, bool has_attachments);
  /// In another state of the same step: motors still want what they wanted at its beginning, and
  /// efforts() stay those.
  void solve_again(mjData& data, std::span<const double> external, bool has_attachments);
  /// By degree of freedom: whether it has a motor.
  std::span<const char> driven() const { return is_driven_; }

 private:
  void aim(const mjData& data);
  void accelerate(mjData& data, std::span<const double> external, bool has_attachments);
  bool solve_freely(mjData& data, std::span<const double> external);
  bool solve_driven(mjData& data, std::span<const double> external);
  bool solve_limited(mjData& data, std::span<const double> external);
  void make_constraints(mjData& data, bool with_motors);
  void solve_forward(mjData& data, std::span<const double> external);
  void read_efforts(const mjData& data);

  const FlatCell& cell_;
  mjModel& model_;
  const MujocoNumbers& numbers_;
  std::size_t joint_count_;
  double period_s_;
  bool has_mimics_ = false;

  std::vector<JointCommand> commands_;
  std::vector<double> efforts_;
  std::vector<double> first_efforts_;  ///< of a step, while it is solved again
  // by degree of freedom
  std::vector<double> acceleration_;  ///< that a motor wants; 0 without one
  std::vector<double> effort_;
  std::vector<char> is_driven_;
  MujocoSticking sticking_;
  MujocoSliding sliding_;
  LimitedMotors limited_;
  int motor_count_ = 0;
  bool has_dry_joints_ = false;  ///< some joint without a motor has Coulomb friction
};

}  // namespace longarm::physics
