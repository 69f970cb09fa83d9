// SPDX-License-Identifier: Apache-2.0
// Tests frames and Jacobians against published numbers, an independent formula and finite
// differences.
#include "longarm/motion/kinematics.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/motion/test/ur5.h"

namespace longarm::motion {
namespace {

using std::numbers::pi;
using test::random_configuration;
using test::ur5_pose_by_table;
using test::ur5_tree;

std::array<double, 6> as_array(const std::vector<double>& q) {
  return {q[0], q[1], q[2], q[3], q[4], q[5]};
}

/// Rotation vector from A to B, in the axes both are given in.
Vector3 turn_between(const Pose& A, const Pose& B) {
  const Eigen::AngleAxisd turn(Matrix3(B.linear() * A.linear().transpose()));
  return turn.angle() * turn.axis();
}

// At q = 0 the arm is stretched along +x of base_link: x = a2 + a3 = 0.425 + 0.39225, y = d4 + d6 =
// 0.10915 + 0.0823, z = d1 − d5 = 0.089159 − 0.09465. Upright: z = d1 + a2 + a3 + d5. Bent: x = a3
// + d5, y = d4, z = d1 + a2 − d6.
TEST(Kinematics, FindsTheUr5ToolWhereItsLinkLengthsPutIt) {
  const Kinematics arm(ur5_tree());
  const int tool = arm.frame("tool0");
  const std::vector<double> zero(6, 0.0);
  const std::vector<double> upright{0, -pi / 2, 0, -pi / 2, 0, 0};
  const std::vector<double> bent{0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0};
  EXPECT_LT((arm.position_of(tool, zero) - Vector3(0.81725, 0.19145, -0.005491)).norm(), 1e-6);
  EXPECT_LT((arm.position_of(tool, upright) - Vector3(0, 0.19145, 1.001059)).norm(), 1e-6);
  EXPECT_LT((arm.position_of(tool, bent) - Vector3(0.4869, 0.10915, 0.431859)).norm(), 1e-6);
  EXPECT_LT((arm.pose_of(tool, bent).linear().col(2) - Vector3(0, 0, -1)).norm(), 1e-12);
}

TEST(Kinematics, AgreesWithTheDenavitHartenbergTable) {
  const Kinematics arm(ur5_tree());
  const int tool = arm.frame("tool0");
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> q = random_configuration(i, 2 * pi);
    const Pose expected = ur5_pose_by_table(as_array(q));
    const Pose pose = arm.pose_of(tool, q);
    ASSERT_LT((pose.translation() - expected.translation()).norm(), 1e-12);
    ASSERT_LT((pose.linear() - expected.linear()).norm(), 1e-12);
    ASSERT_LT((arm.position_of(tool, q) - expected.translation()).norm(), 1e-12);
  }
}

TEST(Kinematics, GivesAllBodiesTheSamePosesAsOneAtATime) {
  const Kinematics arm(ur5_tree());
  std::vector<Pose> poses(static_cast<std::size_t>(arm.body_count()));
  const std::vector<double> q = random_configuration(3);
  arm.forward(q, poses);
  for (const char* link : {"base_link", "shoulder_link", "forearm_link", "wrist_3_link"}) {
    const int frame = arm.frame(link);
    const auto body = static_cast<std::size_t>(arm.frames()[static_cast<std::size_t>(frame)].body);
    EXPECT_LT((poses[body].matrix() - arm.pose_of(frame, q).matrix()).norm(), 1e-12) << link;
  }
}

// Central differences over 2e-5 rad: truncation about 1e-10, rounding about 1e-11.
TEST(Kinematics, JacobianMatchesFiniteDifferences) {
  const Kinematics arm(ur5_tree());
  const int tool = arm.frame("tool0");
  constexpr double kStep = 1e-5;
  Jacobian jacobian;
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> q = random_configuration(i);
    arm.jacobian(tool, q, jacobian);
    for (std::size_t j = 0; j < 6; ++j) {
      std::vector<double> before = q;
      std::vector<double> after = q;
      before[j] -= kStep;
      after[j] += kStep;
      const Pose A = arm.pose_of(tool, before);
      const Pose B = arm.pose_of(tool, after);
      Eigen::Matrix<double, 6, 1> expected;
      expected << B.translation() - A.translation(), turn_between(A, B);
      expected /= 2.0 * kStep;
      ASSERT_LT((jacobian.col(static_cast<int>(j)) - expected).norm(), 1e-8);
    }
  }
}

