// SPDX-License-Identifier: Apache-2.0
// Tests of the servos against a pendulum and a planar arm worked out by hand.
#include "longarm/control/servo.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/control/test/arm_fixture.h"
#include "longarm/motion/dynamics.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using model::Vector3;
using test::add_joint;
using test::bare_tree;

const Vector3 kGravity(0.0, 0.0, -9.81);
constexpr double kTolerance = 1e-12;

/// 2 kg, 0.5 m from a joint about y. Turning towards +y lowers the mass, so gravity pulls with
/// +2 · 9.81 · 0.5 · cos q = 9.81 cos q and the effort that holds it is the opposite. Turns like
/// 0.1 + 2 · 0.5² + a rotor of 0.4 = 1 kg·m².
model::BodyTree pendulum() {
  model::BodyTree tree = bare_tree();
  add_joint(tree, "lift", Vector3::UnitY(), {2.0, 0.5, 0.1}).dynamics.rotor_inertia_kg_m2 = 0.4;
  return tree;
}

/// Two joints about z with point masses of 2 and 3 kg at the ends of links of 1 and 0.5 m. The
/// textbook's planar arm.
model::BodyTree planar_arm() {
  model::BodyTree tree = bare_tree();
  add_joint(tree, "shoulder", Vector3::UnitZ(), {2.0, 1.0, 0.0});
  add_joint(tree, "elbow", Vector3::UnitZ(), {3.0, 0.5, 0.0}, 1.0);
  return tree;
}

ServoConfig pid_config(double p, double i = 0.0, double d = 0.0, double i_clamp = 0.0) {
  ServoConfig config;
  config.model = "pid";
  config.gains.p = {p};
  config.gains.i = {i};
  config.gains.d = {d};
  config.gains.i_clamp = {i_clamp};
  return config;
}

double one_update(Servo& servo, double command, double position, double velocity,
                  Duration period = 1ms) {
  std::array<double, 1> effort{};
  servo.update(std::array{command}, std::array{position}, std::array{velocity}, period, effort);
  return effort[0];
}

TEST(PidServo, EffortIsPidOfTheVelocityErrorWithRatesByDifference) {
  ServoConfig config = pid_config(3.0, 4.0, 0.5, 100.0);
  config.gravity_compensation = false;
  const auto servo = make_pid_servo(config, pendulum(), kGravity);
  // error 0.5: 3 · 0.5 + 4 · 0.5 · 0.25 + 0.5 · 0.5 / 0.25 (the kick)
  EXPECT_EQ(one_update(*servo, 1.5, 0.3, 1.0, 250ms), 1.5 + 0.5 + 1.0);
  // error 0.75: 3 · 0.75 + 4 · (0.125 + 0.1875) + 0.5 · 0.25 / 0.25
  EXPECT_EQ(one_update(*servo, 1.5, 0.3, 0.75, 250ms), 2.25 + 1.25 + 0.5);
  servo->reset();
  EXPECT_EQ(one_update(*servo, 1.5, 0.3, 1.0, 250ms), 3.0);
}

TEST(PidServo, AddsTheEffortThatHoldsAgainstGravity) {
  const auto servo = make_pid_servo(pid_config(3.0), pendulum(), kGravity);
  for (const double q : {-2.0, 0.0, 0.6, 1.5}) {
    EXPECT_NEAR(one_update(*servo, 0.0, q, 0.0), -9.81 * std::cos(q), kTolerance);
    EXPECT_NEAR(one_update(*servo, 0.5, q, 0.25), 0.75 - 9.81 * std::cos(q), kTolerance);
  }
}

TEST(PidServo, GravityIsGivenInTheAxesOfTheRoot) {
  // a pendulum mounted upside down
  const auto servo = make_pid_servo(pid_config(3.0), pendulum(), -kGravity);
  EXPECT_NEAR(one_update(*servo, 0.0, 0.6, 0.0), 9.81 * std::cos(0.6), kTolerance);
}

TEST(PidServo, CompensatesGravityOnlyNotWhatMotionNeeds) {
  model::BodyTree tree = pendulum();
  add_joint(tree, "elbow", Vector3::UnitY(), {1.0, 0.25, 0.1}, 0.75);
  const auto servo = make_pid_servo(pid_config(3.0), tree, kGravity);
  motion::Dynamics dynamics(tree, kGravity);
  const std::array q{0.3, -1.1};
  const std::array v{2.0, -3.0};  // commanded and seen, so that the PID adds nothing
  std::array<double, 2> efforts{};
  servo->update(v, q, v, 1ms, efforts);

  const std::array still{0.0, 0.0};
  const Eigen::VectorXd& at_rest = dynamics.inverse_dynamics(q, still, still);
  // and by hand: the elbow's 1 kg hangs at 0.75 cos q1 + 0.25 cos(q1 + q2)
  const double tip = 0.25 * std::cos(q[0] + q[1]);
  EXPECT_NEAR(efforts[1], -9.81 * tip, kTolerance);
  EXPECT_NEAR(efforts[0], -9.81 * (1.0 * std::cos(q[0]) + 0.75 * std::cos(q[0]) + tip), kTolerance);
  EXPECT_NEAR(efforts[0], at_rest[0], kTolerance);
  EXPECT_NEAR(efforts[1], at_rest[1], kTolerance);
}

