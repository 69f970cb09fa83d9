// SPDX-License-Identifier: Apache-2.0
// Each check found by a model that fails it alone, in its exact words.
#include "longarm/model/lint.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/model/mimic_limits.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

/// A fixed base and one arm of 2 kg, 1 kg·m² about each axis, with a box of 1 m × 2 m × 3 m to
/// collide.
BodyTree good_tree() {
  BodyTree tree;
  Body arm;
  arm.name = "arm";
  arm.inertial = {2.0, Pose::Identity(), Matrix3::Identity()};
  arm.collisions.push_back({"box", Pose::Identity(), Box{Vector3(1, 2, 3)}, {}});
  arm.where = {"a.urdf", 3, 1};
  tree.bodies = {Body{}, arm};
  tree.bodies[0].name = "base";
  TreeJoint joint;
  joint.name = "j";
  joint.limits = {-1.0, 1.0, 3.0, 100.0};
  joint.where = {"a.urdf", 8, 1};
  tree.joints = {joint};
  return tree;
}

// 2/12·(4 + 9), 2/12·(9 + 1), 2/12·(1 + 4)
constexpr const char* kBoxHint =
    "a solid box of 2 kg around its collision shapes has 2.16667, 1.66667 and 0.833333 kg·m²\n";

std::string with_tensor(const Matrix3& tensor) {
  BodyTree tree = good_tree();
  tree.bodies[1].inertial.inertia_kg_m2 = tensor;
  return all_text(lint(tree));
}

TEST(Lint, FindsNothingInAGoodModel) {
  EXPECT_EQ(all_text(lint(good_tree())), "");
}

TEST(Lint, FindsMovingBodiesWithoutMass) {
  BodyTree tree = good_tree();
  tree.bodies[1].inertial = {};
  EXPECT_EQ(all_text(lint(tree)),
            "mass: a.urdf:3:1: error: body 'arm' moves but has no mass\n"
            "  hint: give it an <inertial>, or make joint 'j' fixed\n");
  tree = good_tree();
  tree.bodies[1].inertial.mass_kg = -2.0;
  EXPECT_EQ(all_text(lint(tree)),
            "mass: a.urdf:3:1: error: body 'arm' has a mass of -2 kg\n"
            "  hint: a mass is a finite number greater than 0\n");
}

TEST(Lint, OnlyWarnsOfARootThatDoesNotMove) {
  BodyTree tree = good_tree();
  tree.bodies[0].inertial = {2.0, Pose::Identity(), Matrix3::Zero()};
  const std::vector<LintFinding> found = lint(tree);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "inertia-definite");
  EXPECT_EQ(found[0].diagnostic.severity, Severity::kWarning);
  EXPECT_EQ(lint(tree, false)[0].diagnostic.severity, Severity::kError);
}

TEST(Lint, JudgesTheRootOnlyIfItFloats) {
  BodyTree tree = good_tree();
  tree.bodies[0].where = {"a.urdf", 2, 1};
  EXPECT_EQ(all_text(lint(tree, true)), "");
  EXPECT_EQ(all_text(lint(tree, false)),
            "mass: a.urdf:2:1: error: body 'base' moves but has no mass\n"
            "  hint: give it an <inertial>, or fix it to the world\n");
}

/// good_tree() with a joint `tip` on its arm that mimics `j`.
BodyTree with_follower(double multiplier, double offset, double lower, double upper) {
  BodyTree tree = good_tree();
  tree.joints[0].limits.lower = 0.0;
  tree.bodies.push_back(tree.bodies[1]);
  tree.bodies[2].name = "tip";
  TreeJoint follower = tree.joints[0];
  follower.name = "tip";
  follower.parent_body = 1;
  follower.limits = {lower, upper, 3.0, 100.0};
  follower.mimic = MimicIndex{0, multiplier, offset};
  tree.joints.push_back(follower);
  return tree;
}

TEST(Lint, FindsJointsThatTheirFollowersKeepFromMoving) {
  const std::string hint =
      "  hint: check the sign of the multiplier, or widen the limits of the joints that mimic it\n";
  EXPECT_EQ(all_text(lint(with_follower(-1.0, 0.0, 0.0, 0.87))),
            "limits: a.urdf:8:1: warning: joint 'j' can only be at 0 within the limits of 'tip' "
            "(× -1, 0 to 0.87)\n" +
                hint);
  EXPECT_EQ(all_text(lint(with_follower(-1.0, -0.5, 0.0, 0.87))),
            "limits: a.urdf:8:1: warning: joint 'j' has no position within the limits of 'tip' "
            "(× -1, 0 to 0.87)\n" +
                hint);
  EXPECT_EQ(all_text(lint(with_follower(1.0, 0.0, 0.0, 0.2))), "") << "there is a motion";
  EXPECT_EQ(all_text(lint(with_follower(-1.0, 0.0, -0.87, 0.0))), "");
}

