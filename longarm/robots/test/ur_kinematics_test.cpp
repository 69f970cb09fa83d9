// SPDX-License-Identifier: Apache-2.0
// Tests the controller's geometry against the model, against itself and by differences.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/test/ur_bench.h"
#include "longarm/robots/ur/joints.h"
#include "longarm/robots/ur/kinematics.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;
using std::numbers::pi;

Joints random_joints(std::uint64_t index, double range) {
  const RandomStream stream(8, "ur");
  Joints q;
  for (std::size_t j = 0; j < 6; ++j) {
    q[j] = range * (2.0 * stream.uniform_at(6 * index + j) - 1.0);
  }
  return q;
}

/// The maker's table, multiplied out: Rz(θ)·Tz(d)·Tx(a)·Rx(α) per joint.
Eigen::Matrix4d table_product(const Joints& q) {
  constexpr std::array<double, 6> a{0, -0.425, -0.39225, 0, 0, 0};
  constexpr std::array<double, 6> d{0.089159, 0, 0, 0.10915, 0.09465, 0.0823};
  constexpr std::array<double, 6> alpha{pi / 2, 0, 0, pi / 2, -pi / 2, 0};
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  for (std::size_t i = 0; i < 6; ++i) {
    Eigen::Matrix4d turn = Eigen::Matrix4d::Identity();
    turn.block<2, 2>(0, 0) << std::cos(q[i]), -std::sin(q[i]), std::sin(q[i]), std::cos(q[i]);
    Eigen::Matrix4d way = Eigen::Matrix4d::Identity();
    way(0, 3) = a[i];
    way(2, 3) = d[i];
    Eigen::Matrix4d twist = Eigen::Matrix4d::Identity();
    twist.block<2, 2>(1, 1) << std::cos(alpha[i]), -std::sin(alpha[i]), std::sin(alpha[i]),
        std::cos(alpha[i]);
    T = T * turn * way * twist;
  }
  return T;
}

TEST(UrKinematics, PutsTheFlangeWhereTheMakersTableAndTheModelPutIt) {
  const model::Cell cell = ur5_cell();
  const RobotArm arm(cell, 0, "tool0");
  const Pose X_RB = ur_base_on_root(cell.placements[0], "base");
  const UrKinematics kinematics(ur5_geometry());
  // the model's root is turned by half a turn about z against the controller's base
  EXPECT_NEAR(X_RB.linear()(0, 0), -1.0, 1e-12);
  EXPECT_NEAR(X_RB.linear()(2, 2), 1.0, 1e-12);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Joints q = random_joints(i, 2 * pi);
    const Eigen::Matrix4d expected = table_product(q);
    ASSERT_LE((kinematics.flange(q).matrix() - expected).cwiseAbs().maxCoeff(), 1e-12);
    ASSERT_LE(((X_RB.inverse() * arm.pose(q)).matrix() - expected).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(UrKinematics, AllInverseSolutionsLeadToThePoseAndOneIsWhereItCameFrom) {
  UrKinematics kinematics(ur5_geometry());
  kinematics.set_tool({0.01, -0.02, 0.15, 0.1, 0.2, -0.3});
  Joints lower;
  Joints upper;
  lower.fill(-2 * pi);
  upper.fill(2 * pi);
  std::size_t solutions = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Joints q = random_joints(1000 + i, pi);
    const Pose X = kinematics.tool(q);
    for (const Joints& each : kinematics.inverse(X, q)) {
      ++solutions;
      ASSERT_LE((kinematics.tool(each).matrix() - X.matrix()).cwiseAbs().maxCoeff(), 1e-7) << i;
    }
    const auto back = kinematics.nearest(X, q, lower, upper);
    ASSERT_TRUE(back);
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_NEAR((*back)[j], q[j], 1e-6) << i;
    }
  }
  // two shoulders, two wrists and two elbows, where all of them can be reached
  EXPECT_GT(solutions, 500U * 4);
}

