// SPDX-License-Identifier: Apache-2.0
// Tests that straight paths are straight, finely sampled, and say where and why they cannot go on.
#include "longarm/motion/path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/motion/test/ur5.h"

namespace longarm::motion {
namespace {

using std::numbers::pi;
using test::tool_down;
using test::ur5_home;
using test::ur5_tree;
using testing::HasSubstr;
using testing::StartsWith;

class StraightInSpace : public testing::Test {
 protected:
  model::BodyTree tree_ = ur5_tree();
  InverseKinematics ik_{tree_, Kinematics(tree_).frame("tool0")};
  std::vector<double> home_ = ur5_home();
};

TEST_F(StraightInSpace, KeepsTheToolOnTheLineAndTurnsItEvenly) {
  Pose turned = tool_down(0.5, 0.3, 0.3);
  turned.linear() = Eigen::AngleAxisd(0.6, Vector3::UnitZ()).toRotationMatrix() * turned.linear();
  const std::vector<Pose> poses{tool_down(0.5, -0.2, 0.3), turned};
  const Result<JointPath> path = straight_in_space(ik_, home_, poses);
  ASSERT_TRUE(path.has_value()) << path.error().message;
  const JointPath& found = path.value();
  ASSERT_EQ(found.waypoints.size(), 3U);
  EXPECT_EQ(found.waypoints.back(), found.configurations.size() - 1);
  const std::size_t corner = found.waypoints[1];
  for (std::size_t i = corner; i < found.configurations.size(); ++i) {
    const Pose pose = ik_.kinematics().pose_of(ik_.frame(), found.configurations[i]);
    const double fraction = (pose.translation().y() + 0.2) / 0.5;
    ASSERT_NEAR(pose.translation().x(), 0.5, 2e-10);
    ASSERT_NEAR(pose.translation().z(), 0.3, 2e-10);
    const Matrix3 expected =
        Eigen::AngleAxisd(0.6 * fraction, Vector3::UnitZ()).toRotationMatrix() * poses[0].linear();
    ASSERT_LT((pose.linear() - expected).norm(), 1e-8);
  }
  // 0.5 m in steps of at most 1 mm, 0.6 rad in steps of at most 2 mrad: 500 of them.
  EXPECT_EQ(found.configurations.size() - 1 - corner, 500U);
}

// With the tool pointing down at z = 0.2 m, wrist 1 is 0.0823 m higher and 0.09465 m nearer than
// the tool. Upper arm and forearm are stretched when it is sqrt(0.81725² − (0.2823 − 0.089159)²) =
// 0.794099 m out, the tool 0.888749 m. From x = 0.4869 m to 1.2869 m that is at 50.23 % of the way;
// samples are 0.125 % apart.
TEST_F(StraightInSpace, SaysWhereTheArmIsTooShort) {
  const std::vector<Pose> poses{tool_down(0.4869, 0.10915, 0.2), tool_down(1.2869, 0.10915, 0.2)};
  const Result<JointPath> path =
      straight_in_space(ik_, home_, poses, {.max_joint_step = 1.0, .min_singular_value = 0.0});
  ASSERT_FALSE(path.has_value());
  EXPECT_THAT(
      path.error().message,
      StartsWith("from waypoint 1 to waypoint 2, after 50.2 % of the way: out of reach: no joint "
                 "positions within the limits put 'tool0' there: off by "));
}

TEST_F(StraightInSpace, StopsBeforeItIsSingular) {
  const std::vector<Pose> poses{tool_down(0.4869, 0.10915, 0.2), tool_down(0.88, 0.10915, 0.2)};
  const Result<JointPath> path = straight_in_space(ik_, home_, poses, {.min_singular_value = 0.1});
  ASSERT_FALSE(path.has_value());
  EXPECT_THAT(path.error().message, StartsWith("from waypoint 1 to waypoint 2, after "));
  EXPECT_THAT(path.error().message, HasSubstr("loses a direction of motion"));
}

TEST_F(StraightInSpace, RefusesAJumpOfAJoint) {
  const std::vector<Pose> poses{tool_down(0.4869, 0.10915, 0.2), tool_down(0.888, 0.10915, 0.2)};
  const Result<JointPath> path =
      straight_in_space(ik_, home_, poses, {.max_joint_step = 0.02, .min_singular_value = 0.0});
  ASSERT_FALSE(path.has_value());
  EXPECT_THAT(path.error().message, HasSubstr("a joint would jump by 0.0"));
}

TEST_F(StraightInSpace, ToleratesAWaypointWhereItAlreadyIs) {
  const Pose here = ik_.kinematics().pose_of(ik_.frame(), home_);
  const Result<JointPath> path = straight_in_space(ik_, home_, std::vector<Pose>{here});
  ASSERT_TRUE(path.has_value());
  EXPECT_EQ(path.value().waypoints, (std::vector<std::size_t>{0, 0}));
}

TEST(StraightInJoints, DividesEvenlyAndEndsExactly) {
  const std::vector<std::vector<double>> waypoints{{0.0, 1.0}, {0.1, 0.8}, {0.1, 0.8}};
  const Result<JointPath> path = straight_in_joints(waypoints, 0.05);
  ASSERT_TRUE(path.has_value());
  // 0.2 rad in steps of at most 0.05: four.
  EXPECT_EQ(path.value().waypoints, (std::vector<std::size_t>{0, 4, 4}));
  EXPECT_EQ(path.value().configurations[4], waypoints[1]);
  EXPECT_NEAR(path.value().configurations[1][0], 0.025, 1e-15);
  EXPECT_NEAR(path.value().configurations[1][1], 0.95, 1e-15);
}

TEST(StraightInJoints, RefusesWaypointsOfDifferentArms) {
  const Result<JointPath> path =
      straight_in_joints(std::vector<std::vector<double>>{{0.0}, {0.0, 1.0}});
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().message, "waypoint 1 has 2 joints instead of 1");
}

TEST(JointPath, RefusesDistancesThatCannotBeMeant) {
  const std::vector<std::vector<double>> waypoints{{0.0}, {1e20}};
  EXPECT_EQ(straight_in_joints(waypoints).error().message,
            "waypoint 1 is too far away from the one before");
}

}  // namespace
}  // namespace longarm::motion
