// SPDX-License-Identifier: Apache-2.0
// Which joints are left when others are held, and where positions go.
#include "longarm/model/joint_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/model/urdf.h"

namespace longarm::model {
namespace {

using testing::ElementsAre;

/// shoulder, elbow, and a gripper whose right finger follows the left one; a wheel beside them.
Model gripper_arm() {
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& more) {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
           "'/><child link='" + child + "'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/>" + more +
           "</joint>";
  };
  const std::string turns = "<limit lower='-3' upper='3' effort='9' velocity='2'/>";
  const std::string slides = "<limit lower='0.01' upper='0.05' effort='9' velocity='2'/>";
  Diagnostics diagnostics;
  Model model = read_urdf(
      "<robot name='r'><link name='base'/><link name='upper'/><link name='lower'/>"
      "<link name='left'/><link name='right'/><link name='wheel'/>" +
          joint("shoulder", "revolute", "base", "upper", turns) +
          joint("elbow", "revolute", "upper", "lower", turns) +
          joint("finger", "prismatic", "lower", "left", slides) +
          joint("finger_copy", "prismatic", "lower", "right",
                slides + "<mimic joint='finger' multiplier='-2' offset='0.1'/>") +
          joint("wheel", "continuous", "base", "wheel", "") + "</robot>",
      "a.urdf", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return model;
}

BodyTree tree_made_of(const Model& model) {
  Diagnostics diagnostics;
  BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return tree;
}

std::vector<std::string> joints_of(const BodyTree& tree) {
  std::vector<std::string> names;
  for (const TreeJoint& joint : tree.joints) {
    names.push_back(joint.name);
  }
  return names;
}

TEST(JointChoice, DrivesAllThatDoNotMimicByDefault) {
  Model model = gripper_arm();
  EXPECT_TRUE(hold_other_joints({}, {}, model).empty());
  const BodyTree tree = tree_made_of(model);
  EXPECT_THAT(joints_of(tree), ElementsAre("shoulder", "elbow", "finger", "finger_copy", "wheel"));
  EXPECT_THAT(driven_joints(tree, {}), ElementsAre(0, 1, 2, 4));
}

TEST(JointChoice, HoldsTheRestAndWhatMimicsItAtHome) {
  Model model = gripper_arm();
  EXPECT_TRUE(hold_other_joints({{"elbow", "should*"}, {}}, {{0.02}, {"finger"}}, model).empty());
  const BodyTree tree = tree_made_of(model);
  EXPECT_THAT(joints_of(tree), ElementsAre("shoulder", "elbow"));
  // the lower link holds the fingers: z = 0.02 m, and -2 · 0.02 + 0.1 = 0.06 m
  const auto height = [&](const std::string& frame) {
    return tree.frames[static_cast<std::size_t>(*tree.find_frame(frame))].X_BF.translation().z();
  };
  EXPECT_DOUBLE_EQ(height("left"), 0.02);
  EXPECT_DOUBLE_EQ(height("right"), 0.06);
  EXPECT_EQ(tree.frames[static_cast<std::size_t>(*tree.find_frame("left"))].body, 2);
}

TEST(JointChoice, HoldsJointsAtTheLimitNearestTo0) {
  Model model = gripper_arm();
  EXPECT_TRUE(hold_other_joints({{"shoulder"}, {}}, {}, model).empty());
  const BodyTree tree = tree_made_of(model);
  const int left = *tree.find_frame("left");
  EXPECT_DOUBLE_EQ(tree.frames[static_cast<std::size_t>(left)].X_BF.translation().z(), 0.01);
}

TEST(JointChoice, LeavesFreeJointsWithoutADrive) {
  Model model = gripper_arm();
  const JointChoice choice{{"shoulder", "elbow"}, {"wh*"}};
  EXPECT_TRUE(hold_other_joints(choice, {}, model).empty());
  const BodyTree tree = tree_made_of(model);
  EXPECT_THAT(joints_of(tree), ElementsAre("shoulder", "elbow", "wheel"));
  EXPECT_THAT(driven_joints(tree, choice), ElementsAre(0, 1));
}

TEST(JointChoice, RefusesNamesThatMeanNothing) {
  const auto flaw_of = [](const JointChoice& choice, const JointPositions& home) {
    Model model = gripper_arm();
    const std::vector<JointFlaw> flaws = hold_other_joints(choice, home, model);
    EXPECT_EQ(joints_of(tree_made_of(model)).size(), 5u);
    return flaws.empty() ? "" : flaws.front().message + " (" + flaws.front().hint + ")";
  };
  EXPECT_EQ(flaw_of({{"elbo"}, {}}, {}),
            "the robot has no joint 'elbo' that moves (did you mean 'elbow'?)");
  EXPECT_EQ(flaw_of({{}, {"finger_copy"}}, {}),
            "joint 'finger_copy' mimics 'finger' and moves with it (name 'finger' instead)");
  EXPECT_EQ(flaw_of({{"*"}, {"wheel"}}, {}),
            "joint 'wheel' cannot be both driven and free (name it in one of the two lists)");
  EXPECT_EQ(flaw_of({}, {{0.1}, {"shoulders"}}),
            "the robot has no joint 'shoulders' that moves (did you mean 'shoulder'?)");
}

TEST(JointChoice, PutsPositionsByNameOrInTheOrderOfTheDrivenOnes) {
  const BodyTree tree = tree_made_of(gripper_arm());
  const std::vector<int> driven{0, 1, 2};
  std::vector<JointFlaw> flaws;
  const std::vector<double> before(5, 0.0);
  EXPECT_THAT(put_positions({{0.3}, {"elbow"}}, tree, driven, before, flaws),
              ElementsAre(0.0, 0.3, 0.0, 0.1, 0.0));
  EXPECT_THAT(put_positions({{0.1, 0.2, 0.03}, {}}, tree, driven, before, flaws),
              ElementsAre(0.1, 0.2, 0.03, testing::DoubleEq(0.04), 0.0));
  EXPECT_TRUE(flaws.empty());
  put_positions({{0.1, 0.2}, {}}, tree, driven, before, flaws);
  put_positions({{0.1}, {"finger_copy"}}, tree, driven, before, flaws);
  ASSERT_EQ(flaws.size(), 2u);
  EXPECT_EQ(flaws[0].message, "2 numbers, but the robot has 3 joints");
  EXPECT_EQ(flaws[1].message, "the robot drives no joint 'finger_copy'");
}

}  // namespace
}  // namespace longarm::model
