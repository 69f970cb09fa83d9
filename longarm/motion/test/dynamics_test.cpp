// SPDX-License-Identifier: Apache-2.0
// Tests the rigid-body dynamics against textbook mechanisms in closed form and against conservation
// of energy.
#include "longarm/motion/dynamics.h"

#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "longarm/motion/test/ur5.h"

namespace longarm::motion {
namespace {

using std::numbers::pi;
using test::random_configuration;
using test::ur5_tree;

constexpr double kGravity = 9.81;

Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

void add_link(model::BodyTree& tree, model::JointType type, const Vector3& axis,
              const Vector3& joint_at, double mass, const Vector3& centre, double inertia) {
  model::TreeJoint joint;
  joint.type = type;
  joint.parent_body = static_cast<int>(tree.joints.size());
  joint.X_PJ.translation() = joint_at;
  joint.axis = axis;
  tree.joints.push_back(joint);
  tree.bodies.resize(tree.joints.size() + 1);
  model::Body& body = tree.bodies.back();
  body.inertial.mass_kg = mass;
  body.inertial.X_LC.translation() = centre;
  body.inertial.inertia_kg_m2 = inertia * Matrix3::Identity();
}

/// Hangs down from a hinge about y: 2 kg, 0.5 m below it, 0.1 kg·m² about its centre; a tip 0.8 m
/// below.
model::BodyTree pendulum() {
  model::BodyTree tree;
  add_link(tree, model::JointType::kRevolute, Vector3::UnitY(), {0, 0, 0}, 2.0, {0, 0, -0.5}, 0.1);
  tree.frames.push_back({.name = "tip", .body = 1});
  tree.frames.back().X_BF.translation() = Vector3(0, 0, -0.8);
  return tree;
}

// M = m·l² + I + rotor = 0.5 + 0.1 + 0.05; gravity asks for m·g·l·sin q.
TEST(Dynamics, OfAPendulumIsTheClosedForm) {
  model::BodyTree tree = pendulum();
  tree.joints[0].dynamics.rotor_inertia_kg_m2 = 0.05;
  Dynamics dynamics(tree);
  const std::vector<double> q{0.7};
  const std::vector<double> v{3.0};
  const std::vector<double> a{2.0};
  const double weight = 2.0 * kGravity * 0.5 * std::sin(0.7);
  EXPECT_NEAR(dynamics.mass_matrix(q)(0, 0), 0.65, 1e-14);
  EXPECT_NEAR(dynamics.bias(q, v)[0], weight, 1e-14);
  EXPECT_NEAR(dynamics.inverse_dynamics(q, v, a)[0], 0.65 * 2.0 + weight, 1e-14);
}

// A point mass of 1.5 kg at 0.8 m adds 1.5·0.64 to M and 1.5·g·0.8·sin q to gravity.
TEST(Dynamics, CarriesAPayloadAtAFrame) {
  Dynamics dynamics(pendulum());
  dynamics.set_payload(0, 1.5);
  const std::vector<double> q{0.7};
  const std::vector<double> v{0.0};
  EXPECT_NEAR(dynamics.mass_matrix(q)(0, 0), 0.6 + 1.5 * 0.64, 1e-14);
  EXPECT_NEAR(dynamics.bias(q, v)[0], kGravity * (1.0 + 1.2) * std::sin(0.7), 1e-13);
  dynamics.set_payload(0, 0.0);
  EXPECT_NEAR(dynamics.mass_matrix(q)(0, 0), 0.6, 1e-14);
}

// The two-link arm of the textbooks, in a vertical plane (gravity along −y), angles from the x
// axis.
TEST(Dynamics, OfATwoLinkArmIsTheClosedForm) {
  constexpr double m1 = 3.0, m2 = 2.0, l1 = 0.6, c1 = 0.25, c2 = 0.2, I1 = 0.12, I2 = 0.07;
  model::BodyTree tree;
  add_link(tree, model::JointType::kRevolute, Vector3::UnitZ(), {0, 0, 0}, m1, {c1, 0, 0}, I1);
  add_link(tree, model::JointType::kRevolute, Vector3::UnitZ(), {l1, 0, 0}, m2, {c2, 0, 0}, I2);
  Dynamics dynamics(tree, Vector3(0, -kGravity, 0));
  const std::vector<double> q{0.4, -1.1};
  const std::vector<double> v{1.3, -0.7};

  const double cosine = std::cos(q[1]);
  const double M11 = I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * cosine);
  const double M12 = I2 + m2 * (c2 * c2 + l1 * c2 * cosine);
  const double M22 = I2 + m2 * c2 * c2;
  const double h = m2 * l1 * c2 * std::sin(q[1]);
  const double weight_2 = m2 * kGravity * c2 * std::cos(q[0] + q[1]);
  const double weight_1 = (m1 * c1 + m2 * l1) * kGravity * std::cos(q[0]) + weight_2;

