// SPDX-License-Identifier: Apache-2.0
// Friction and contact parameters as SDF and Gazebo's extension of URDF spell them.
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/model/sdf.h"
#include "longarm/model/test/model_text.h"
#include "longarm/model/urdf.h"

namespace longarm::model {
namespace {

/// The surface of a link's only shape, whose `<surface>` has this content in line 2.
Surface from_sdf(const std::string& content, Diagnostics& diagnostics) {
  const Model model = read_sdf(
      "<sdf version='1.9'><model name='m'><link "
      "name='a'><inertial><mass>1</mass></inertial><collision name='c'>\n<surface>" +
          content +
          "</surface><geometry><sphere><radius>1</radius></sphere></geometry>"
          "</collision></link></model></sdf>",
      "a.sdf", diagnostics);
  return diagnostics.has_errors() ? Surface{} : model.links.at(0).collisions.at(0).surface;
}

Surface from_urdf(const std::string& gazebo, Diagnostics& diagnostics) {
  const Model model = read_urdf(
      "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"
      "</collision></link><link name='b'/><joint name='j' type='fixed'><parent link='a'/>"
      "<child link='b'/></joint>\n" +
          gazebo + "</robot>",
      "a.urdf", diagnostics);
  return diagnostics.has_errors() ? Surface{} : model.links.at(0).collisions.at(0).surface;
}

void expect_all_numbers(const Surface& surface) {
  EXPECT_EQ(surface.friction, 0.25);
  EXPECT_EQ(surface.stiffness_N_m, 2e5);
  EXPECT_EQ(surface.damping_N_s_m, 30.0);
  EXPECT_EQ(surface.min_depth_m, 0.001);
  EXPECT_EQ(surface.max_correction_m_s, 0.5);
}

TEST(Surface, IsReadFromSdf) {
  Diagnostics diagnostics;
  expect_all_numbers(
      from_sdf("<friction><ode><mu>0.5</mu><mu2>0.25</mu2></ode></friction><contact><ode>"
               "<kp>2e5</kp><kd> 30 </kd><min_depth>0.001</min_depth><max_vel>0.5</max_vel>"
               "</ode></contact>",
               diagnostics));
  EXPECT_EQ(all_text(diagnostics), "");
}

TEST(Surface, IsReadFromAllOfGazebosElementsForALink) {
  // the other link's numbers are not ours
  Diagnostics diagnostics;
  expect_all_numbers(
      from_urdf("<gazebo reference='b'><kp>1</kp></gazebo><gazebo><static>true</static></gazebo>"
                "<gazebo reference='a'><mu1>0.25</mu1><mu2 value='0.5'/><kp>2e5</kp></gazebo>"
                "<gazebo reference='a'><kd>30</kd><minDepth>0.001</minDepth><maxVel>0.5</maxVel>"
                "</gazebo>",
                diagnostics));
  EXPECT_EQ(all_text(diagnostics), "");
}

TEST(Surface, LeavesAbsentWhatTheFileDoesNotSay) {
  Diagnostics diagnostics;
  for (const Surface& surface : {from_sdf("<contact><ode/></contact>", diagnostics),
                                 from_urdf("<gazebo reference='a'/>", diagnostics)}) {
    EXPECT_EQ(surface.friction, 1.0);
    EXPECT_FALSE(surface.stiffness_N_m);
    EXPECT_EQ(surface.min_depth_m, 0.0);
    EXPECT_FALSE(surface.max_correction_m_s);
  }
  EXPECT_EQ(all_text(diagnostics), "");
}

TEST(Surface, FrictionMayBeInfinite) {
  Diagnostics diagnostics;
  const Surface sdf =
      from_sdf("<friction><ode><mu>Inf</mu><mu2>Inf</mu2></ode></friction>", diagnostics);
  const Surface urdf = from_urdf("<gazebo reference='a'><mu1>inf</mu1></gazebo>", diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  EXPECT_TRUE(std::isinf(sdf.friction));
  EXPECT_TRUE(std::isinf(urdf.friction));
}

TEST(Surface, RefusesNumbersThatMakeNoSense) {
  Diagnostics sdf;
  from_sdf(
      "<contact><ode><kp>0</kp><kd>-1</kd><min_depth>nan</min_depth><max_vel/></ode></contact>",
      sdf);
  EXPECT_EQ(all_text(sdf),
            "a.sdf:2:24: error: link 'a': <kp> is not a stiffness in N/m: '0'\n"
            "  hint: for example <kp>1e6</kp>\n"
            "a.sdf:2:34: error: link 'a': <kd> is not a damping in N·s/m: '-1'\n"
            "  hint: for example <kd>100</kd>\n"
            "a.sdf:2:45: error: link 'a': <min_depth> is not a depth in metres: 'nan'\n"
            "  hint: for example <min_depth>0.0001</min_depth>\n"
            "a.sdf:2:71: error: link 'a': <max_vel> is not a velocity in m/s greater than 0: ''\n"
            "  hint: for example <max_vel>0.1</max_vel>\n");
  Diagnostics urdf;
  from_urdf("<gazebo reference='a'><mu1>slick</mu1><kp>inf</kp></gazebo>", urdf);
  EXPECT_EQ(all_text(urdf),
            "a.urdf:2:23: error: link 'a': <mu1> is not a friction coefficient: 'slick'\n"
            "  hint: for example <mu1>0.8</mu1>\n"
            "a.urdf:2:39: error: link 'a': <kp> is not a stiffness in N/m: 'inf'\n"
            "  hint: for example <kp>1e6</kp>\n");
}

}  // namespace
}  // namespace longarm::model
