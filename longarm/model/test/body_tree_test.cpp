// SPDX-License-Identifier: Apache-2.0
// Fixed joints lumped, against sums done by hand; and what a broken tree is told.
#include "longarm/model/body_tree.h"

#include <numbers>

#include <gtest/gtest.h>

#include "longarm/model/cell.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

Link make_link(const std::string& name, int line = 0) {
  return {name, std::nullopt, {}, {}, {"m.urdf", line, 1}};
}

Joint make_joint(const std::string& name, JointType type, const std::string& parent,
                 const std::string& child, int line = 0) {
  Joint joint;
  joint.name = name;
  joint.type = type;
  joint.parent = parent;
  joint.child = child;
  joint.where = {"m.urdf", line, 3};
  return joint;
}

Model make_model(const std::vector<std::string>& links) {
  Model model;
  model.name = "m";
  for (const std::string& name : links) {
    model.links.push_back(make_link(name, static_cast<int>(model.links.size()) + 1));
  }
  return model;
}

std::string problems_of(const Model& model) {
  Diagnostics diagnostics;
  make_body_tree(model, diagnostics);
  return all_text(diagnostics);
}

TEST(BodyTree, LumpsTwoTurnedLinksByTheParallelAxisTheorem) {
  // a: 2 kg at the origin, diag(1, 2, 3). b: fixed at (1 0 0), turned 90° about z; 6 kg at (0 -1 0)
  // of b, which is (2 0 0) of a; diag(4, 5, 6) in b axes is diag(5, 4, 6) in a axes. Total 8 kg at
  // x = 6·2/8 = 1.5. Steiner: 2·1.5² + 6·0.5² = 6 on yy and zz. xx = 1 + 5, yy = 2 + 4 + 6, zz = 3
  // + 6 + 6.
  Model model = make_model({"a", "b"});
  model.links[0].inertial = Inertial{2.0, Pose::Identity(), Vector3(1, 2, 3).asDiagonal()};
  model.links[1].inertial = Inertial{6.0, shifted(0, -1, 0), Vector3(4, 5, 6).asDiagonal()};
  model.joints.push_back(make_joint("j", JointType::kFixed, "a", "b"));
  model.joints[0].X_PJ =
      shifted(1, 0, 0) * Eigen::AngleAxisd(std::numbers::pi / 2, Vector3::UnitZ());

  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(tree.bodies.size(), 1u);
  const Inertial& lumped = tree.bodies[0].inertial;
  EXPECT_DOUBLE_EQ(lumped.mass_kg, 8.0);
  EXPECT_TRUE(lumped.X_LC.isApprox(shifted(1.5, 0, 0), 1e-15));
  const Matrix3 expected = Vector3(6, 12, 15).asDiagonal();
  EXPECT_TRUE(lumped.inertia_kg_m2.isApprox(expected, 1e-15)) << lumped.inertia_kg_m2;
}

TEST(BodyTree, MakesADumbbellOfTwoSpheres) {
  // Each sphere: 5 kg, r = 0.1 m, 2/5·m·r² = 0.02. Centres 1 m apart along y, joined at the first
  // one. xx = zz = 2·0.02 + 2·5·0.5² = 2.54, yy = 0.04.
  Model model = make_model({"left", "right"});
  for (Link& link : model.links) {
    link.inertial = Inertial{5.0, Pose::Identity(), 0.02 * Matrix3::Identity()};
    link.collisions.push_back({link.name, Pose::Identity(), Sphere{0.1}, {}});
  }
  model.joints.push_back(make_joint("j", JointType::kFixed, "left", "right"));
  model.joints[0].X_PJ = shifted(0, 1, 0);

  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  const Matrix3 expected = Vector3(2.54, 0.04, 2.54).asDiagonal();
  EXPECT_TRUE(tree.bodies[0].inertial.inertia_kg_m2.isApprox(expected, 1e-14));
  EXPECT_TRUE(tree.bodies[0].inertial.X_LC.isApprox(shifted(0, 0.5, 0), 1e-15));
  ASSERT_EQ(tree.bodies[0].collisions.size(), 2u);
  EXPECT_EQ(tree.bodies[0].collisions[1].X_LG.translation(), Vector3(0, 1, 0));
}