TEST(MimicLimits, AreThoseOfAllThatMove) {
  // tip = 0.5 - 2 j within -0.5 … 0.1: j within 0.2 … 0.5, at half of tip's 3 rad/s
  const JointLimits limits = limits_with_followers(with_follower(-2.0, 0.5, -0.5, 0.1), 0);
  EXPECT_DOUBLE_EQ(limits.lower, 0.2);
  EXPECT_DOUBLE_EQ(limits.upper, 0.5);
  EXPECT_DOUBLE_EQ(limits.velocity, 1.5);
}

TEST(Lint, FindsInertiaThatIsNotPositiveDefinite) {
  // [[1 2][2 1]] has the eigenvalues 1 ± 2
  Matrix3 tensor = Matrix3::Identity();
  tensor(0, 1) = tensor(1, 0) = 2.0;
  EXPECT_EQ(
      with_tensor(tensor),
      std::string("inertia-definite: a.urdf:3:1: error: body 'arm' has an inertia that is not "
                  "positive definite: its principal moments are -1, 1 and 3 kg·m²\n  hint: ") +
          kBoxHint);
  EXPECT_EQ(
      with_tensor(Matrix3::Constant(NAN)),
      std::string("inertia-definite: a.urdf:3:1: error: body 'arm' has an inertia that is not "
                  "finite\n  hint: ") +
          kBoxHint);
}

TEST(Lint, FindsMomentsThatBreakTheTriangleInequality) {
  EXPECT_EQ(with_tensor(Vector3(1, 2, 3.5).asDiagonal()),
            std::string("inertia-triangle: a.urdf:3:1: error: body 'arm' has impossible principal "
                        "moments: 1 + 2 is less than 3.5 kg·m²\n"
                        "  hint: ") +
                kBoxHint);
  // a flat plate sits exactly on the border, also after rounding in the seventh digit
  EXPECT_EQ(with_tensor(Vector3(1, 2, 3).asDiagonal()), "");
  EXPECT_EQ(with_tensor(Vector3(1, 2, 3.000001).asDiagonal()), "");
  EXPECT_NE(with_tensor(Vector3(1, 2, 3.00001).asDiagonal()), "");
}

TEST(Lint, FindsInertiaFarTooLargeForTheShapes) {
  // 1 m × 2 m × 3 m is √14 = 3.74166 m across, so 2 kg in it have at most 2·14/4 = 7 kg·m². The
  // radius of gyration √(3200/2) = 40 m is more than ten times as far, √(200/2) = 10 m is not
  const std::string words =
      " kg·m², but 2 kg within its collision shapes, 3.74166 m across, cannot have more than 7\n"
      "  hint: inertia is in kg·m²; " +
      std::string(kBoxHint);
  EXPECT_EQ(with_tensor(3200.0 * Matrix3::Identity()),
            "inertia-size: a.urdf:3:1: error: body 'arm' has a moment of inertia of 3200" + words);
  EXPECT_EQ(with_tensor(200.0 * Matrix3::Identity()),
            "inertia-size: a.urdf:3:1: warning: body 'arm' has a moment of inertia of 200" + words);
  // √(28/2) = 3.74166 m: as far as they reach
  EXPECT_EQ(with_tensor(27.9 * Matrix3::Identity()), "");
}

/// A gear of the public kitting models: a disc of the gear's size with the tensor of its file.
std::vector<LintFinding> lint_gear(double mass_kg, double diameter_m, const Matrix3& tensor) {
  BodyTree tree = good_tree();
  tree.bodies[1].inertial = {mass_kg, Pose::Identity(), tensor};
  tree.bodies[1].collisions[0].shape = Cylinder{diameter_m / 2.0, 0.035};
  return lint(tree);
}