  const Eigen::MatrixXd& M = dynamics.mass_matrix(q);
  EXPECT_NEAR(M(0, 0), M11, 1e-13);
  EXPECT_NEAR(M(0, 1), M12, 1e-13);
  EXPECT_NEAR(M(1, 0), M12, 1e-13);
  EXPECT_NEAR(M(1, 1), M22, 1e-13);
  const Eigen::VectorXd& bias = dynamics.bias(q, v);
  EXPECT_NEAR(bias[0], -h * (2 * v[0] * v[1] + v[1] * v[1]) + weight_1, 1e-12);
  EXPECT_NEAR(bias[1], h * v[0] * v[0] + weight_2, 1e-12);

  // Eliminating the other joint's acceleration leaves M11 − M12²/M22, and the same the other way
  // round.
  const auto effective = dynamics.effective_inertias(q);
  EXPECT_NEAR(effective[0].others_locked, M11, 1e-13);
  EXPECT_NEAR(effective[0].others_free, M11 - M12 * M12 / M22, 1e-13);
  EXPECT_NEAR(effective[1].others_free, M22 - M12 * M12 / M11, 1e-13);
}

// A cart along x with a pendulum below: its centre is at (x − l·sin q, −l·cos q), hence M12 =
// −m·l·cos q, and the swing pushes the cart with m·l·sin q·v².
TEST(Dynamics, OfACartWithAPendulumIsTheClosedForm) {
  constexpr double cart = 4.0, m = 2.0, l = 0.5, I = 0.1;
  model::BodyTree tree;
  add_link(tree, model::JointType::kPrismatic, Vector3::UnitX(), {0, 0, 1}, cart, {0, 0, 0}, 1.0);
  add_link(tree, model::JointType::kRevolute, Vector3::UnitY(), {0, 0, 0}, m, {0, 0, -l}, I);
  Dynamics dynamics(tree);
  const std::vector<double> q{0.3, 0.9};
  const std::vector<double> v{0.8, -1.7};
  const Eigen::MatrixXd& M = dynamics.mass_matrix(q);
  EXPECT_NEAR(M(0, 0), cart + m, 1e-13);
  EXPECT_NEAR(M(0, 1), -m * l * std::cos(0.9), 1e-13);
  EXPECT_NEAR(M(1, 1), m * l * l + I, 1e-13);
  const Eigen::VectorXd& bias = dynamics.bias(q, v);
  EXPECT_NEAR(bias[0], m * l * std::sin(0.9) * 1.7 * 1.7, 1e-13);
  EXPECT_NEAR(bias[1], m * kGravity * l * std::sin(0.9), 1e-13);
}

// Two slides at right angles, the second going −2 times as far as the first: kinetic energy ½·3·v²
// + ½·1·(v² + 4v²)
// + ½·0.5·4v², so the master feels 3 + 5 + 2 = 10 kg.
TEST(Dynamics, ReflectsAMimickingJointOntoItsMaster) {
  model::BodyTree tree;
  add_link(tree, model::JointType::kPrismatic, Vector3::UnitX(), {0, 0, 0}, 3.0, {0, 0, 0}, 1.0);
  add_link(tree, model::JointType::kPrismatic, Vector3::UnitZ(), {0, 0, 0}, 1.0, {0, 0, 0}, 1.0);
  tree.joints[1].mimic = model::MimicIndex{0, -2.0, 0.1};
  tree.joints[1].dynamics.rotor_inertia_kg_m2 = 0.5;
  Dynamics dynamics(tree);
  const std::vector<double> q{0.2, 0.0};
  const std::vector<double> a{1.5, 0.0};
  EXPECT_EQ(dynamics.mass_matrix(q), Eigen::Vector2d(10.0, 1.0).asDiagonal().toDenseMatrix());
  // Lifting 1 kg at −2 times the rate: −2·g on the master, nothing on the follower.
  const Eigen::VectorXd& effort = dynamics.inverse_dynamics(q, q, a);
  EXPECT_NEAR(effort[0], 15.0 - 2.0 * kGravity, 1e-12);
  EXPECT_EQ(effort[1], 0.0);
}

TEST(Dynamics, MassMatrixIsSymmetricAndPositiveDefinite) {
  Dynamics dynamics(ur5_tree());
  for (int i = 0; i < 100; ++i) {
    const Eigen::MatrixXd M = dynamics.mass_matrix(random_configuration(i));
    ASSERT_EQ((M - M.transpose()).norm(), 0.0);
    ASSERT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues()[0], 0.0);
  }
}