TEST(BodyTree, KeepsEveryLinkAsAFrameAndAllowsLinksWithoutMass) {
  // base -revolute- arm -fixed (0 0 2)- flange -fixed (0 0 1)- tool; the tool is 3 m along the arm
  Model model = make_model({"base", "arm", "flange", "tool"});
  model.links[1].inertial = Inertial{1.0, shifted(0, 0, 0.5), Matrix3::Identity()};
  model.joints.push_back(make_joint("flange-tool", JointType::kFixed, "flange", "tool"));
  model.joints.push_back(make_joint("turn", JointType::kRevolute, "base", "arm"));
  model.joints.push_back(make_joint("arm-flange", JointType::kFixed, "arm", "flange"));
  model.joints[0].X_PJ = shifted(0, 0, 1);
  model.joints[2].X_PJ = shifted(0, 0, 2);

  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(tree.bodies.size(), 2u);
  ASSERT_EQ(tree.frames.size(), 4u);
  const Frame& tool = tree.frames[static_cast<std::size_t>(*tree.find_frame("tool"))];
  EXPECT_EQ(tool.body, 1);
  EXPECT_EQ(tool.X_BF.translation(), Vector3(0, 0, 3));
  EXPECT_EQ(tree.bodies[1].inertial.X_LC.translation(), Vector3(0, 0, 0.5));
  EXPECT_EQ(tree.find_body("tool"), std::nullopt);
}

TEST(BodyTree, OrdersParentsFirstAndSiblingsAsInTheFile) {
  // joints are listed children first: c hangs on b, b and d on a
  Model model = make_model({"a", "b", "c", "d"});
  model.joints.push_back(make_joint("b-c", JointType::kRevolute, "b", "c"));
  model.joints.push_back(make_joint("a-b", JointType::kRevolute, "a", "b"));
  model.joints.push_back(make_joint("a-d", JointType::kPrismatic, "a", "d"));
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  ASSERT_EQ(tree.joints.size(), 3u);
  EXPECT_EQ(tree.joints[0].name, "a-b");
  EXPECT_EQ(tree.joints[1].name, "b-c");
  EXPECT_EQ(tree.joints[2].name, "a-d");
  EXPECT_EQ(tree.joints[1].parent_body, 1);
  EXPECT_EQ(tree.joints[2].parent_body, 0);
}

TEST(BodyTree, TakesEveryJointOfAStaticModelAsFixed) {
  Model model = make_model({"a", "b"});
  model.is_static = true;
  model.joints.push_back(make_joint("j", JointType::kRevolute, "a", "b"));
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(tree.bodies.size(), 1u);
  EXPECT_TRUE(tree.joints.empty());
  EXPECT_TRUE(tree.is_static);
}

TEST(BodyTree, ResolvesMimicsOfMimics) {
  // q3 = 2·q2 + 1, q2 = -3·q1 + 0.5, so q3 = -6·q1 + 2
  Model model = make_model({"a", "b", "c", "d"});
  model.joints.push_back(make_joint("q1", JointType::kRevolute, "a", "b"));
  model.joints.push_back(make_joint("q2", JointType::kRevolute, "b", "c"));
  model.joints.push_back(make_joint("q3", JointType::kRevolute, "c", "d"));
  model.joints[1].mimic = Mimic{"q1", -3.0, 0.5};
  model.joints[2].mimic = Mimic{"q2", 2.0, 1.0};
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_TRUE(tree.joints[2].mimic);
  EXPECT_EQ(tree.joints[2].mimic->joint, 0);
  EXPECT_EQ(tree.joints[2].mimic->multiplier, -6.0);
  EXPECT_EQ(tree.joints[2].mimic->offset, 2.0);
}

TEST(BodyTree, IgnoresContactsOfTheBodiesThatLinksWereLumpedInto) {
  Model model = make_model({"a", "b", "c", "tool"});
  model.joints.push_back(make_joint("a-b", JointType::kRevolute, "a", "b"));
  model.joints.push_back(make_joint("b-c", JointType::kRevolute, "b", "c"));
  model.joints.push_back(make_joint("c-tool", JointType::kFixed, "c", "tool"));
  model.ignored_contacts = {{"tool", "a", {}}, {"a", "c", {}}, {"c", "tool", {}}};
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(tree.ignored_contacts, (std::vector<std::pair<int, int>>{{0, 2}}));
}

TEST(BodyTree, NamesTheCycle) {
  Model model = make_model({"base", "a", "b"});
  model.joints.push_back(make_joint("j1", JointType::kRevolute, "a", "b", 4));
  model.joints.push_back(make_joint("j2", JointType::kRevolute, "b", "a", 5));
  model.joints.push_back(make_joint("j3", JointType::kFixed, "base", "a", 6));
  EXPECT_EQ(problems_of(model),
            "m.urdf:5:3: error: joints form a cycle: a -> b -> a\n"
            "  hint: joint 'j2' closes it; remove it or change its child\n");
}

