// SPDX-License-Identifier: Apache-2.0
// One robot in both formats is one tree; what SDF has beyond URDF; and what is wrong with an SDF
// text.
#include "longarm/model/sdf.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/test/model_text.h"
#include "longarm/model/urdf.h"

namespace longarm::model {
namespace {

constexpr const char* kUrdf = R"(<robot name="r">
  <link name="base">
    <inertial><origin xyz="0 0 0.1"/><mass value="4"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0.2 0" rpy="0.1 0.2 0.3"/><mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>
    <collision name="c"><origin xyz="0 0 0.5" rpy="0.4 0 0"/>
      <geometry><capsule radius="0.05" length="1"/></geometry></collision>
  </link>
  <link name="left"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="right"><inertial><mass value="0.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="tip"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 0.3" rpy="0.5 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25" rotor_inertia="0.125"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="left"/>
    <origin xyz="0 0 1"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="1"/></joint>
  <joint name="mirror" type="prismatic"><parent link="arm"/><child link="right"/>
    <origin xyz="0 0 1"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.1" effort="5" velocity="1"/>
    <mimic joint="slide" multiplier="2" offset="0.01"/></joint>
  <joint name="arm-tip" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="0 0 1.1"/></joint>
  <longarm:ignore_contact a="left" b="base"/>
</robot>)";

constexpr const char* kSdf = R"(<sdf version="1.9"><model name="r" xmlns:longarm="urn:longarm:sdf">
  <link name="base">
    <inertial><pose>0 0 0.1 0 0 0</pose><mass>4</mass>
      <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>
  </link>
  <link name="arm"><pose relative_to="base">0 0 0.3 0.5 0 0</pose>
    <inertial><pose>0 0.2 0 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.3</ixx><ixy>0.01</ixy>
      <ixz>0.02</ixz><iyy>0.4</iyy><iyz>0.03</iyz><izz>0.5</izz></inertia></inertial>
    <collision name="c"><pose>0 0 0.5 0.4 0 0</pose>
      <geometry><capsule><radius>0.05</radius><length>1</length></capsule></geometry></collision>
  </link>
  <link name="left"><pose relative_to="arm">0 0 1 0 0 0</pose><inertial><mass>0.5</mass>
    <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
  <link name="right"><pose relative_to="arm">0 0 1 0 0 0</pose><inertial><mass>0.5</mass>
    <inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial></link>
  <joint name="turn" type="revolute"><parent>base</parent><child>arm</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>30</effort><velocity>4</velocity>
      </limit><dynamics><damping>0.5</damping><friction>0.25</friction>
      <longarm:rotor_inertia>0.125</longarm:rotor_inertia></dynamics></axis></joint>
  <joint name="slide" type="prismatic"><parent>arm</parent><child>left</child>
    <axis><xyz>1 0 0</xyz><limit><lower>0</lower><upper>0.1</upper><effort>5</effort><velocity>1</velocity>
      </limit></axis></joint>
  <joint name="mirror" type="prismatic"><parent>arm</parent><child>right</child>
    <axis><xyz>-1 0 0</xyz><limit><lower>0</lower><upper>0.1</upper><effort>5</effort><velocity>1</velocity>
      </limit><longarm:mimic joint="slide" multiplier="2" offset="0.01"/></axis></joint>
  <frame name="tip" attached_to="arm"><pose>0 0 1.1 0 0 0</pose></frame>
  <longarm:ignore_contact a="left" b="base"/>
</model></sdf>)";

using Reader = Model (*)(const std::string&, const std::string&, Diagnostics&);

BodyTree tree_of(Reader read, const std::string& text) {
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(read(text, "r.xml", diagnostics), diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  return tree;
}

std::string problems_of_sdf(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = read_sdf(text, "a.sdf", diagnostics);
  make_body_tree(model, diagnostics);
  return all_text(diagnostics);
}

void expect_equal(const Body& a, const Body& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.inertial.mass_kg, b.inertial.mass_kg);
  EXPECT_TRUE(a.inertial.X_LC.isApprox(b.inertial.X_LC, 1e-14)) << a.name;
  EXPECT_TRUE(a.inertial.inertia_kg_m2.isApprox(b.inertial.inertia_kg_m2, 1e-14)) << a.name;
  ASSERT_EQ(a.collisions.size(), b.collisions.size());
  for (std::size_t i = 0; i < a.collisions.size(); ++i) {
    EXPECT_TRUE(a.collisions[i].X_LG.isApprox(b.collisions[i].X_LG, 1e-14));
    EXPECT_EQ(std::get<Capsule>(a.collisions[i].shape).length_m,
              std::get<Capsule>(b.collisions[i].shape).length_m);
  }
}

