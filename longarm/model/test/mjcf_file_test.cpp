// SPDX-License-Identifier: Apache-2.0
// Robots in MuJoCo's own format, as our model has them.
#include "longarm/model/mjcf_file.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/model/body_tree.h"
#include "longarm/model/model_file.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

class Mjcf : public testing::Test {
 protected:
  Model read(const std::string& text, Diagnostics& diagnostics) {
    return read_model_file(folder.write("arm.xml", text), diagnostics);
  }

  std::string problems(const std::string& text) {
    Diagnostics diagnostics;
    read(text, diagnostics);
    std::string all = all_text(diagnostics);
    const std::string f = folder.path().string();
    for (std::size_t at = all.find(f); at != std::string::npos; at = all.find(f)) {
      all.replace(at, f.size(), "F");
    }
    return all;
  }

  ScratchFolder folder;
};

// two links, a finger that follows, a mesh that is a tetrahedron, a floor
const char* const kArm = R"(<mujoco model="arm">
  <compiler angle="degree"/>
  <default><joint damping="2" armature="0.1"/><geom friction="0.6"/></default>
  <asset><mesh name="tip" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 0.5">
      <joint name="shoulder" axis="0 1 0" range="-90 90" pos="0 0 0.1" limited="true"/>
      <inertial pos="0.1 0 0" mass="2" diaginertia="0.01 0.02 0.02"/>
      <geom type="capsule" size="0.05 0.2"/>
      <geom type="box" size="0.1 0.2 0.3" contype="0" conaffinity="0"/>
      <body name="finger" pos="0.4 0 0">
        <joint name="slide" type="slide" axis="1 0 0" ref="0.02"/>
        <geom type="mesh" mesh="tip" mass="0.5"/>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="upper" body2="world"/></contact>
  <equality><joint joint1="slide" joint2="shoulder" polycoef="0.01 0.5 0 0 0"/></equality>
  <actuator><motor joint="shoulder" gear="50" ctrllimited="true" ctrlrange="-1 2"/></actuator>
</mujoco>
)";

TEST_F(Mjcf, BecomesLinksAndJoints) {
  Diagnostics diagnostics;
  const Model model = read(kArm, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(model.links.size(), 3U);
  ASSERT_EQ(model.joints.size(), 2U);
  EXPECT_EQ(model.name, "arm");
  EXPECT_EQ(model.links[0].name, "world");
  ASSERT_EQ(model.links[0].collisions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(model.links[0].collisions[0].shape));

  const Link& upper = model.links[1];
  EXPECT_EQ(upper.inertial->mass_kg, 2.0);
  EXPECT_EQ(upper.inertial->X_LC.translation().x(), 0.1);
  ASSERT_EQ(upper.collisions.size(), 1U);
  ASSERT_EQ(upper.visuals.size(), 1U);
  EXPECT_EQ(std::get<Capsule>(upper.collisions[0].shape).length_m, 0.4);
  EXPECT_EQ(upper.collisions[0].surface.friction, 0.6);
  EXPECT_EQ(upper.where.line, 7);

  const Joint& shoulder = model.joints[0];
  EXPECT_EQ(shoulder.type, JointType::kRevolute);
  EXPECT_EQ(shoulder.parent, "world");
  EXPECT_NEAR(shoulder.limits.upper, M_PI / 2.0, 1e-12);
  EXPECT_EQ(shoulder.limits.effort, 100.0);  // gear 50 by a control of 2
  EXPECT_EQ(shoulder.dynamics.damping, 2.0);
  EXPECT_EQ(shoulder.dynamics.rotor_inertia_kg_m2, 0.1);
  EXPECT_NEAR(shoulder.X_PJ.translation().z(), 0.6, 1e-12);
  EXPECT_NEAR(shoulder.X_JL.translation().z(), -0.1, 1e-12);

  const Joint& slide = model.joints[1];
  EXPECT_EQ(slide.type, JointType::kPrismatic);
  EXPECT_TRUE(std::isinf(slide.limits.upper));
  // at q = 0.02 it is where the file draws it
  EXPECT_NEAR((slide.X_PJ * (0.02 * slide.axis)).x(), 0.4, 1e-12);
  ASSERT_TRUE(slide.mimic);
  EXPECT_EQ(slide.mimic->joint, "shoulder");
  EXPECT_EQ(slide.mimic->multiplier, 0.5);
  EXPECT_NEAR(slide.mimic->offset, 0.03, 1e-12);  // 0.02 + 0.01
  const auto& tip = std::get<Mesh>(model.links[2].collisions[0].shape);
  EXPECT_EQ(tip.data->vertices_m.size(), 4U);
  EXPECT_EQ(tip.data->triangles.size(), 4U);
  ASSERT_EQ(model.ignored_contacts.size(), 1U);
  EXPECT_EQ(model.ignored_contacts[0].a, "world");
  EXPECT_EQ(model.ignored_contacts[0].b, "upper");

  make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
}

TEST_F(Mjcf, FilesOfLaterVersionsAreReadWithoutWhatConcernsNoModel) {
  folder.write("part.xml",
               "<mujocoinclude>\n<joint name='j' class='strong' range='-1 1'/>\n"
               "</mujocoinclude>");
  Diagnostics diagnostics;
  const Model model = read(
      "<mujoco><compiler assetdir='assets'/><option integrator='implicitfast'><flag "
      "eulerdamp='disable'/></option>\n"
      "<default><default class='strong'><joint actuatorfrcrange='-12 12'/>"
      "<position inheritrange='1' kp='5' kv='1'/></default></default>\n"
      "<asset><texture name='t' file='no.png' type='2d'/><material name='m' texture='t' "
      "metallic='1'/></asset>\n"
      "<worldbody><light/><body name='b' gravcomp='1'><include file='part.xml'/>"
      "<geom size='0.1' material='m'/></body></worldbody>\n"
      "<actuator><position joint='j' class='strong'/></actuator></mujoco>",
      diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(model.joints.size(), 1U);
  EXPECT_EQ(model.joints[0].limits.effort, 12.0);
  // limited because it has a range
  EXPECT_NEAR(model.joints[0].limits.upper, M_PI / 180.0, 1e-12);
}

TEST_F(Mjcf, SaysWhatItLeavesOutOrRefuses) {
  EXPECT_EQ(problems("<mujoco><worldbody>\n<body name='b'><freejoint/>"
                     "<geom type='ellipsoid' size='1 1 2'/></body>\n</worldbody></mujoco>"),
            "F/arm.xml:2:1: warning: the free joint of body 'b' is ignored\n"
            "  hint: the body is fixed at its position\n"
            "F/arm.xml:2:1: warning: body 'b': a shape that is not a plane, sphere, capsule, "
            "cylinder, box or mesh is ignored\n"
            "  hint: it touches nothing\n");
  EXPECT_EQ(problems("<mujoco><worldbody>\n<body name='b'><joint type='slide'/><joint/>"
                     "<geom size='1'/></body>\n</worldbody></mujoco>"),
            "F/arm.xml:2:1: error: body 'b' has 2 joints\n"
            "  hint: at most one joint per body is supported: insert bodies with a mass\n");
  const std::string unknown = problems("<mujoco>\n<worldbody>\n<frame/></worldbody></mujoco>");
  EXPECT_NE(unknown.find("F/arm.xml:3"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("error: MuJoCo cannot read the model: "), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("which does not support features of later versions"), std::string::npos);
}

}  // namespace
}  // namespace longarm::model