TEST(UrKinematics, TheNearestSolutionKeepsTheTurnsOfTheJointsWithinTheirLimits) {
  const UrKinematics kinematics(ur5_geometry());
  Joints lower;
  Joints upper;
  lower.fill(-2 * pi);
  upper.fill(2 * pi);
  const Joints q{0.3, -1.2, 1.4, -1.7, -1.5, 5.9};
  const auto near = kinematics.nearest(kinematics.tool(q), q, lower, upper);
  ASSERT_TRUE(near);
  EXPECT_NEAR((*near)[5], 5.9, 1e-9);
  // a limit of half a turn leaves other solutions
  upper[5] = pi;
  const auto limited = kinematics.nearest(kinematics.tool(q), q, lower, upper);
  ASSERT_TRUE(limited);
  EXPECT_LE((*limited)[5], pi);
  EXPECT_LE((kinematics.tool(*limited).matrix() - kinematics.tool(q).matrix()).norm(), 1e-9);
  EXPECT_FALSE(kinematics.nearest(to_pose({2.0, 0.0, 0.5, 0.0, 0.0, 0.0}), q, lower, upper));
}

TEST(UrKinematics, TheJacobianIsWhatSmallTurnsOfJointsDoToTheTool) {
  UrKinematics kinematics(ur5_geometry());
  kinematics.set_tool({0.0, 0.03, 0.12, 0.0, 0.5, 0.0});
  constexpr double kSmall = 1e-6;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Joints q = random_joints(3000 + i, pi);
    const Joints qd = random_joints(4000 + i, 1.0);
    Joints before = q;
    Joints after = q;
    for (std::size_t j = 0; j < 6; ++j) {
      before[j] -= kSmall * qd[j];
      after[j] += kSmall * qd[j];
    }
    const Vector6 velocity = kinematics.tool_velocity(q, qd);
    const Pose X0 = kinematics.tool(before);
    const Pose X1 = kinematics.tool(after);
    const Vector3 v = (X1.translation() - X0.translation()) / (2 * kSmall);
    const Vector3 w = rotation_vector(X1.linear() * X0.linear().transpose()) / (2 * kSmall);
    const Vector3 elbow = (kinematics.elbow(after) - kinematics.elbow(before)) / (2 * kSmall);
    for (Eigen::Index k = 0; k < 3; ++k) {
      ASSERT_NEAR(velocity[static_cast<std::size_t>(k)], v[k], 1e-8);
      ASSERT_NEAR(velocity[static_cast<std::size_t>(k) + 3], w[k], 1e-8);
      ASSERT_NEAR(kinematics.elbow_velocity(q, qd)[k], elbow[k], 1e-8);
    }
    if (const auto rates = kinematics.rates(q, velocity, 0.02)) {
      for (std::size_t j = 0; j < 6; ++j) {
        ASSERT_NEAR((*rates)[j], qd[j], 1e-9);
      }
    }
  }
}

// outstretched, wrist straight: the tool cannot be moved along the arm
TEST(UrKinematics, HasNoRatesAtASingularConfiguration) {
  const UrKinematics kinematics(ur5_geometry());
  EXPECT_FALSE(kinematics.rates({0, 0, 0, 0, 0, 0}, {0.1, 0, 0, 0, 0, 0}, 0.01));
  EXPECT_TRUE(
      kinematics.rates({0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0}, {0.1, 0, 0, 0, 0, 0}, 0.01));
}

TEST(UrKinematics, RotationVectorsGoBackAndForth) {
  for (const Vector6& numbers : {Vector6{1, 2, 3, 0, 0, 0}, Vector6{0, 0, 0, 0, 0, 3.1},
                                 Vector6{0, 0, 0, 1e-9, 0, 0}, Vector6{0, 0, 0, -1.2, 0.7, 2.0}}) {
    const Vector6 back = to_numbers(to_pose(numbers));
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(back[i], numbers[i], 1e-12);
    }
  }
  // half a turn has two names; either is the same rotation
  const Vector6 half = to_numbers(to_pose({0, 0, 0, pi, 0, 0}));
  EXPECT_NEAR(std::abs(half[3]), pi, 1e-9);
}

}  // namespace
}  // namespace longarm::robots