// The composite-body mass matrix and the recursive Newton-Euler efforts share only the forward
// kinematics.
TEST(Dynamics, MassMatrixAndBiasAddUpToInverseDynamics) {
  Dynamics dynamics(ur5_tree());
  dynamics.set_payload(dynamics.kinematics().frame("tool0"), 5.0);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> q = random_configuration(i);
    const std::vector<double> v = random_configuration(1000 + i);
    const std::vector<double> a = random_configuration(2000 + i, 10.0);
    const Eigen::VectorXd sum = dynamics.mass_matrix(q) * as_vector(a) + dynamics.bias(q, v);
    ASSERT_LT((sum - dynamics.inverse_dynamics(q, v, a)).norm(), 1e-11 * sum.norm());
  }
}

/// Kinetic energy from how far bodies move in 2e-6 s around q: no mass matrix in it.
double kinetic_energy_by_differences(const model::BodyTree& tree, const std::vector<double>& q,
                                     const std::vector<double>& v) {
  constexpr double kStep = 1e-6;
  const Kinematics kinematics(tree);
  std::vector<double> before = q;
  std::vector<double> after = q;
  for (std::size_t j = 0; j < q.size(); ++j) {
    before[j] -= kStep * v[j];
    after[j] += kStep * v[j];
  }
  std::vector<Pose> A(tree.bodies.size());
  std::vector<Pose> B(tree.bodies.size());
  kinematics.forward(before, A);
  kinematics.forward(after, B);
  double energy = 0.0;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const model::Inertial& inertial = tree.bodies[i].inertial;
    const Pose C_A = A[i] * inertial.X_LC;
    const Pose C_B = B[i] * inertial.X_LC;
    const Vector3 velocity = (C_B.translation() - C_A.translation()) / (2.0 * kStep);
    const Eigen::AngleAxisd turn(Matrix3(C_A.linear().transpose() * C_B.linear()));
    const Vector3 spin = turn.angle() * turn.axis() / (2.0 * kStep);
    energy += 0.5 * inertial.mass_kg * velocity.squaredNorm() +
              0.5 * spin.dot(inertial.inertia_kg_m2 * spin);
  }
  for (std::size_t j = 0; j < q.size(); ++j) {
    energy += 0.5 * tree.joints[j].dynamics.rotor_inertia_kg_m2 * v[j] * v[j];
  }
  return energy;
}

TEST(Dynamics, MassMatrixGivesTheKineticEnergyOfTheMovingBodies) {
  const model::BodyTree tree = ur5_tree();
  Dynamics dynamics(tree);
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> q = random_configuration(i);
    const std::vector<double> v = random_configuration(1000 + i);
    const double expected = kinetic_energy_by_differences(tree, q, v);
    const double energy = 0.5 * as_vector(v).dot(dynamics.mass_matrix(q) * as_vector(v));
    ASSERT_NEAR(energy, expected, 1e-6 * expected);
  }
}

