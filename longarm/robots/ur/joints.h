// SPDX-License-Identifier: Apache-2.0
// The joints of a UR arm in the engine: they follow targets, or their brakes hold them.
#pragma once

#include <memory>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/motion/dynamics.h"
#include "longarm/physics/engine.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/ur/config.h"
#include "longarm/robots/ur/kinematics.h"

namespace longarm::robots {

/// Velocity motors get the speed of the reference and, by the servo's gain, what they are off:
/// where nothing is in the way the joints are at the reference after each step. Their effort is
/// limited by the model.
class UrJoints {
 public:
  /// Borrows the engine, and puts the joints at home.
  UrJoints(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
           Duration period);

  /// Where the reference is after the coming step.
  void follow(const Joints& ahead);
  /// Likewise, by efforts and with a stiffness that yields: for arms that feel what they touch.
  /// Where the engine knows no efforts, as follow().
  void follow_softly(const Joints& ahead);
  /// Brakes: no joint moves as far as its effort allows that.
  void hold();

  Joints positions() const;
  Joints velocities() const;
  Joints efforts() const;
  /// What it takes to move so, by the model; the payload counts.
  Joints efforts_for(const Joints& q, const Joints& qd, const Joints& qdd);
  void set_payload(double mass_kg);
  /// What touches these counts as touching the arm.
  void carry(const std::vector<physics::BodyId>& tool);
  /// Of all moving bodies.
  double momentum_kg_m_s() const;
  /// What touches the arm pushes it so, in the axes of the base; torque about `p_BT`.
  Vector6 contact_wrench(const model::Vector3& p_BT) const;
  /// In the axes of the controller's base.
  const model::Vector3& gravity_B() const { return gravity_B_; }

  const RobotArm& arm() const { return arm_; }
  const model::Pose& X_WB() const { return X_WB_; }

 private:
  physics::Engine& engine_;
  RobotArm arm_;
  model::Pose X_WB_ = model::Pose::Identity();  ///< of the controller's base
  model::Vector3 gravity_B_ = model::Vector3::Zero();
  double period_s_;
  double gain_;
  std::vector<model::JointLimits> limits_;
  Joints reference_{};
  bool is_soft_ = false;
  std::vector<physics::BodyId> moving_;  ///< the arm without its base, and what it carries
  motion::Dynamics dynamics_;
};

/// The base frame of the controller on the model's root.
model::Pose ur_base_on_root(const model::Placement& placement, const std::string& base_frame);

}  // namespace longarm::robots