TEST(Kinematics, JacobianOfAFrameLeavesOutTheJointsBehindIt) {
  const Kinematics arm(ur5_tree());
  Jacobian jacobian;
  arm.jacobian(arm.frame("forearm_link"), random_configuration(1), jacobian);
  EXPECT_EQ(jacobian.cols(), 6);
  EXPECT_EQ(jacobian.rightCols(3).norm(), 0.0);
  EXPECT_GT(jacobian.col(2).norm(), 0.9);
}

/// A slide along x whose second stage goes −2 times as far plus 0.1 m, along y.
model::BodyTree two_stage_slide() {
  model::BodyTree tree;
  tree.bodies.resize(3);
  tree.joints.resize(2);
  tree.joints[0].type = model::JointType::kPrismatic;
  tree.joints[0].axis = Vector3::UnitX();
  tree.joints[1].type = model::JointType::kPrismatic;
  tree.joints[1].parent_body = 1;
  tree.joints[1].axis = Vector3::UnitY();
  tree.joints[1].mimic = model::MimicIndex{0, -2.0, 0.1};
  tree.frames.push_back({.name = "tip", .body = 2});
  return tree;
}

// x = q, y = −2 q + 0.1; the follower's own entry (here 9) must not matter.
TEST(Kinematics, MovesAMimickingJointWithItsMaster) {
  const Kinematics slide(two_stage_slide());
  const std::vector<double> q{0.3, 9.0};
  EXPECT_LT((slide.position_of(0, q) - Vector3(0.3, -0.5, 0)).norm(), 1e-15);
  EXPECT_LT((slide.pose_of(0, q).translation() - Vector3(0.3, -0.5, 0)).norm(), 1e-15);
  Jacobian jacobian;
  slide.jacobian(0, q, jacobian);
  Eigen::Matrix<double, 6, 2> expected = Eigen::Matrix<double, 6, 2>::Zero();
  expected.col(0) << 1, -2, 0, 0, 0, 0;
  EXPECT_EQ((jacobian - expected).norm(), 0.0);
}

TEST(Kinematics, NamesTheFramesThereAreWhenAskedForAnother) {
  const Kinematics slide(two_stage_slide());
  try {
    slide.frame("tool");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "unknown frame 'tool'; valid names are: tip");
  }
}

// The maker states a reach of 850 mm without naming the two points. With the arm stretched (q = 0),
// from where pan and lift axes meet:
//   to where upper arm and forearm end          0.425 + 0.39225                            =
//   0.81725 m to where the axes of wrist 2 and 3 meet     sqrt(0.81725² + 0.10915² + 0.09465²) =
//   0.82993 m to tool0                                    sqrt(0.81725² + 0.19145² + 0.09465²) =
//   0.84469 m
// The last comes nearest: 5.3 mm short of 850. No pair of joint or tool origins gives it to a
// millimetre, and with the wrist turned outwards tool0 gets further than 850 mm (sqrt((0.81725 +
// 0.09465)² + 0.19145²) = 0.93178 m), so the figure is a rounded one and says little about what
// this model can reach.
TEST(Kinematics, ReachesAsFarAsItsLinksAllow) {
  const Kinematics arm(ur5_tree());
  const auto reach = [&](const char* frame, const std::vector<double>& q) {
    const Vector3 shoulder = arm.position_of(arm.frame("shoulder_link"), q);
    return (arm.position_of(arm.frame(frame), q) - shoulder).norm();
  };
  const std::vector<double> stretched(6, 0.0);
  EXPECT_NEAR(reach("wrist_2_link", stretched), 0.82993, 1e-5);
  EXPECT_NEAR(reach("tool0", stretched), 0.84469, 1e-5);
  const std::vector<double> wrist_outwards{0, 0, 0, -pi / 2, 0, 0};
  EXPECT_NEAR(reach("tool0", wrist_outwards), 0.93178, 1e-5);
}

}  // namespace
}  // namespace longarm::motion
