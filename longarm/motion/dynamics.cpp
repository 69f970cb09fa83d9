// SPDX-License-Identifier: Apache-2.0
// Recursive Newton-Euler for efforts and composite bodies for the mass matrix, both written in root
// axes.
#include "longarm/motion/dynamics.h"

#include "longarm/core/index.h"

namespace longarm::motion {
namespace {

bool is_prismatic(const model::TreeJoint& joint) {
  return joint.type == model::JointType::kPrismatic;
}

/// What turns the offset c of a mass into its moments of inertia: |c|²·1 − c·cᵀ.
Matrix3 offset_inertia(const Vector3& c) {
  return c.squaredNorm() * Matrix3::Identity() - c * c.transpose();
}

/// The motion that a unit rate of a joint gives to everything behind it, as seen at the root's
/// origin.
struct UnitMotion {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();
};

UnitMotion unit_motion(const model::TreeJoint& joint, const Pose& X_RB) {
  const Vector3 axis = X_RB.linear() * joint.axis;
  if (is_prismatic(joint)) {
    return {axis, Vector3::Zero()};
  }
  return {X_RB.translation().cross(axis), axis};
}

}  // namespace

Dynamics::Dynamics(const model::BodyTree& tree, const Vector3& gravity_R_m_s2)
    : kinematics_(tree), gravity_(gravity_R_m_s2), joints_(tree.joints) {
  for (const model::Body& body : tree.bodies) {
    const Matrix3 R_BC = body.inertial.X_LC.linear();
    empty_handed_.push_back({body.inertial.mass_kg, body.inertial.X_LC.translation(),
                             R_BC * body.inertial.inertia_kg_m2 * R_BC.transpose()});
  }
  inertias_ = empty_handed_;
  const auto n = joint_count();
  poses_.resize(inertias_.size());
  motions_.resize(inertias_.size());
  loads_.resize(inertias_.size());
  composites_.resize(inertias_.size());
  mass_matrix_.setZero(n, n);
  inverse_factor_.setZero(n, n);
  factor_.compute(Eigen::MatrixXd::Identity(n, n));  // sets its size and state
  bias_.setZero(n);
  efforts_.setZero(n);
  at_rest_.assign(index_of(n), 0.0);
  effective_.resize(index_of(n));
}

void Dynamics::set_payload(int frame, double mass_kg) {
  inertias_ = empty_handed_;
  const model::Frame& carrier = kinematics_.frames()[index_of(frame)];
  BodyInertia& body = inertias_[index_of(carrier.body)];
  const double total = body.mass_kg + mass_kg;
  if (total <= 0.0) {
    return;
  }
  // Two masses about their common centre turn like their reduced mass at their distance.
  const Vector3 apart = carrier.X_BF.translation() - body.p_BC;
  body.I_BC_kg_m2 += body.mass_kg * mass_kg / total * offset_inertia(apart);
  body.p_BC += mass_kg / total * apart;
  body.mass_kg = total;
}

const Eigen::VectorXd& Dynamics::bias(std::span<const double> q, std::span<const double> v) {
  kinematics_.forward(q, poses_);
  move_bodies(v, at_rest_);
  gather_efforts(at_rest_, bias_);
  return bias_;
}

const Eigen::VectorXd& Dynamics::inverse_dynamics(std::span<const double> q,
                                                  std::span<const double> v,
                                                  std::span<const double> a) {
  kinematics_.forward(q, poses_);
  move_bodies(v, a);
  gather_efforts(a, efforts_);
  return efforts_;
}

void Dynamics::move_bodies(std::span<const double> v, std::span<const double> a) {
  // A root that accelerates upwards feels the same as gravity that pulls down.
  motions_[0].acceleration = -gravity_;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const JointSource& from = kinematics_.source(static_cast<int>(i));
    const double rate = from.multiplier * v[index_of(from.joint)];
    const double rate_change = from.multiplier * a[index_of(from.joint)];
    const std::size_t parent = index_of(joints_[i].parent_body);
    const Vector3 axis = poses_[i + 1].linear() * joints_[i].axis;
    const Vector3 arm = poses_[i + 1].translation() - poses_[parent].translation();
    const BodyMotion& before = motions_[parent];
    const Vector3& w = before.angular_velocity;

    BodyMotion& motion = motions_[i + 1];
    motion.acceleration =
        before.acceleration + before.angular_acceleration.cross(arm) + w.cross(w.cross(arm));
    if (is_prismatic(joints_[i])) {
      motion.angular_velocity = w;
      motion.angular_acceleration = before.angular_acceleration;
      motion.acceleration += axis * rate_change + 2.0 * w.cross(axis * rate);
    } else {
      motion.angular_velocity = w + axis * rate;
      motion.angular_acceleration =
          before.angular_acceleration + axis * rate_change + w.cross(axis * rate);
    }
  }
}

