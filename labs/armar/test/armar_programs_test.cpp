// SPDX-License-Identifier: Apache-2.0
// The arm's model, and what the programs around its hand compute.
#include "labs/armar/armar_programs.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/config/ready.h"
#include "longarm/model/model_file.h"

namespace longarm::armar {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

model::BodyTree armar_tree() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(config::find_model_file("armar3", "armar3"), diagnostics);
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

/// From the arm's mount, in mm.
model::Vector3 tcp_mm(const std::vector<double>& q) {
  const motion::Kinematics kinematics(armar_tree());
  const motion::Pose X_RM = kinematics.pose_of(kinematics.frame("left_arm_mount"), q);
  const motion::Pose X_RT = kinematics.pose_of(kinematics.frame("tcp_l"), q);
  return 1e3 * (X_RM.inverse() * X_RT).translation();
}

// The public description's own values, given to the micrometre.
TEST(Armar3, HasItsHandWhereThePublicDescriptionHasIt) {
  EXPECT_NEAR((tcp_mm({0, 0, 0, 0, 0, 0, 0}) - model::Vector3(-87.478, 390.0, -297.496)).norm(), 0,
              1e-3);
  EXPECT_NEAR(
      (tcp_mm({0, -75 * kDegree, 0, 0, 0, 0, 0}) - model::Vector3(-310.0, 390.0, 7.5)).norm(), 0,
      1e-3);
  EXPECT_NEAR(
      (tcp_mm({0, 0, 0, -90 * kDegree, 0, 0, 0}) - model::Vector3(-183.241, 20.0, -654.888)).norm(),
      0, 1e-3);
}

// 3.65 + 2.5 + 1.55685 + 1.15744 + 2.26566 + 1.29945 + 2.59945 kg
TEST(Armar3, WeighsWhatItsLinksWeigh) {
  double mass_kg = 0.0;
  for (const model::Body& body : armar_tree().bodies) {
    mass_kg += body.inertial.mass_kg;
  }
  EXPECT_NEAR(mass_kg, 15.02885, 1e-9);
}

TEST(JointVelocities, MoveTheHandAsAsked) {
  const model::BodyTree tree = armar_tree();
  const motion::Kinematics kinematics(tree);
  const int hand = kinematics.frame("tcp_l");
  const std::vector<double> q{0.1, -0.4, 0.1, -0.3, 0.05, 0.02, -0.03};
  const model::Vector3 wanted(0.05, -0.02, 0.03);
  const std::vector<double> q_dot = joint_velocities(kinematics, tree, hand, q, wanted);
  motion::Jacobian jacobian;
  kinematics.jacobian(hand, q, jacobian);
  const model::Vector3 got =
      jacobian.topRows(3) * Eigen::Map<const Eigen::VectorXd>(q_dot.data(), 7);
  EXPECT_NEAR((got - wanted).norm(), 0.0, 1e-12);
}

TEST(JointVelocities, KeepTheDirectionWhenAJointWouldBeTooFast) {
  const model::BodyTree tree = armar_tree();
  const motion::Kinematics kinematics(tree);
  const int hand = kinematics.frame("tcp_l");
  const std::vector<double> q{0.1, -0.4, 0.1, -0.3, 0.05, 0.02, -0.03};
  const std::vector<double> q_dot =
      joint_velocities(kinematics, tree, hand, q, model::Vector3(50.0, 0.0, 0.0));
  double fastest = 0.0;
  for (const double each : q_dot) {
    fastest = std::max(fastest, std::abs(each));
  }
  EXPECT_NEAR(fastest, 1.0, 1e-12);  // the model's limit
  motion::Jacobian jacobian;
  kinematics.jacobian(hand, q, jacobian);
  const model::Vector3 got =
      jacobian.topRows(3) * Eigen::Map<const Eigen::VectorXd>(q_dot.data(), 7);
  EXPECT_GT(got.normalized().x(), 0.9999);
}

TEST(VelocityAlong, SlowsDownNearTheEnd) {
  EXPECT_NEAR(velocity_along({0.0, 0.5, 0.0}, 0.1, 5.0).y(), 0.1, 1e-15);
  // 10 mm left: 5/s · 10 mm
  EXPECT_NEAR(velocity_along({0.0, 0.01, 0.0}, 0.1, 5.0).y(), 0.05, 1e-15);
  EXPECT_EQ(velocity_along(model::Vector3::Zero(), 0.1, 5.0).norm(), 0.0);
}

}  // namespace
}  // namespace longarm::armar
