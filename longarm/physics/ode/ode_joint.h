// SPDX-License-Identifier: Apache-2.0
// One movable joint in ODE: a hinge or a slider with a motor, a damper and stops that act side by
// side.
#pragma once

#include <ode/ode.h>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/joint_command.h"

namespace longarm::physics {

/// ODE lets one motor or one stop act in a joint, never both at once, and knows hinge angles only
/// within a turn. So the motor, the damper and the stops of a hinge are ODE joints of their own.
class OdeJoint {
 public:
  /// The bodies must be in the zero configuration; `parent` is null for the world.
  OdeJoint(dWorldID world, const FlatJoint& joint, dBodyID child, dBodyID parent,
           const model::Pose& X_WJ);
  OdeJoint(const OdeJoint&) = delete;
  OdeJoint& operator=(const OdeJoint&) = delete;

  /// Sets the motor for the coming step: towards `velocity` with at most `max_effort`.
  void drive(double velocity, double max_effort);
  void push(double effort);
  /// What the motor exerted in the last step.
  double motor_effort() const;

  /// Position and rate as the bodies are now. A hinge takes the turn nearest to `expected`.
  double position(double expected) const;
  double velocity() const;
  /// Tells the stops where the joint is.
  void set_position(double position);

 private:
  bool is_slider() const { return joint_->type == model::JointType::kPrismatic; }
  dJointID make_motor(dWorldID world, dBodyID parent, const model::Vector3& axis_W) const;
  void set_parameter(dJointID motor, int parameter, double value) const;

  const model::TreeJoint* joint_;
  dBodyID child_;
  dJointID guide_ = nullptr;  ///< the hinge or slider itself
  dJointID motor_ = nullptr;
  dJointID stops_ = nullptr;  ///< of a hinge; a slider has its own
  dJointFeedback feedback_{};
};

}  // namespace longarm::physics
