// SPDX-License-Identifier: Apache-2.0
// Tests inverse kinematics by going forward and back, at limits and out of reach.
#include "longarm/motion/ik.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/motion/test/ur5.h"

namespace longarm::motion {
namespace {

using std::numbers::pi;
using test::random_configuration;
using test::ur5_tree;
using testing::StartsWith;

class Ur5Ik : public testing::Test {
 protected:
  model::BodyTree tree_ = ur5_tree();
  Kinematics arm_{tree_};
  int tool_ = arm_.frame("tool0");

  void expect_reached(const IkSolution& solution, const Pose& target) const {
    const Pose pose = arm_.pose_of(tool_, solution.positions);
    EXPECT_LE((pose.translation() - target.translation()).norm(), 1e-10);
    const Eigen::AngleAxisd turn(Matrix3(target.linear() * pose.linear().transpose()));
    EXPECT_LE(turn.angle(), 1.1e-10);
  }
};

// Near a configuration that is well away from singular ones there is exactly one solution: the
// configuration itself.
TEST_F(Ur5Ik, FindsTheConfigurationThatASlightlyWrongSeedStandsFor) {
  InverseKinematics ik(tree_, tool_);
  int regular = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> q = random_configuration(i);
    if (ik.smallest_singular_value(q) < 0.1) {
      continue;
    }
    ++regular;
    std::vector<double> seed = q;
    const std::vector<double> wrong = random_configuration(1000 + i, 0.05);
    for (std::size_t j = 0; j < 6; ++j) {
      seed[j] += wrong[j];
    }
    const Pose target = arm_.pose_of(tool_, q);
    const Result<IkSolution> solution = ik.solve(target, seed);
    ASSERT_TRUE(solution.has_value()) << i;
    expect_reached(*solution, target);
    ASSERT_LE(solution.value().iterations, 10);
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_NEAR(solution.value().positions[j], q[j], 1e-8);
    }
  }
  EXPECT_GT(regular, 100);
}

TEST_F(Ur5Ik, FindsAnyReachablePoseFromHomeGivenRestarts) {
  InverseKinematics ik(tree_, tool_, {.max_restarts = 30});
  const std::vector<double> home{0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0};
  for (int i = 0; i < 200; ++i) {
    const Pose target = arm_.pose_of(tool_, random_configuration(i));
    const Result<IkSolution> solution = ik.solve(target, home);
    ASSERT_TRUE(solution.has_value()) << i << ": " << solution.error().message;
    expect_reached(*solution, target);
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_LE(std::abs(solution.value().positions[j]), tree_.joints[j].limits.upper);
    }
  }
}

TEST_F(Ur5Ik, GivesTheSameBitsTwice) {
  InverseKinematics once(tree_, tool_, {.max_restarts = 5});
  InverseKinematics again(tree_, tool_, {.max_restarts = 5});
  const std::vector<double> home{0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0};
  const Pose target = arm_.pose_of(tool_, random_configuration(8));
  const Result<IkSolution> a = once.solve(target, home);
  (void)again.solve(arm_.pose_of(tool_, random_configuration(9)), home);
  const Result<IkSolution> b = again.solve(target, home);
  ASSERT_EQ(a.has_value(), b.has_value());
  ASSERT_TRUE(a.has_value());
  EXPECT_EQ(a.value().positions, b.value().positions);
}

// The tool can be 0.81725 + 0.09465 + … < 1.1 m from the shoulder; the nearest it gets to (2, 0,
// 0.3) is more than 0.9 m away.
TEST_F(Ur5Ik, TellsHowFarOffItIsWhenOutOfReach) {
  InverseKinematics ik(tree_, tool_);
  Pose target = Pose::Identity();
  target.translation() = Vector3(2, 0, 0.3);
  const Result<IkSolution> solution = ik.solve(target, random_configuration(1));
  ASSERT_FALSE(solution.has_value());
  EXPECT_THAT(solution.error().message,
              StartsWith("no joint positions within the limits put 'tool0' there: off by "));
}

// Two links of 1 m in a plane; the second may bend only upwards. The target needs a bend of +1 rad;
// from a seed whose local descent goes to −1 rad, the limit at zero must hold the joint.
TEST(InverseKinematics, StaysWithinLimits) {
  model::BodyTree tree;
  tree.bodies.resize(3);
  tree.joints.resize(2);
  tree.joints[1].parent_body = 1;
  tree.joints[1].X_PJ.translation() = Vector3(1, 0, 0);
  tree.joints[1].limits.lower = 0.0;
  tree.joints[1].limits.upper = 2.0;
  tree.frames.push_back({.name = "tip", .body = 2});
  tree.frames.back().X_BF.translation() = Vector3(1, 0, 0);
  const Kinematics arm(tree);
  InverseKinematics ik(tree, 0);
  const Result<IkSolution> good =
      ik.solve(arm.pose_of(0, std::vector{0.3, 1.0}), std::vector{0.0, 0.5});
  ASSERT_TRUE(good.has_value());
  EXPECT_NEAR(good.value().positions[0], 0.3, 1e-9);
  EXPECT_NEAR(good.value().positions[1], 1.0, 1e-9);
  // Only a bend of −1 rad gives this pose.
  const Result<IkSolution> bad =
      ik.solve(arm.pose_of(0, std::vector{0.3, -1.0}), std::vector{0.0, 0.5});
  EXPECT_FALSE(bad.has_value());
}

// A finger behind the tool must not be moved, and a joint that mimics another must follow it.
TEST(InverseKinematics, LeavesOtherJointsAloneAndLetsFollowersFollow) {
  model::BodyTree tree;
  tree.bodies.resize(4);
  tree.joints.resize(3);
  for (int i = 0; i < 3; ++i) {
    tree.joints[static_cast<std::size_t>(i)].type = model::JointType::kPrismatic;
    tree.joints[static_cast<std::size_t>(i)].parent_body = i;
    tree.joints[static_cast<std::size_t>(i)].axis = Vector3::UnitX();
  }
  tree.joints[1].mimic = model::MimicIndex{0, 0.5, 0.1};
  tree.frames.push_back({.name = "tool", .body = 2});
  InverseKinematics ik(tree, 0);
  Pose target = Pose::Identity();
  target.translation() = Vector3(1.0, 0, 0);  // q + 0.5 q + 0.1 = 1 → q = 0.6, follower 0.4
  const Result<IkSolution> solution = ik.solve(target, std::vector{0.0, 0.0, 0.7});
  ASSERT_TRUE(solution.has_value());
  EXPECT_NEAR(solution.value().positions[0], 0.6, 1e-9);
  EXPECT_NEAR(solution.value().positions[1], 0.4, 1e-9);
  EXPECT_EQ(solution.value().positions[2], 0.7);
}

}  // namespace
}  // namespace longarm::motion