TEST(BodyTree, RejectsALinkOnTwoJoints) {
  Model model = make_model({"a", "b", "c"});
  model.joints.push_back(make_joint("j1", JointType::kRevolute, "a", "b", 4));
  model.joints.push_back(make_joint("j2", JointType::kRevolute, "a", "c", 5));
  model.joints.push_back(make_joint("j3", JointType::kRevolute, "b", "c", 6));
  EXPECT_EQ(problems_of(model),
            "m.urdf:6:3: error: link 'c' is the child of two joints, 'j2' and 'j3'\n"
            "  hint: a model is a tree: each link has one parent joint; closed loops are not "
            "supported\n");
}

TEST(BodyTree, RejectsUnknownLinksAndLooseEnds) {
  Model model = make_model({"base_link", "arm"});
  model.joints.push_back(make_joint("j", JointType::kRevolute, "base_lnk", "arm", 4));
  EXPECT_EQ(
      problems_of(model),
      "m.urdf:4:3: error: joint 'j' names an unknown parent link 'base_lnk'\n"
      "  hint: did you mean 'base_link'?\n"
      "m.urdf:2:1: error: the links are not one tree: 'base_link', 'arm' have no parent joint\n"
      "  hint: connect all but one of them with a joint, a fixed one if they do not move\n");
}

TEST(BodyTree, RejectsNamesUsedTwice) {
  Model model = make_model({"a", "b", "b"});
  model.joints.push_back(make_joint("j", JointType::kRevolute, "a", "b", 4));
  EXPECT_EQ(problems_of(model),
            "m.urdf:3:1: error: link 'b' is defined twice\n"
            "  hint: names must be unique\n");
}

TEST(BodyTree, RejectsMimicsOfUnknownAndOfFixedJointsAndInCircles) {
  Model model = make_model({"a", "b", "c", "d", "e"});
  model.joints.push_back(make_joint("left", JointType::kRevolute, "a", "b", 6));
  model.joints.push_back(make_joint("right", JointType::kRevolute, "a", "c", 7));
  model.joints.push_back(make_joint("third", JointType::kRevolute, "a", "d", 8));
  model.joints.push_back(make_joint("rigid", JointType::kFixed, "a", "e", 9));
  model.joints[0].mimic = Mimic{"rigth", 1.0, 0.0};
  model.joints[1].mimic = Mimic{"right", 1.0, 0.0};
  model.joints[2].mimic = Mimic{"rigid", 1.0, 0.0};
  EXPECT_EQ(problems_of(model),
            "m.urdf:6:3: error: joint 'left' mimics unknown joint 'rigth'\n"
            "  hint: did you mean 'right'?\n"
            "m.urdf:7:3: error: mimicking joints form a cycle: right -> right\n"
            "  hint: at least one of them must not mimic another\n"
            "m.urdf:8:3: error: joint 'third' mimics fixed joint 'rigid'\n"
            "  hint: mimic a joint that moves\n");
}

TEST(BodyTree, RejectsAModelWithoutLinksUnlessItCouldNotBeRead) {
  Model model = make_model({});
  model.where = {"m.urdf", 2, 1};
  EXPECT_EQ(problems_of(model),
            "m.urdf:2:1: error: model 'm' has no links\n  hint: a model needs at least one\n");
  Diagnostics unreadable;
  unreadable.error({"m.urdf", 1, 1}, "unreadable");
  make_body_tree(Model{}, unreadable);
  EXPECT_EQ(unreadable.all().size(), 1u);
}

TEST(Cell, NumbersBodiesAndJointsThroughAllPlacements) {
  Model model = make_model({"a", "b"});
  model.joints.push_back(make_joint("j", JointType::kRevolute, "a", "b"));
  Diagnostics diagnostics;
  const BodyTree arm = make_body_tree(model, diagnostics);
  const BodyTree part = make_body_tree(make_model({"part"}), diagnostics);
  Cell cell;
  cell.placements = {{"arm1", arm, Pose::Identity(), true, {}},
                     {"part", part, Pose::Identity(), false, {}},
                     {"arm2", arm, Pose::Identity(), true, {}}};
  EXPECT_EQ(cell.body_count(), 5);
  EXPECT_EQ(cell.joint_count(), 2);
  EXPECT_EQ(cell.first_body(2), 3);
  EXPECT_EQ(cell.first_joint(2), 1);
}

}  // namespace
}  // namespace longarm::model
