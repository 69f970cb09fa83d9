// SPDX-License-Identifier: Apache-2.0
// The LR Mate 200iD is where its link lengths put it: a second arm, with axes unlike the UR5's.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/model/model_file.h"
#include "longarm/motion/kinematics.h"

namespace longarm::motion {
namespace {

using std::numbers::pi;

Kinematics lrmate() {
  Diagnostics diagnostics;
  const model::Model model = model::read_model_file(
      LONGARM_SOURCE_DIR "/models/lrmate200id/lrmate200id.urdf", diagnostics);
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return Kinematics(tree);
}

// x = a1 + d4 + d6 = 0.05 + 0.335 + 0.08, z = d1 + a2 + a3 = 0.33 + 0.33 + 0.035
TEST(LrMate, IsBentAtARightAngleAtZero) {
  const Kinematics arm = lrmate();
  const Pose X = arm.pose_of(arm.frame("flange"), std::vector<double>(6, 0.0));
  EXPECT_LT((X.translation() - Vector3(0.465, 0, 0.695)).norm(), 1e-12);
  EXPECT_LT((X.linear() - Matrix3::Identity()).norm(), 1e-12);
}

// the flange hangs d6 = 0.08 below the wrist at x = 0.05 + 0.335, z = 0.695
TEST(LrMate, PointsDownWithJointFiveBentByARightAngle) {
  const Kinematics arm = lrmate();
  const std::vector<double> q{0, 0, 0, 0, -pi / 2, 0};
  const Pose X = arm.pose_of(arm.frame("flange"), q);
  EXPECT_LT((X.translation() - Vector3(0.385, 0, 0.615)).norm(), 1e-12);
  EXPECT_LT((X.linear().col(0) - Vector3(0, 0, -1)).norm(), 1e-12);
  // tool0 has z where the flange has x
  const Pose tool = arm.pose_of(arm.frame("tool0"), q);
  EXPECT_LT((tool.linear().col(2) - Vector3(0, 0, -1)).norm(), 1e-12);
}

// Joint 2 leans the upper arm by 30°, joint 3 turns the other way round, so -20° leans by 20° more:
// x = 0.05 + 0.33 sin 30° + 0.415 cos 50° + 0.035 sin 50° = 0.50857,
// z = 0.33 + 0.33 cos 30° - 0.415 sin 50° + 0.035 cos 50° = 0.32038.
TEST(LrMate, LeansForwardWithJointsTwoAndThree) {
  const Kinematics arm = lrmate();
  const std::vector<double> q{0, pi / 6, -pi / 9, 0, 0, 0};
  const Vector3 p = arm.position_of(arm.frame("flange"), q);
  const double lean = 5.0 * pi / 18.0;
  const Vector3 expected(
      0.05 + 0.33 * std::sin(pi / 6) + 0.415 * std::cos(lean) + 0.035 * std::sin(lean), 0,
      0.33 + 0.33 * std::cos(pi / 6) - 0.415 * std::sin(lean) + 0.035 * std::cos(lean));
  EXPECT_LT((p - expected).norm(), 1e-12);
  EXPECT_LT((p - Vector3(0.50857, 0, 0.32038)).norm(), 1e-5);
}

// Joint 4 turns about -x. A quarter turn about -x takes z to y, so the flange that hung 0.08 m
// below the wrist is 0.08 m beside it, towards -y.
TEST(LrMate, TurnsItsForearmTheOtherWay) {
  const Kinematics arm = lrmate();
  const std::vector<double> q{0, 0, 0, pi / 2, -pi / 2, 0};
  const Vector3 p = arm.position_of(arm.frame("flange"), q);
  EXPECT_LT((p - Vector3(0.385, -0.08, 0.695)).norm(), 1e-12);
}

}  // namespace
}  // namespace longarm::motion