/// Moves a free arm on by one step of the classical Runge-Kutta method.
void swing(Dynamics& dynamics, Eigen::VectorXd& q, Eigen::VectorXd& v, double h) {
  const auto rate = [&](const Eigen::VectorXd& at, const Eigen::VectorXd& speed) {
    const std::span<const double> q_span(at.data(), static_cast<std::size_t>(at.size()));
    const std::span<const double> v_span(speed.data(), static_cast<std::size_t>(speed.size()));
    const Eigen::VectorXd effort = -dynamics.bias(q_span, v_span);
    return Eigen::VectorXd(dynamics.mass_matrix(q_span).llt().solve(effort));
  };
  const Eigen::VectorXd a1 = rate(q, v);
  const Eigen::VectorXd v2 = v + 0.5 * h * a1;
  const Eigen::VectorXd a2 = rate(q + 0.5 * h * v, v2);
  const Eigen::VectorXd v3 = v + 0.5 * h * a2;
  const Eigen::VectorXd a3 = rate(q + 0.5 * h * v2, v3);
  const Eigen::VectorXd v4 = v + h * a3;
  const Eigen::VectorXd a4 = rate(q + h * v3, v4);
  q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
  v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

double total_energy(Dynamics& dynamics, const model::BodyTree& tree, const Eigen::VectorXd& q,
                    const Eigen::VectorXd& v) {
  const std::span<const double> q_span(q.data(), static_cast<std::size_t>(q.size()));
  std::vector<Pose> poses(tree.bodies.size());
  dynamics.kinematics().forward(q_span, poses);
  double energy = 0.5 * v.dot(dynamics.mass_matrix(q_span) * v);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const model::Inertial& inertial = tree.bodies[i].inertial;
    energy += inertial.mass_kg * kGravity * (poses[i] * inertial.X_LC.translation()).z();
  }
  return energy;
}

// With no efforts the sum of kinetic and potential energy stays; only a bias that belongs to M
// achieves that. Rotor inertia, put on all joints alike, keeps the light wrist from spinning faster
// than the step can follow.
TEST(Dynamics, AFreeArmKeepsItsEnergy) {
  model::BodyTree tree = ur5_tree();
  for (model::TreeJoint& joint : tree.joints) {
    joint.dynamics.rotor_inertia_kg_m2 = 0.1;
  }
  Dynamics dynamics(tree);
  Eigen::VectorXd q(6);
  q << 0.3, -0.4, 0.8, -0.2, 0.5, 0.1;
  Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
  const double before = total_energy(dynamics, tree, q, v);
  for (int i = 0; i < 1000; ++i) {
    swing(dynamics, q, v, 1e-3);
  }
  const std::span<const double> q_span(q.data(), 6);
  const double kinetic = 0.5 * v.dot(dynamics.mass_matrix(q_span) * v);
  EXPECT_GT(kinetic, 5.0);  // it did swing
  EXPECT_NEAR(total_energy(dynamics, tree, q, v), before, 1e-6);
}

// At q = 0 the arm lies horizontally along x. About the shoulder axis, in kg·m: upper
// arm 8.393·0.2125, forearm 2.33·(0.425 + 0.24225), three wrists (1.219 + 1.219 + 0.1879)·0.81725
// and 5 kg·0.81725: 9.5705 in all, 93.9 N·m. With wrist 1 turned by a quarter the 0.09465 m of
// wrist 2 lengthens the arm further.
TEST(Dynamics, AUr5HoldsItsPayloadStretchedOut) {
  const model::BodyTree tree = ur5_tree();
  Dynamics dynamics(tree);
  dynamics.set_payload(dynamics.kinematics().frame("tool0"), 5.0);
  const std::vector<double> still(6, 0.0);
  const std::vector<double> flat(6, 0.0);
  const std::vector<double> longest{0, 0, 0, -pi / 2, 0, 0};
  EXPECT_NEAR(std::abs(dynamics.bias(flat, still)[1]), 93.9, 0.1);
  for (const std::vector<double>& q : {flat, longest}) {
    const Eigen::VectorXd effort = dynamics.bias(q, still);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(std::abs(effort[static_cast<int>(j)]), tree.joints[j].limits.effort) << j;
    }
  }
  EXPECT_GT(std::abs(dynamics.bias(longest, still)[1]), 98.0);
}

}  // namespace
}  // namespace longarm::motion