Dynamics::BodyLoad Dynamics::inertial_load(std::size_t body) const {
  const BodyMotion& motion = motions_[body];
  const Matrix3& R = poses_[body].linear();
  const Vector3 c = R * inertias_[body].p_BC;
  const Vector3& w = motion.angular_velocity;
  const Vector3 acceleration =
      motion.acceleration + motion.angular_acceleration.cross(c) + w.cross(w.cross(c));
  // Euler's equation needs the tensor; turning two vectors into body axes is cheaper than turning
  // the tensor.
  const Matrix3& I = inertias_[body].I_BC_kg_m2;
  const Vector3 w_B = R.transpose() * w;
  const Vector3 spin_B = I * (R.transpose() * motion.angular_acceleration) + w_B.cross(I * w_B);
  BodyLoad load;
  load.force = inertias_[body].mass_kg * acceleration;
  load.moment = R * spin_B + c.cross(load.force);
  return load;
}

void Dynamics::gather_efforts(std::span<const double> a, Eigen::VectorXd& out) {
  for (std::size_t body = 0; body < loads_.size(); ++body) {
    loads_[body] = inertial_load(body);
  }
  out.setZero();
  // From the tips inwards: each joint carries its own body and what that body's joints handed over.
  for (std::size_t i = joints_.size(); i-- > 0;) {
    const BodyLoad& load = loads_[i + 1];
    const Vector3 axis = poses_[i + 1].linear() * joints_[i].axis;
    const JointSource& from = kinematics_.source(static_cast<int>(i));
    const double transmitted = axis.dot(is_prismatic(joints_[i]) ? load.force : load.moment);
    const double rotor =
        joints_[i].dynamics.rotor_inertia_kg_m2 * from.multiplier * a[index_of(from.joint)];
    out[from.joint] += from.multiplier * (transmitted + rotor);

    const std::size_t parent = index_of(joints_[i].parent_body);
    const Vector3 arm = poses_[i + 1].translation() - poses_[parent].translation();
    loads_[parent].force += load.force;
    loads_[parent].moment += load.moment + arm.cross(load.force);
  }
}

void Dynamics::compose_inertias() {
  for (std::size_t body = 0; body < composites_.size(); ++body) {
    const Matrix3& R = poses_[body].linear();
    const double mass = inertias_[body].mass_kg;
    const Vector3 c = poses_[body] * inertias_[body].p_BC;
    composites_[body] = {mass, mass * c,
                         R * inertias_[body].I_BC_kg_m2 * R.transpose() + mass * offset_inertia(c)};
  }
  for (std::size_t i = joints_.size(); i-- > 0;) {
    CompositeInertia& parent = composites_[index_of(joints_[i].parent_body)];
    parent.mass += composites_[i + 1].mass;
    parent.first_moment += composites_[i + 1].first_moment;
    parent.second_moment += composites_[i + 1].second_moment;
  }
}

const Eigen::MatrixXd& Dynamics::mass_matrix(std::span<const double> q) {
  kinematics_.forward(q, poses_);
  compose_inertias();
  mass_matrix_.setZero();
  for (int i = joint_count() - 1; i >= 0; --i) {
    // The momentum that a unit rate of joint i gives to all it carries …
    const CompositeInertia& carried = composites_[index_of(i) + 1];
    const UnitMotion rate = unit_motion(joints_[index_of(i)], poses_[index_of(i) + 1]);
    const Vector3 linear = carried.mass * rate.linear + rate.angular.cross(carried.first_moment);
    const Vector3 angular =
        carried.second_moment * rate.angular + carried.first_moment.cross(rate.linear);
    // … is felt by joint i itself and by every joint between it and the root.
    for (int j = i; j >= 0; j = joints_[index_of(j)].parent_body - 1) {
      const UnitMotion felt = unit_motion(joints_[index_of(j)], poses_[index_of(j) + 1]);
      mass_matrix_(i, j) = felt.linear.dot(linear) + felt.angular.dot(angular);
      mass_matrix_(j, i) = mass_matrix_(i, j);
    }
    mass_matrix_(i, i) += joints_[index_of(i)].dynamics.rotor_inertia_kg_m2;
  }
  reflect_followers();
  return mass_matrix_;
}

void Dynamics::reflect_followers() {
  for (int i = 0; i < joint_count(); ++i) {
    const JointSource& from = kinematics_.source(i);
    if (from.joint == i) {
      continue;
    }
    // Kinetic energy with the follower's rate replaced by its multiple of the master's.
    mass_matrix_.row(from.joint) += from.multiplier * mass_matrix_.row(i);
    mass_matrix_.col(from.joint) += from.multiplier * mass_matrix_.col(i);
    mass_matrix_.row(i).setZero();
    mass_matrix_.col(i).setZero();
    mass_matrix_(i, i) = 1.0;
  }
}

std::span<const EffectiveInertia> Dynamics::effective_inertias(std::span<const double> q) {
  factor_.compute(mass_matrix(q));
  // With M = L·Lᵀ, the diagonal of M⁻¹ holds the squared lengths of the columns of L⁻¹.
  inverse_factor_.setIdentity();
  factor_.matrixL().solveInPlace(inverse_factor_);
  for (int i = 0; i < joint_count(); ++i) {
    effective_[index_of(i)] = {mass_matrix_(i, i), 1.0 / inverse_factor_.col(i).squaredNorm()};
  }
  return effective_;
}

}  // namespace longarm::motion