TEST(Lint, RefusesTheInertiasOfThePublicGears) {
  // sku_part_small_gear: [[-1.8069 -1.38183][-1.38183 -1.8069]] has -1.8069 ∓ 1.38183
  Matrix3 small;
  small << -1.8069, -1.38183, 9.8929e-10, -1.38183, -1.8069, 2.90322e-12, 9.8929e-10, 2.90322e-12,
      0.113621;
  std::vector<LintFinding> found = lint_gear(0.008, 0.0474, small);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "inertia-definite");
  EXPECT_EQ(found[0].diagnostic.severity, Severity::kError);
  EXPECT_THAT(found[0].diagnostic.message,
              testing::HasSubstr("principal moments are -3.18873, -0.42507 and 0.113621 kg·m²"));

  // sku_part_medium_gear: 4.78233711 · 0.244284722 is less than 3.14256508²
  Matrix3 medium;
  medium << 4.78233711, 2.06443170e-09, 3.14256508, 2.06443170e-09, 4.78233728, 1.83990112e-08,
      3.14256508, 1.83990112e-08, 0.244284722;
  found = lint_gear(0.02, 0.0747, medium);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "inertia-definite");
  EXPECT_THAT(found[0].diagnostic.message, testing::HasSubstr("not positive definite"));
  EXPECT_EQ(lint_gear(0.0385, 0.1009, medium).at(0).name, "inertia-definite");

  // with the exponent of ixz that the other products have, -08, it is definite and still absurd:
  // √(0.1009² + 0.1009² + 0.035²) = 0.146924 m across, 0.0385·0.146924²/4 = 0.000207771 kg·m²
  Matrix3 large = medium;
  large(0, 2) = large(2, 0) = 3.14256508e-08;
  found = lint_gear(0.0385, 0.1009, large);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "inertia-size");
  EXPECT_EQ(found[0].diagnostic.severity, Severity::kError);
  EXPECT_EQ(found[0].diagnostic.message,
            "body 'arm' has a moment of inertia of 4.78234 kg·m², but 0.0385 kg within its "
            "collision shapes, 0.146924 m across, cannot have more than 0.000207771");
}

TEST(Lint, FindsImpossibleAndMissingLimits) {
  BodyTree tree = good_tree();
  tree.joints[0].limits = {1.0, -1.0, -3.0, HUGE_VAL};
  EXPECT_EQ(all_text(lint(tree)),
            "limits: a.urdf:8:1: error: joint 'j' has its lower limit 1 above its upper limit -1\n"
            "  hint: swap them\n"
            "limits: a.urdf:8:1: error: joint 'j' has the velocity limit -3\n"
            "  hint: a limit must not be negative\n"
            "limits: a.urdf:8:1: warning: joint 'j' has no effort limit\n"
            "  hint: set effort in the joint's <limit>; 0 counts as unknown\n");
  tree.joints[0].limits = {-1.0, 1.0, 3.0, 0.0};
  EXPECT_EQ(all_text(lint(tree)),
            "limits: a.urdf:8:1: warning: joint 'j' has the effort limit 0\n"
            "  hint: no drive can move it\n");
}

TEST(Lint, FindsAnAxisThatIsNotAUnitVector) {
  BodyTree tree = good_tree();
  tree.joints[0].axis = Vector3(0, 3, 4);
  EXPECT_EQ(all_text(lint(tree)),
            "axis: a.urdf:8:1: error: joint 'j' has the axis (0 3 4) of length 5\n"
            "  hint: an axis is a unit vector\n");
}

TEST(Lint, FindsServosThatCannotBeStable) {
  // kv·h/J = 100·0.001/0.02 = 5; stable below 2·0.02/0.001 = 40, or with J above 100·0.001/2 = 0.05
  const BodyTree tree = good_tree();
  const std::vector<double> gains{100.0};
  const std::vector<double> inertias{0.02};
  EXPECT_EQ(
      all_text(lint_servo(tree, gains, 0.001, inertias)),
      "servo-step: a.urdf:8:1: error: joint 'j': the servo cannot be stable: kv·h/J = 5 must be "
      "below 2 (kv = 100 N·m·s/rad, h = 0.001 s, J = 0.02 kg·m²)\n"
      "  hint: use a gain below 40 N·m·s/rad, or add more than 0.03 kg·m² of rotor inertia\n");
}

TEST(Lint, DrawsTheLineOfTheServoWhereTheLoopStopsConverging) {
  // v⁺ = v + r (0 - v): |1 - r| < 1 exactly for 0 < r < 2; 32·0.0625/1 = 2 is exact in binary
  const BodyTree tree = good_tree();
  for (const double gain : {0.0, 31.0, 32.0}) {
    const std::vector<double> gains{gain};
    const std::vector<double> inertias{1.0};
    const double factor = std::abs(1.0 - gain * 0.0625);
    const bool converges = gain == 0.0 || factor < 1.0;
    EXPECT_EQ(lint_servo(tree, gains, 0.0625, inertias).empty(), converges) << gain;
  }
}

TEST(Lint, SpeaksOfKilogramsAtAPrismaticJoint) {
  BodyTree tree = good_tree();
  tree.joints[0].type = JointType::kPrismatic;
  const std::vector<double> gains{4000.0};
  const std::vector<double> masses{1.0};
  EXPECT_EQ(
      all_text(lint_servo(tree, gains, 0.001, masses)),
      "servo-step: a.urdf:8:1: error: joint 'j': the servo cannot be stable: kv·h/J = 4 must be "
      "below 2 (kv = 4000 N·s/m, h = 0.001 s, J = 1 kg)\n"
      "  hint: use a gain below 2000 N·s/m, or add more than 1 kg of rotor inertia\n");
}

}  // namespace
}  // namespace longarm::model