void expect_equal(const TreeJoint& a, const TreeJoint& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.parent_body, b.parent_body);
  EXPECT_TRUE(a.X_PJ.isApprox(b.X_PJ, 1e-14)) << a.name;
  EXPECT_TRUE(a.axis.isApprox(b.axis, 1e-14)) << a.name;
  EXPECT_EQ(a.limits.lower, b.limits.lower);
  EXPECT_EQ(a.limits.upper, b.limits.upper);
  EXPECT_EQ(a.limits.effort, b.limits.effort);
  EXPECT_EQ(a.limits.velocity, b.limits.velocity);
  EXPECT_EQ(a.dynamics.damping, b.dynamics.damping);
  EXPECT_EQ(a.dynamics.friction, b.dynamics.friction);
  EXPECT_EQ(a.dynamics.rotor_inertia_kg_m2, b.dynamics.rotor_inertia_kg_m2);
  ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
  if (a.mimic) {
    EXPECT_EQ(a.mimic->joint, b.mimic->joint);
    EXPECT_EQ(a.mimic->multiplier, b.mimic->multiplier);
    EXPECT_EQ(a.mimic->offset, b.mimic->offset);
  }
}

TEST(Sdf, GivesTheSameTreeAsUrdf) {
  const BodyTree a = tree_of(read_urdf, kUrdf);
  const BodyTree b = tree_of(read_sdf, kSdf);
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.bodies.size(), 4u);
  ASSERT_EQ(b.bodies.size(), 4u);
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    expect_equal(a.bodies[i], b.bodies[i]);
  }
  ASSERT_EQ(b.joints.size(), 3u);
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    expect_equal(a.joints[i], b.joints[i]);
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].body, b.frames[i].body);
    EXPECT_TRUE(a.frames[i].X_BF.isApprox(b.frames[i].X_BF, 1e-14));
  }
  EXPECT_EQ(a.ignored_contacts, b.ignored_contacts);
  EXPECT_EQ(b.ignored_contacts, (std::vector<std::pair<int, int>>{{0, 2}}));
}

TEST(Sdf, PutsTheBodyFrameAtAJointThatIsNotAtTheLink) {
  // link b stands at z = 1, its joint 0.4 m below: at z = 0.6, so b is 0.4 m above its body's frame
  const BodyTree tree = tree_of(read_sdf, R"(<sdf version="1.9"><model name="m">
    <link name="a"><inertial><mass>1</mass></inertial></link>
    <link name="b"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
    <joint name="j" type="continuous"><pose>0 0 -0.4 0 0 0</pose><parent>a</parent><child>b</child>
      <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>)");
  ASSERT_EQ(tree.joints.size(), 1u);
  EXPECT_TRUE(tree.joints[0].X_PJ.isApprox(shifted(0, 0, 0.6), 1e-14));
  EXPECT_EQ(tree.joints[0].limits.upper, HUGE_VAL);
  EXPECT_EQ(tree.joints[0].limits.effort, HUGE_VAL);
  EXPECT_TRUE(tree.frames[1].X_BF.isApprox(shifted(0, 0, 0.4), 1e-14));
  EXPECT_TRUE(tree.bodies[1].inertial.X_LC.isApprox(shifted(0, 0, 0.4), 1e-14));
  EXPECT_EQ(tree.bodies[1].name, "b");
}

TEST(Sdf, LumpsAStaticModelOfLooseLinksIntoOneBody) {
  // the plane's normal is x: its frame's z points along x
  const BodyTree tree = tree_of(read_sdf, R"(<sdf version="1.9"><world name="w"><model name="m">
    <static>true</static>
    <link name="floor"><collision name="c"><geometry><plane><normal>1 0 0</normal></plane></geometry>
      <surface><friction><ode><mu>0.7</mu><mu2>0.6</mu2></ode></friction></surface></collision></link>
    <link name="post"><pose>2 0 0 0 0 0</pose><collision name="c"><geometry><box><size>1 2 3</size></box>
      </geometry></collision></link></model></world></sdf>)");
  ASSERT_EQ(tree.bodies.size(), 1u);
  EXPECT_TRUE(tree.is_static);
  ASSERT_EQ(tree.bodies[0].collisions.size(), 2u);
  const Geometry& floor = tree.bodies[0].collisions[0];
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(floor.shape));
  EXPECT_EQ(floor.surface.friction, 0.6);
  EXPECT_TRUE((floor.X_LG.linear() * Vector3::UnitZ()).isApprox(Vector3::UnitX(), 1e-14));
  EXPECT_TRUE(tree.bodies[0].collisions[1].X_LG.isApprox(shifted(2, 0, 0), 1e-14));
}

TEST(Sdf, HangsTheModelOnTheWorldWhereItSaysSo) {
  const BodyTree tree = tree_of(read_sdf, R"(<sdf version="1.9"><model name="m">
    <link name="a"><pose>0 0 1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
    <joint name="j" type="prismatic"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis>
    </joint></model></sdf>)");
  ASSERT_EQ(tree.bodies.size(), 2u);
  EXPECT_EQ(tree.bodies[0].name, "world");
  EXPECT_TRUE(tree.joints[0].X_PJ.isApprox(shifted(0, 0, 1), 1e-14));
}

std::string problems_of_shape(const std::string& shape) {
  return problems_of_sdf(
      "<sdf version='1.9'><model name='m'><static>true</static><link name='a'><collision "
      "name='c'>\n"
      "<geometry>" +
      shape + "</geometry></collision></link></model></sdf>");
}

