// SPDX-License-Identifier: Apache-2.0
// Rigid-body dynamics of a fixed-base tree: what efforts a motion takes, and what inertia each
// joint feels.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "longarm/motion/kinematics.h"

namespace longarm::motion {

/// The inertia a joint feels: with all other joints held still (the larger number), and with all
/// others free to give way (the smaller one). kg·m², or kg for a prismatic joint.
struct EffectiveInertia {
  double others_locked = 0.0;
  double others_free = 0.0;
};

/// Efforts follow M(q)·a + bias(q, v) = effort. Damping and friction are not part of it. A
/// mimicking joint moves with its master and loads it: its own efforts are zero, and its row of M
/// is that of the identity so that M stays invertible. Not const: each call works in the object's
/// own memory and returns views of it, valid until the next call of the same function. Nothing
/// allocates after construction.
class Dynamics {
 public:
  /// `gravity_R_m_s2` is in the axes of the root body.
  explicit Dynamics(const model::BodyTree& tree,
                    const Vector3& gravity_R_m_s2 = Vector3(0.0, 0.0, -9.81));

  const Kinematics& kinematics() const { return kinematics_; }
  int joint_count() const { return kinematics_.joint_count(); }

  /// Replaces what the arm carries by a point mass at a frame's origin; zero mass takes it away.
  void set_payload(int frame, double mass_kg);

  /// Includes rotor inertia on the diagonal.
  const Eigen::MatrixXd& mass_matrix(std::span<const double> q);
  /// Coriolis, centrifugal and gravity efforts: what holds the present velocity.
  const Eigen::VectorXd& bias(std::span<const double> q, std::span<const double> v);
  const Eigen::VectorXd& inverse_dynamics(std::span<const double> q, std::span<const double> v,
                                          std::span<const double> a);
  std::span<const EffectiveInertia> effective_inertias(std::span<const double> q);

 private:
  struct BodyInertia {
    double mass_kg = 0.0;
    Vector3 p_BC = Vector3::Zero();
    Matrix3 I_BC_kg_m2 = Matrix3::Zero();  ///< about the centre of mass, body axes
  };
  /// Motion of a body's frame, in root axes.
  struct BodyMotion {
    Vector3 angular_velocity = Vector3::Zero();
    Vector3 angular_acceleration = Vector3::Zero();
    Vector3 acceleration = Vector3::Zero();  ///< of the origin, minus gravity
  };
  /// A force through a body's origin and the moment about it, in root axes.
  struct BodyLoad {
    Vector3 force = Vector3::Zero();
    Vector3 moment = Vector3::Zero();
  };
  /// Mass properties about the root's origin in root axes, where those of several bodies simply add
  /// up.
  struct CompositeInertia {
    double mass = 0.0;
    Vector3 first_moment = Vector3::Zero();
    Matrix3 second_moment = Matrix3::Zero();
  };

  void move_bodies(std::span<const double> v, std::span<const double> a);
  BodyLoad inertial_load(std::size_t body) const;
  void gather_efforts(std::span<const double> a, Eigen::VectorXd& out);
  void compose_inertias();
  void reflect_followers();

  Kinematics kinematics_;
  Vector3 gravity_;
  std::vector<model::TreeJoint> joints_;
  std::vector<BodyInertia> empty_handed_;
  std::vector<BodyInertia> inertias_;

  std::vector<Pose> poses_;
  std::vector<BodyMotion> motions_;
  std::vector<BodyLoad> loads_;
  std::vector<CompositeInertia> composites_;
  Eigen::MatrixXd mass_matrix_;
  Eigen::MatrixXd inverse_factor_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd bias_;
  Eigen::VectorXd efforts_;
  std::vector<double> at_rest_;
  std::vector<EffectiveInertia> effective_;
};

}  // namespace longarm::motion
