// SPDX-License-Identifier: Apache-2.0
// The models in models/ are what their READMEs say they are.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

BodyTree load(const std::string& path) {
  Diagnostics diagnostics;
  const Model model =
      read_model_file(std::string(LONGARM_SOURCE_DIR) + "/models/" + path, diagnostics);
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  return tree;
}

TEST(Ur5Model, PassesEveryCheck) {
  EXPECT_EQ(all_text(lint(load("ur5/ur5.urdf"))), "");
}

TEST(Ur5Model, HasSixRotaryJointsWithTheirLimits) {
  const BodyTree tree = load("ur5/ur5.urdf");
  const std::vector<std::string> names{"shoulder_pan_joint", "shoulder_lift_joint",
                                       "elbow_joint",        "wrist_1_joint",
                                       "wrist_2_joint",      "wrist_3_joint"};
  const std::vector<double> efforts{150, 150, 150, 28, 28, 28};
  ASSERT_EQ(tree.joints.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const TreeJoint& joint = tree.joints[i];
    const double range = (i == 2 ? 1.0 : 2.0) * std::numbers::pi;
    EXPECT_EQ(joint.name, names[i]);
    EXPECT_EQ(joint.type, JointType::kRevolute);
    EXPECT_EQ(joint.parent_body, static_cast<int>(i));
    EXPECT_EQ(joint.limits.effort, efforts[i]);
    EXPECT_DOUBLE_EQ(joint.limits.velocity, std::numbers::pi);
    EXPECT_DOUBLE_EQ(joint.limits.lower, -range);
    EXPECT_DOUBLE_EQ(joint.limits.upper, range);
  }
}

TEST(Ur5Model, HasTheMovingMassOfTheArm) {
  // 3.7 + 8.393 + 2.33 + 1.219 + 1.219 + 0.1879 = 17.0489 kg
  const BodyTree tree = load("ur5/ur5.urdf");
  double moving_kg = 0.0;
  for (std::size_t i = 1; i < tree.bodies.size(); ++i) {
    moving_kg += tree.bodies[i].inertial.mass_kg;
  }
  EXPECT_NEAR(moving_kg, 17.0489, 1e-12);
}

TEST(Ur5Model, HasTheForearmTensorOfItsOwnMass) {
  // cylinder m = 2.33, r = 0.06, L = 0.39225 along x: xx = m r²/2 = 0.004194,
  // yy = zz = m (3 r² + L²)/12 = 2.33·(0.0108 + 0.1538600625)/12 = 0.03197149546875
  const BodyTree tree = load("ur5/ur5.urdf");
  const int forearm = tree.find_body("forearm_link").value();
  const Matrix3 expected = Vector3(0.004194, 0.03197149546875, 0.03197149546875).asDiagonal();
  EXPECT_TRUE(tree.bodies[static_cast<std::size_t>(forearm)].inertial.inertia_kg_m2.isApprox(
      expected, 1e-11));
}

TEST(Ur5Model, HasItsNamedFramesAndIgnoredPairs) {
  const BodyTree tree = load("ur5/ur5.urdf");
  const Frame& tool = tree.frames[static_cast<std::size_t>(tree.find_frame("tool0").value())];
  EXPECT_EQ(tool.body, 6);
  EXPECT_TRUE(tool.X_BF.isApprox(Pose::Identity(), 1e-15));  // flange and back again
  EXPECT_EQ(tree.frames[static_cast<std::size_t>(tree.find_frame("base").value())].body, 0);
  EXPECT_EQ(tree.ignored_contacts,
            (std::vector<std::pair<int, int>>{{0, 2}, {0, 4}, {1, 4}, {1, 5}, {4, 6}}));
}

TEST(Ur5Model, ReachesEightHundredAndFiftyMillimetres) {
  // With all joints at 0 the arm is straight. shoulder_link to tool0, by the joint offsets alone:
  // x 0.425 + 0.39225 = 0.81725, y 0.10915 + 0.0823 = 0.19145, z 0.09465; √(x² + y² + z²) =
  // 0.84470. The maker states 850 mm, not its two points.
  const BodyTree tree = load("ur5/ur5.urdf");
  Pose X_ST = Pose::Identity();
  for (std::size_t i = 1; i < tree.joints.size(); ++i) {
    X_ST = X_ST * tree.joints[i].X_PJ;
  }
  EXPECT_NEAR(X_ST.translation().norm(), std::hypot(0.81725, 0.19145, 0.09465), 1e-12);
  EXPECT_NEAR(X_ST.translation().norm(), 0.850, 0.006);
}

TEST(LrMateModel, PassesEveryCheck) {
  EXPECT_EQ(all_text(lint(load("lrmate200id/lrmate200id.urdf"))), "");
}

