// SPDX-License-Identifier: Apache-2.0
// Builds a joint out of ODE's parts and reads it back.
#include "longarm/physics/ode/ode_joint.h"

#include <cmath>
#include <numbers>

#include "longarm/physics/ode/ode_world.h"

namespace longarm::physics {

OdeJoint::OdeJoint(dWorldID world, const FlatJoint& joint, dBodyID child, dBodyID parent,
                   const model::Pose& X_WJ)
    : joint_(joint.joint), child_(child) {
  const model::Vector3 axis = X_WJ.linear() * joint_->axis;
  const model::Vector3 anchor = X_WJ.translation();
  const model::JointLimits& limits = joint_->limits;
  if (is_slider()) {
    guide_ = dJointCreateSlider(world, nullptr);
    dJointAttach(guide_, child, parent);
    dJointSetSliderAxis(guide_, axis.x(), axis.y(), axis.z());
    dJointSetSliderParam(guide_, dParamLoStop, limits.lower);
    dJointSetSliderParam(guide_, dParamHiStop, limits.upper);
  } else {
    guide_ = dJointCreateHinge(world, nullptr);
    dJointAttach(guide_, child, parent);
    dJointSetHingeAnchor(guide_, anchor.x(), anchor.y(), anchor.z());
    dJointSetHingeAxis(guide_, axis.x(), axis.y(), axis.z());
  }
  motor_ = make_motor(world, parent, axis);
  dJointSetFeedback(motor_, &feedback_);
  if (joint_->dynamics.damping > 0.0) {
    // a motor towards rest that yields by force/damping is a damper, integrated implicitly
    const dJointID damper = make_motor(world, parent, axis);
    set_parameter(damper, dParamFMax, dInfinity);
    set_parameter(damper, dParamCFM, 1.0 / joint_->dynamics.damping);
  }
  if (!is_slider() && (std::isfinite(limits.lower) || std::isfinite(limits.upper))) {
    stops_ = make_motor(world, parent, axis);
    set_parameter(stops_, dParamLoStop, limits.lower);
    set_parameter(stops_, dParamHiStop, limits.upper);
  }
}

dJointID OdeJoint::make_motor(dWorldID world, dBodyID parent, const model::Vector3& axis) const {
  constexpr int kWithChild = 1;  // the axis turns with the first body
  dJointID motor = nullptr;
  if (is_slider()) {
    motor = dJointCreateLMotor(world, nullptr);
    dJointAttach(motor, child_, parent);
    dJointSetLMotorNumAxes(motor, 1);
    dJointSetLMotorAxis(motor, 0, kWithChild, axis.x(), axis.y(), axis.z());
  } else {
    motor = dJointCreateAMotor(world, nullptr);
    dJointAttach(motor, child_, parent);
    dJointSetAMotorMode(motor, dAMotorUser);
    dJointSetAMotorNumAxes(motor, 1);
    dJointSetAMotorAxis(motor, 0, kWithChild, axis.x(), axis.y(), axis.z());
  }
  return motor;
}

void OdeJoint::set_parameter(dJointID motor, int parameter, double value) const {
  if (is_slider()) {
    dJointSetLMotorParam(motor, parameter, value);
  } else {
    dJointSetAMotorParam(motor, parameter, value);
  }
}

void OdeJoint::drive(double velocity, double max_effort) {
  set_parameter(motor_, dParamVel, velocity);
  set_parameter(motor_, dParamFMax, max_effort);
}

void OdeJoint::push(double effort) {
  if (is_slider()) {
    dJointAddSliderForce(guide_, effort);
  } else {
    dJointAddHingeTorque(guide_, effort);
  }
}

double OdeJoint::motor_effort() const {
  const model::Vector3 axis_W = get_ode_pose(child_).linear() * joint_->axis;
  return axis_W.dot(to_vector(is_slider() ? feedback_.f1 : feedback_.t1));
}

double OdeJoint::position(double expected) const {
  if (is_slider()) {
    return dJointGetSliderPosition(guide_);
  }
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const double angle = dJointGetHingeAngle(guide_);
  return angle + kTurn * std::round((expected - angle) / kTurn);
}

double OdeJoint::velocity() const {
  return is_slider() ? dJointGetSliderPositionRate(guide_) : dJointGetHingeAngleRate(guide_);
}

void OdeJoint::set_position(double position) {
  if (stops_ != nullptr) {
    dJointSetAMotorAngle(stops_, 0, position);
  }
}

}  // namespace longarm::physics
