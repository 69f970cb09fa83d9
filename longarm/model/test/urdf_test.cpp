// SPDX-License-Identifier: Apache-2.0
// What is kept of a URDF text, and the exact words for what is wrong with one.
#include "longarm/model/urdf.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/model_file.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

std::string problems_of_urdf(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = read_urdf(text, "a.urdf", diagnostics);
  make_body_tree(model, diagnostics);
  return all_text(diagnostics);
}

/// A robot of two links and one joint, with one line each for the second link's and the joint's
/// content: lines 4 and 9.
std::string two_links(const std::string& in_link, const std::string& in_joint,
                      const std::string& type = "continuous") {
  return "<robot name='r'>\n<link name='base'/>\n<link name='arm'>\n" + in_link +
         "\n</link>\n<joint name='j' type='" + type +
         "'>\n<parent link='base'/>\n<child link='arm'/>\n" + in_joint + "\n</joint>\n</robot>\n";
}

Model read_clean(const std::string& text) {
  Diagnostics diagnostics;
  Model model = read_urdf(text, "a.urdf", diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  return model;
}

TEST(Urdf, KeepsLimitsDampingFrictionAndRotorInertia) {
  const Model model = read_clean(
      two_links("",
                "<axis xyz='0 3 4'/><limit lower='-1' upper='2' effort='30' velocity='4'/>"
                "<dynamics damping='0.5' friction='0.25' rotor_inertia='0.125'/>",
                "revolute"));
  ASSERT_EQ(model.joints.size(), 1u);
  const Joint& joint = model.joints[0];
  EXPECT_EQ(joint.type, JointType::kRevolute);
  EXPECT_TRUE(joint.axis.isApprox(Vector3(0, 0.6, 0.8), 1e-15));  // 3-4-5 triangle
  EXPECT_EQ(joint.limits.lower, -1.0);
  EXPECT_EQ(joint.limits.upper, 2.0);
  EXPECT_EQ(joint.limits.effort, 30.0);
  EXPECT_EQ(joint.limits.velocity, 4.0);
  EXPECT_EQ(joint.dynamics.damping, 0.5);
  EXPECT_EQ(joint.dynamics.friction, 0.25);
  EXPECT_EQ(joint.dynamics.rotor_inertia_kg_m2, 0.125);
  EXPECT_EQ(joint.where.line, 6);
  EXPECT_EQ(joint.where.column, 1);
}

TEST(Urdf, ReadsARotorInertiaThatStandsAlone) {
  const Model model = read_clean(two_links("", "<dynamics rotor_inertia='0.1'/>"));
  EXPECT_EQ(model.joints[0].dynamics.rotor_inertia_kg_m2, 0.1);
  EXPECT_EQ(model.joints[0].dynamics.damping, 0.0);
}

TEST(Urdf, LetsContinuousJointsTurnForEver) {
  const Model model =
      read_clean(two_links("", "<limit lower='-1' upper='1' effort='30' velocity='4'/>"));
  EXPECT_EQ(model.joints[0].type, JointType::kRevolute);
  EXPECT_EQ(model.joints[0].limits.lower, -HUGE_VAL);
  EXPECT_EQ(model.joints[0].limits.upper, HUGE_VAL);
  EXPECT_EQ(model.joints[0].limits.effort, 30.0);
  EXPECT_EQ(model.joints[0].axis, Vector3::UnitX());  // URDF's default
}

TEST(Urdf, ReadsEveryPrimitiveShapeAndItsPlace) {
  const Model model = read_clean(two_links(
      "<collision name='c1'><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><geometry><box "
      "size='1 2 "
      "3'/></geometry></collision><collision><geometry><sphere radius='4'/></geometry></collision>"
      "<collision><geometry><cylinder radius='5' length='6'/></geometry></collision>"
      "<collision><geometry><capsule radius='7' length='8'/></geometry></collision>",
      ""));
  const std::vector<Geometry>& shapes = model.links[1].collisions;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(std::get<Box>(shapes[0].shape).size_m, Vector3(1, 2, 3));
  EXPECT_EQ(shapes[0].name, "c1");
  EXPECT_EQ(shapes[0].X_LG.translation(), Vector3(1, 2, 3));
  // 90° about z turns x into y
  EXPECT_TRUE((shapes[0].X_LG.linear() * Vector3::UnitX()).isApprox(Vector3::UnitY(), 1e-15));
  EXPECT_EQ(shapes[0].surface.friction, 1.0);
  EXPECT_EQ(std::get<Sphere>(shapes[1].shape).radius_m, 4.0);
  EXPECT_EQ(std::get<Cylinder>(shapes[2].shape).radius_m, 5.0);
  EXPECT_EQ(std::get<Cylinder>(shapes[2].shape).length_m, 6.0);
  EXPECT_EQ(std::get<Capsule>(shapes[3].shape).radius_m, 7.0);
  EXPECT_EQ(std::get<Capsule>(shapes[3].shape).length_m, 8.0);
}

TEST(Urdf, ReadsGazebosFriction) {
  const Model model = read_clean(
      "<robot name='r'><link name='a'><collision><geometry><sphere "
      "radius='1'/></geometry></collision>"
      "</link><gazebo reference='a'><mu1>0.3</mu1></gazebo></robot>");
  EXPECT_EQ(model.links[0].collisions[0].surface.friction, 0.3);
}

TEST(Urdf, KeepsMimicsAndIgnoresForeignElements) {
  const Model model = read_clean(
      "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry><material "
      "name='undefined'/></visual></link><link name='b'/><link name='c'/>"
      "<joint name='left' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='right' type='continuous'><parent link='a'/><child link='c'/>"
      "<mimic joint='left' multiplier='-2' offset='0.5'/></joint>"
      "<transmission name='t'><joint name='left'/></transmission>"
      "<longarm:ignore_contact a='b' b='c'/></robot>");
  ASSERT_TRUE(model.joints[1].mimic);
  EXPECT_EQ(model.joints[1].mimic->joint, "left");
  EXPECT_EQ(model.joints[1].mimic->multiplier, -2.0);
  EXPECT_EQ(model.joints[1].mimic->offset, 0.5);
  ASSERT_EQ(model.ignored_contacts.size(), 1u);
  EXPECT_EQ(model.ignored_contacts[0].b, "c");
}

TEST(Urdf, PointsAtBrokenXml) {
  EXPECT_EQ(problems_of_urdf("<robot name='r'>\n  <link name='a'>\n</robot>\n"),
            "a.urdf:3:3: error: the XML is not well formed: start-end tags mismatch\n"
            "  hint: every <tag> needs its </tag>, every attribute its quotes\n");
}

TEST(Urdf, RejectsImpossibleMasses) {
  EXPECT_EQ(
      problems_of_urdf(two_links("  <inertial><mass value='-1'/><inertia ixx='1' ixy='0' ixz='0' "
                                 "iyy='1' iyz='0' izz='1'/></inertial>",
                                 "")),
      "a.urdf:4:13: error: link 'arm': <mass> attribute 'value' must be greater than 0, is -1\n"
      "  hint: remove <inertial> if the link has no mass\n");
}

TEST(Urdf, NamesWhatIsMissing) {
  EXPECT_EQ(problems_of_urdf(two_links("<inertial><mass/></inertial>", "")),
            "a.urdf:4:1: error: link 'arm': <inertial> needs a <inertia>\n"
            "  hint: for example <inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" "
            "izz=\"0.01\"/>\n"
            "a.urdf:4:11: error: link 'arm': <mass> needs the attribute 'value'\n"
            "  hint: for example <mass value=\"1.5\"/>\n");
  EXPECT_EQ(problems_of_urdf(two_links("", "", "revolute")),
            "a.urdf:6:1: error: joint 'j': a revolute joint needs a <limit>\n"
            "  hint: add <limit lower=\"…\" upper=\"…\" effort=\"…\" velocity=\"…\"/> or make it "
            "continuous\n");
}

TEST(Urdf, RejectsMalformedNumbers) {
  EXPECT_EQ(
      problems_of_urdf(two_links("", "<origin xyz='0 0'/><limit effort='1,5' velocity='x'/>")),
      "a.urdf:9:1: error: joint 'j': <origin> attribute 'xyz' needs 3 numbers but has 2: '0 0'\n"
      "  hint: for example <origin xyz=\"0 0 0.1\"/>\n"
      "a.urdf:9:20: error: joint 'j': <limit> attribute 'effort' is not a finite number: '1,5'\n"
      "  hint: the decimal separator is a point\n"
      "a.urdf:9:20: error: joint 'j': <limit> attribute 'velocity' is not a finite number: 'x'\n"
      "  hint: for example <limit velocity=\"3.14\"/>\n");
}

TEST(Urdf, HoldsJointsOfTypesItCannotMove) {
  for (const std::string type : {"floating", "planar"}) {
    EXPECT_EQ(problems_of_urdf(two_links("", "", type)),
              "a.urdf:6:1: warning: joint 'j': joint type '" + type +
                  "' is not supported: the joint is fixed\n"
                  "  hint: make a freely moving body a separate model\n");
    Diagnostics diagnostics;
    const Model model = read_urdf(two_links("", "", type), "a.urdf", diagnostics);
    EXPECT_EQ(model.joints[0].type, JointType::kFixed);
  }
}

TEST(Urdf, RejectsJointsThatCannotMove) {
  EXPECT_EQ(problems_of_urdf(two_links("", "", "revolut")),
            "a.urdf:6:1: error: joint 'j': unknown joint type 'revolut'\n"
            "  hint: did you mean 'revolute'?\n");
  EXPECT_EQ(problems_of_urdf(two_links("", "<axis xyz='0 0 0'/>")),
            "a.urdf:9:1: error: joint 'j': <axis> is the zero vector\n"
            "  hint: for example <axis xyz=\"0 0 1\"/>\n");
}

TEST(Urdf, WarnsOfWhatFixedJointsAndMasslessLinksNeedNot) {
  EXPECT_EQ(problems_of_urdf(two_links("", "<axis xyz='0 0 0'/>", "fixed")),
            "a.urdf:9:1: warning: joint 'j': <axis> is the zero vector; a fixed joint needs none\n"
            "  hint: remove it\n");
  EXPECT_EQ(problems_of_urdf(two_links("", "<axis/>", "fixed")), "");
  EXPECT_EQ(problems_of_urdf(two_links("<inertial><mass value='0'/><inertia ixx='0' ixy='0' "
                                       "ixz='0' iyy='0' iyz='0' izz='0'/></inertial>",
                                       "", "fixed")),
            "a.urdf:4:11: warning: link 'arm': <mass> is 0: the link counts as massless\n"
            "  hint: remove <inertial> if this is intended\n");
}

TEST(Urdf, TakesTheFirstOfTwoValues) {
  Diagnostics diagnostics;
  const Model model = read_urdf(two_links("",
                                          "<limit lower='-1' upper='1' effort='5' velocity='2'/>\n"
                                          "<limit lower='-2' upper='2' effort='7' velocity='3'/>",
                                          "revolute"),
                                "a.urdf", diagnostics);
  EXPECT_EQ(
      all_text(diagnostics),
      "a.urdf:10:1: warning: joint 'j': <joint> has more than one <limit>; the first one is used\n"
      "  hint: keep one\n");
  EXPECT_EQ(model.joints[0].limits.upper, 1.0);
  EXPECT_EQ(model.joints[0].limits.effort, 5.0);
}

TEST(Urdf, ReadsLimitsOf0AsUnknown) {
  Diagnostics diagnostics;
  const Model model =
      read_urdf(two_links("", "<limit lower='-1' upper='1' effort='0' velocity='0'/>", "revolute"),
                "a.urdf", diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  EXPECT_EQ(model.joints[0].limits.effort, HUGE_VAL);
  EXPECT_EQ(model.joints[0].limits.velocity, HUGE_VAL);
  EXPECT_EQ(model.joints[0].limits.lower, -1.0);
}

TEST(Urdf, LeavesOutShapesWithoutASize) {
  Diagnostics diagnostics;
  const Model model = read_urdf(
      two_links("<collision><geometry><box size='0 0 0'/></geometry></collision>\n"
                "<collision><geometry><sphere radius='0'/></geometry></collision>\n"
                "<collision><geometry><cylinder radius='1' length='0'/></geometry></collision>\n"
                "<collision><geometry><sphere radius='1'/><material/></geometry></collision>",
                "", "fixed"),
      "a.urdf", diagnostics);
  ASSERT_EQ(model.links[1].collisions.size(), 1u);
  EXPECT_FALSE(diagnostics.has_errors()) << all_text(diagnostics);
  EXPECT_THAT(all_text(diagnostics),
              testing::AllOf(testing::HasSubstr("<box> has no size and is ignored"),
                             testing::HasSubstr("<sphere> has no size and is ignored"),
                             testing::HasSubstr("<cylinder> has no size and is ignored"),
                             testing::HasSubstr("<material> in <geometry> is ignored")));
}

TEST(Urdf, WarnsOfSlips) {
  EXPECT_EQ(problems_of_urdf(two_links("<inertal/>", "<dynamics dampng='1'/>")),
            "a.urdf:4:1: warning: link 'arm': unknown element <inertal> in <link> is ignored\n"
            "  hint: did you mean 'inertial'?\n"
            "a.urdf:9:1: warning: joint 'j': unknown attribute 'dampng' of <dynamics> is ignored\n"
            "  hint: did you mean 'damping'?\n");
}

TEST(Urdf, RejectsUnknownAndSeveralShapes) {
  EXPECT_EQ(problems_of_urdf(two_links("<visual><geometry><cone/></geometry></visual>", "")),
            "a.urdf:4:9: error: link 'arm': unknown shape <cone>\n"
            "  hint: a shape is one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>\n");
  EXPECT_EQ(problems_of_urdf(two_links("<visual><geometry/></visual>", "")),
            "a.urdf:4:9: error: link 'arm': <geometry> needs one shape but has 0\n"
            "  hint: a shape is one of <box>, <sphere>, <cylinder>, <capsule> and <mesh>\n");
}

TEST(Urdf, ReportsABrokenTreeOnceWithItsPlace) {
  EXPECT_EQ(problems_of_urdf("<robot name='r'>\n<link name='a'/>\n<link name='a'/>\n</robot>"),
            "a.urdf:3:1: error: link 'a' is defined twice\n"
            "  hint: names must be unique\n");
  EXPECT_EQ(
      problems_of_urdf("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n"
                       "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
                       "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>\n"
                       "</robot>"),
      "a.urdf:5:1: error: joints form a cycle: a -> b -> a\n"
      "  hint: joint 'k' closes it; remove it or change its child\n");
}

TEST(ModelFile, RejectsWhatItCannotReadOrDoesNotKnow) {
  Diagnostics missing;
  read_model_file("no-such.urdf", missing);
  EXPECT_EQ(all_text(missing),
            "no-such.urdf: error: cannot read the file\n"
            "  hint: check that the path is right and that it is a file\n");
  const std::string path = testing::TempDir() + "longarm_model_file_test.xml";
  std::ofstream(path) << "<scene/>";
  Diagnostics foreign;
  read_model_file(path, foreign);
  EXPECT_EQ(all_text(foreign),
            path +
                ":1:1: error: <scene> is not a robot model\n"
                "  hint: URDF files start with <robot>, SDF with <sdf>, MJCF with <mujoco>\n");
  std::ofstream(path, std::ios::trunc).close();
  Diagnostics empty;
  read_model_file(path, empty);
  EXPECT_EQ(all_text(empty),
            path +
                ":1:1: error: the XML is not well formed: no document element found\n"
                "  hint: every <tag> needs its </tag>, every attribute its quotes\n");
  std::filesystem::remove(path);
}

std::string problems_of_file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  Diagnostics diagnostics;
  read_model_file(path, diagnostics);
  std::filesystem::remove(path);
  return all_text(diagnostics);
}

TEST(ModelFile, RefusesShapesOfImpossibleSize) {
  const auto about = [](const std::string& shape) {
    const std::string all =
        problems_of_file("arm.urdf", "<robot name='a'><link name='base'><collision><geometry>\n" +
                                         shape + "</geometry></collision></link></robot>");
    return all.empty() ? all : all.substr((testing::TempDir() + "arm.urdf").size());
  };
  EXPECT_EQ(about("<box size='1 2e6 1'/>"),
            ":2:1: error: link 'base': <box> attribute 'size' is implausibly large: 2e+06 m\n"
            "  hint: sizes are in metres; for example <box size=\"0.1 0.1 0.2\"/>\n");
  EXPECT_EQ(about("<box size='1 -2 1'/>"),
            ":2:1: error: link 'base': <box> attribute 'size' must be greater than 0, is -2\n"
            "  hint: for example <box size=\"0.1 0.1 0.2\"/>\n");
  EXPECT_EQ(about("<sphere radius='inf'/>"),
            ":2:1: error: link 'base': <sphere> attribute 'radius' is not a finite number: 'inf'\n"
            "  hint: for example <sphere radius=\"0.05\"/>\n");
  EXPECT_EQ(about("<box size='1000000 1 1'/>"), "");
}

TEST(Urdf, ForeignNamespacesAreNoBusinessOfOurs) {
  EXPECT_EQ(problems_of_urdf("<robot name='a' xmlns:sensor='s' xml:base='b' sensor:kind='c'>\n"
                             "<link name='base' sensor:type='d'><sensor:visual/></link>\n"
                             "<sensor:link/></robot>"),
            "");
}

TEST(ModelFile, ReadsWhatXacroWrote) {
  // which still names the namespace
  EXPECT_EQ(problems_of_file("arm.urdf",
                             "<robot name='a' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
                             "<link name='base'/></robot>"),
            "");
}

}  // namespace
}  // namespace longarm::model