TEST(LrMateModel, HasSixRotaryJointsWithTheirLimits) {
  const BodyTree tree = load("lrmate200id/lrmate200id.urdf");
  const double lower[] = {-170, -100, -70, -190, -125, -360};
  const double upper[] = {170, 145, 205, 190, 125, 360};
  const double speed[] = {450, 380, 520, 550, 545, 1000};
  const Vector3 axes[] = {{0, 0, 1}, {0, 1, 0}, {0, -1, 0}, {-1, 0, 0}, {0, -1, 0}, {-1, 0, 0}};
  ASSERT_EQ(tree.joints.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const TreeJoint& joint = tree.joints[i];
    const double degree = std::numbers::pi / 180.0;
    EXPECT_EQ(joint.name, "joint_" + std::to_string(i + 1));
    EXPECT_EQ(joint.type, JointType::kRevolute);
    EXPECT_EQ(joint.parent_body, static_cast<int>(i));
    EXPECT_EQ(joint.axis, axes[i]);
    EXPECT_NEAR(joint.limits.lower, lower[i] * degree, 1e-12);
    EXPECT_NEAR(joint.limits.upper, upper[i] * degree, 1e-12);
    EXPECT_NEAR(joint.limits.velocity, speed[i] * degree, 1e-12);
  }
}

TEST(LrMateModel, WeighsTwentyFiveKilograms) {
  // 4.94 + 5.72 + 9.21 + 2.19 + 2.45 + 0.47 + 0.05 = 25.03 kg
  double mass_kg = 0.0;
  for (const Body& body : load("lrmate200id/lrmate200id.urdf").bodies) {
    mass_kg += body.inertial.mass_kg;
  }
  EXPECT_NEAR(mass_kg, 25.03, 1e-12);
}

TEST(LrMateModel, CanHoldItsPayloadStretchedOutTwice) {
  // moments about joint 2 with the arm stretched level: upper arm 9.21·0.159, elbow
  // 2.19·(0.33 + 0.019), forearm 2.45·(0.33 + 0.225), wrist 0.47·(0.33 + 0.356), flange and payload
  // 7.05·(0.33 + 0.4165); together 9.17 kg·m, 90 N·m
  const BodyTree tree = load("lrmate200id/lrmate200id.urdf");
  EXPECT_GT(tree.joints[1].limits.effort, 2.0 * 90.0);
  // about joint 3: 3.70 kg·m, 36 N·m; about joint 5: 0.57 kg·m, 6 N·m
  EXPECT_GT(tree.joints[2].limits.effort, 2.0 * 36.0);
  EXPECT_GT(tree.joints[4].limits.effort, 2.0 * 6.0);
}

TEST(OneJointModel, HasOneKilogramSquareMetreAboutAVerticalAxis) {
  const BodyTree tree = load("one-joint/one-joint.urdf");
  ASSERT_EQ(tree.joints.size(), 1u);
  EXPECT_EQ(tree.joints[0].axis, Vector3::UnitZ());
  EXPECT_EQ(tree.joints[0].limits.lower, -HUGE_VAL);
  EXPECT_EQ(tree.joints[0].limits.effort, HUGE_VAL);
  EXPECT_EQ(tree.joints[0].limits.velocity, HUGE_VAL);
  const Inertial& drum = tree.bodies[1].inertial;
  EXPECT_EQ(drum.inertia_kg_m2(2, 2), 1.0);
  EXPECT_EQ(drum.X_LC.translation(), Vector3::Zero());
  const Frame& tip = tree.frames[static_cast<std::size_t>(tree.find_frame("tip").value())];
  EXPECT_EQ(tip.X_BF.translation(), Vector3(0.5, 0, 0));
  for (const LintFinding& finding : lint(tree)) {
    EXPECT_EQ(finding.diagnostic.severity, Severity::kWarning);
  }
}

TEST(KittingModels, PassEveryCheckAsPartsThatMove) {
  for (const char* name :
       {"sia20f/sia20f.urdf", "fanuc-gripper/fanuc-gripper.urdf",
        "motoman-gripper/motoman-gripper.urdf", "robotiq-2f85/robotiq-2f85.urdf",
        "vacuum-gripper/vacuum-gripper.urdf", "sku_part_small_gear/sku_part_small_gear.sdf",
        "sku_part_medium_gear/sku_part_medium_gear.sdf",
        "sku_part_large_gear/sku_part_large_gear.sdf",
        "sku_kit_m2l1_vessel/sku_kit_m2l1_vessel.sdf", "conveyor/conveyor.sdf"}) {
    EXPECT_EQ(all_text(lint(load(name), name == std::string("conveyor/conveyor.sdf"))), "") << name;
  }
}

TEST(KittingModels, GearsWeighAndTurnAsTheirSolidsDo) {
  // small: frustum of r 7.5 to 20 mm, h 12.6 mm: V = π·12.6/3·(7.5² + 7.5·20 + 20²) = 7999.3 mm³;
  // disc π·23.7²·6 = 10587.6; peg π·4²·16 = 804.2. Along z per density: for the frustum
  // π/10·h·(R⁵ - r⁵)/(R - r) = 1005837, V r²/2 of disc 2973475 and peg 6434 mm⁵; times 8 g by the
  // volume of 19391.2 mm³ is 1.64436e-6 kg·m²
  const BodyTree gear = load("sku_part_small_gear/sku_part_small_gear.sdf");
  const Inertial& inertial = gear.bodies[0].inertial;
  EXPECT_DOUBLE_EQ(inertial.mass_kg, 0.008);
  EXPECT_NEAR(inertial.inertia_kg_m2(2, 2), 1.64436e-6, 1e-10);
}

}  // namespace
}  // namespace longarm::model