TEST(Sdf, RefusesShapesOfImpossibleSize) {
  EXPECT_EQ(problems_of_shape("<box><size>1 0 1</size></box>"),
            "a.sdf:2:16: error: link 'a': <size> must be greater than 0, is 0\n"
            "  hint: sizes are in metres\n");
  EXPECT_EQ(problems_of_shape("<box><size>1 1 -2</size></box>"),
            "a.sdf:2:16: error: link 'a': <size> must be greater than 0, is -2\n"
            "  hint: sizes are in metres\n");
  EXPECT_EQ(problems_of_shape("<box><size>1 1</size></box>"),
            "a.sdf:2:16: error: link 'a': <size> needs 3 numbers but has 2: '1 1'\n");
  EXPECT_EQ(problems_of_shape("<box><size>1 nan 1</size></box>"),
            "a.sdf:2:16: error: link 'a': <size> is not a number: 'nan'\n");
  EXPECT_EQ(problems_of_shape("<sphere><radius>inf</radius></sphere>"),
            "a.sdf:2:19: error: link 'a': <radius> is implausibly large: inf m\n"
            "  hint: sizes are in metres; a <plane> in a <collision> is infinite\n");
  EXPECT_EQ(problems_of_shape("<cylinder><radius>1</radius><length>2000000</length></cylinder>"),
            "a.sdf:2:39: error: link 'a': <length> is implausibly large: 2e+06 m\n"
            "  hint: sizes are in metres; a <plane> in a <collision> is infinite\n");
  EXPECT_EQ(problems_of_shape("<box><size>1000000 1 1</size></box>"), "");
}

TEST(Sdf, RefusesAPlaneThatFacesNowhere) {
  EXPECT_EQ(problems_of_shape("<plane><normal>0 0 0</normal></plane>"),
            "a.sdf:2:18: error: link 'a': <normal> is the zero vector\n"
            "  hint: for example <normal>0 0 1</normal>\n");
  // the size of a plane is what is drawn of it
  EXPECT_EQ(problems_of_shape("<plane><normal>0 0 1</normal><size>0 0</size></plane>"), "");
}

TEST(Sdf, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problems_of_sdf("<sdf version='A.9'><model name='m'><link name='a'/></model></sdf>"),
            "a.sdf:1:1: error: 'A.9' is not an SDF version\n"
            "  hint: for example <sdf version=\"1.9\">\n");
  EXPECT_EQ(problems_of_sdf(
                "<sdf version='1.9'>\n<model name='m'>\n<link name='a'><inertial><mass>abc</mass>"
                "</inertial></link>\n</model></sdf>"),
            "a.sdf:3:26: error: link 'a': <mass> is not a number: 'abc'\n");
  EXPECT_EQ(problems_of_sdf(
                "<sdf version='1.9'>\n<model name='m'>\n<link name='a'><inertial><mass>0</mass>"
                "</inertial></link>\n</model></sdf>"),
            "a.sdf:3:26: error: link 'a': <mass> must be greater than 0, is 0\n"
            "  hint: make it a <frame> if it has no mass\n");
  EXPECT_EQ(problems_of_sdf(
                "<sdf version='1.9'>\n<model name='m'>\n<link name='arm'/>\n<link name='base'/>\n"
                "<joint name='j' type='ball'>\n<parent>base</parent>\n<child>amr</child></joint>\n"
                "</model></sdf>"),
            "a.sdf:7:1: error: joint 'j': unknown child link 'amr'\n"
            "  hint: did you mean 'arm'?\n"
            "a.sdf:5:1: error: joint 'j': joint type 'ball' is not supported\n"
            "  hint: valid names are: fixed, revolute, continuous, prismatic\n");
  EXPECT_EQ(problems_of_sdf(
                "<sdf version='1.9'>\n<world name='w'>\n<model name='a'><link name='l'/></model>"
                "<model name='b'><link name='l'/></model></world></sdf>"),
            "a.sdf:1:1: error: the world has 2 models\n"
            "  hint: a model file describes one model; a scenario puts several into a cell\n");
}

TEST(Sdf, WarnsOfWhatItLeavesOut) {
  EXPECT_EQ(
      problems_of_sdf(
          "<sdf version='1.9'>\n<model name='m'>\n<pose>0 0 1 0 0 0</pose>\n<link name='a'>\n"
          "<visual name='v'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
          "</visual>\n</link></model></sdf>"),
      "a.sdf:4:1: warning: link 'a' has no <inertial>; SDF's default of 1 kg and 1 kg·m² is used\n"
      "  hint: give it one, or make it a <frame> if it has no mass\n"
      "a.sdf:5:28: warning: link 'a': <ellipsoid> is not supported and does not collide\n"
      "  hint: describe the shape with <box>, <sphere>, <cylinder>, <capsule>, <plane> or <mesh>\n"
      "a.sdf:3:1: warning: the model's own <pose> is not used\n"
      "  hint: the scenario sets the pose of the model\n");
}

}  // namespace
}  // namespace longarm::model