TEST(PidServo, GainsMayDifferByJoint) {
  ServoConfig config = pid_config(0.0);
  config.gains.p = {3.0, 5.0};
  const auto servo = make_pid_servo(config, planar_arm(), kGravity);
  std::array<double, 2> efforts{};
  servo->update(std::array{1.0, 1.0}, std::array{0.1, 0.2}, std::array{0.5, 0.5}, 1ms, efforts);
  EXPECT_NEAR(efforts[0], 1.5, kTolerance);
  EXPECT_NEAR(efforts[1], 2.5, kTolerance);
}

TEST(ComputedTorqueServo, GivesInertiaTimesTheAccelerationOfOnePeriodPlusGravity) {
  // (0.5 - 0.2) / 10 ms = 30 rad/s², times 1 kg·m²
  const auto servo = make_computed_torque_servo(pendulum(), kGravity);
  EXPECT_NEAR(one_update(*servo, 0.5, 0.6, 0.2, 10ms), 30.0 - 9.81 * std::cos(0.6), kTolerance);
  EXPECT_NEAR(one_update(*servo, 0.5, 0.6, 0.2, 20ms), 15.0 - 9.81 * std::cos(0.6), kTolerance);
}

TEST(ComputedTorqueServo, OvercomesTheDampingOfTheVelocityItWants) {
  model::BodyTree tree = pendulum();
  tree.joints[0].dynamics.damping = 4.0;
  const auto servo = make_computed_torque_servo(tree, kGravity);
  EXPECT_NEAR(one_update(*servo, 0.5, 0.6, 0.2, 10ms), 32.0 - 9.81 * std::cos(0.6), kTolerance);
}

TEST(ComputedTorqueServo, EqualsTheTextbooksPlanarArm) {
  // masses m at the ends of links l: M11 = m1 l1² + m2 (l1² + l2² + 2 l1 l2 cos q2),
  // M12 = m2 (l2² + l1 l2 cos q2), M22 = m2 l2²; with k = m2 l1 l2 sin q2 the bias is
  // -k (2 v1 v2 + v2²) and k v1²; gravity is along the axes
  const double m1 = 2.0, m2 = 3.0, l1 = 1.0, l2 = 0.5;
  const std::array q{0.4, 0.9};
  const std::array v{1.5, -2.0};
  const std::array wanted{1.6, -1.7};
  const double a1 = (wanted[0] - v[0]) / 0.004;
  const double a2 = (wanted[1] - v[1]) / 0.004;
  const double m11 = m1 * l1 * l1 + m2 * (l1 * l1 + l2 * l2 + 2.0 * l1 * l2 * std::cos(q[1]));
  const double m12 = m2 * (l2 * l2 + l1 * l2 * std::cos(q[1]));
  const double m22 = m2 * l2 * l2;
  const double k = m2 * l1 * l2 * std::sin(q[1]);

  const auto servo = make_computed_torque_servo(planar_arm(), kGravity);
  std::array<double, 2> efforts{};
  servo->update(wanted, q, v, 4ms, efforts);
  EXPECT_NEAR(efforts[0], m11 * a1 + m12 * a2 - k * (2.0 * v[0] * v[1] + v[1] * v[1]), 1e-10);
  EXPECT_NEAR(efforts[1], m12 * a1 + m22 * a2 + k * v[0] * v[0], 1e-10);
}

TEST(ComputedTorqueServo, EqualsMassMatrixTimesAccelerationPlusBias) {
  model::BodyTree tree = pendulum();
  add_joint(tree, "elbow", Vector3::UnitZ(), {1.0, 0.25, 0.1}, 0.75);
  const auto servo = make_computed_torque_servo(tree, kGravity);
  motion::Dynamics dynamics(tree, kGravity);
  const std::array q{0.3, -1.1};
  const std::array v{2.0, -3.0};
  const std::array wanted{2.5, -3.25};
  std::array<double, 2> efforts{};
  servo->update(wanted, q, v, 1ms, efforts);
  const Eigen::Vector2d expected =
      dynamics.mass_matrix(q) * Eigen::Vector2d(500.0, -250.0) + dynamics.bias(q, v);
  EXPECT_NEAR(efforts[0], expected[0], 1e-9);
  EXPECT_NEAR(efforts[1], expected[1], 1e-9);
}

}  // namespace
}  // namespace longarm::control
