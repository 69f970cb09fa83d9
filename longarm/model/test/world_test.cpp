// SPDX-License-Identifier: Apache-2.0
// Worlds of several models: what stands where, what is included, what is nested in what.
#include "longarm/model/world.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/model/model_file.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/model/test/model_text.h"

namespace longarm::model {
namespace {

constexpr const char* kMass =
    "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>"
    "</inertial>";

class Worlds : public testing::Test {
 protected:
  World read(const std::string& content, const std::string& version = "1.9",
             const std::string& expected = "") {
    const std::string path =
        folder.write("a.world", "<sdf version='" + version + "'><world name='w'>\n" + content +
                                    "</world></sdf>");
    Diagnostics diagnostics;
    World world = read_world_file(path, {}, files, diagnostics);
    EXPECT_EQ(all_text(diagnostics), expected);
    return world;
  }

  /// A model of one box-shaped link that stands on its origin.
  void write_part(const std::string& name, const std::string& more = "",
                  const std::string& version = "1.9") {
    folder.write(name + "/model.sdf",
                 "<sdf version='" + version + "'><model name='" + name + "'>" + more +
                     "<link name='body'><pose>0 0 0.05 0 0 0</pose>" + kMass +
                     "<collision name='c'><geometry><box><size>0.1 0.1 0.1</size></box></geometry>"
                     "</collision></link></model></sdf>");
  }

  ScratchFolder folder;
  InputFiles files;
};

TEST_F(Worlds, HoldSeveralModelsWithTheirPoses) {
  write_part("part");
  const World world = read(
      "<gravity>0 0 -1.62</gravity><light name='sun' type='directional'/>\n"
      "<model name='floor'><static>true</static><link name='l'><collision name='c'>"
      "<geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>\n"
      "<model name='post'><pose>1 0 0 0 0 0</pose><static>true</static><link name='l'/></model>\n"
      "<include><uri>model://part</uri><name>first</name><pose>0 2 0 0 0 0</pose></include>\n"
      "<include><uri>model://part</uri><name>second</name>"
      "<pose relative_to='post'>0 0 3 0 0 1.5707963267948966</pose></include>\n");
  EXPECT_EQ(world.name, "w");
  EXPECT_EQ(world.gravity_m_s2, Vector3(0, 0, -1.62));
  ASSERT_EQ(world.models.size(), 4u);
  const std::vector<std::pair<std::string, Vector3>> expected{
      {"floor", {0, 0, 0}}, {"post", {1, 0, 0}}, {"first", {0, 2, 0}}, {"second", {1, 0, 3}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(world.models[i].name, expected[i].first);
    EXPECT_EQ(world.models[i].model.name, expected[i].first);
    EXPECT_TRUE(world.models[i].X_WM.translation().isApprox(expected[i].second, 1e-12)) << i;
  }
  // a quarter turn takes x to y
  EXPECT_TRUE((world.models[3].X_WM.linear() * Vector3::UnitX()).isApprox(Vector3::UnitY(), 1e-12));
}

// As the seed authors wrote it: beside an included arm. And in the arm's own file, and in the
// <include> itself.
TEST_F(Worlds, KeepThePluginsOfTheirModelsAsData) {
  write_part("arm", "<plugin name='inner' filename='libinner.so'><rate>5</rate></plugin>");
  const World world = read(
      "<model name='lrmate'><include><uri>model://arm</uri></include>\n"
      "<plugin filename='libgzjointcmdplugin.so' name='fanuc_jnts'>\n"
      "<topic>~/fanuc/joints</topic><finger_joint> left </finger_joint>\n"
      "<finger_joint>right\n</finger_joint></plugin></model>\n"
      "<include><uri>model://arm</uri><plugin name='outer' filename='libouter.so'/></include>\n");
  ASSERT_EQ(world.models.size(), 2u);
  ASSERT_EQ(world.models[0].plugins.size(), 2u);
  const Plugin& joints = world.models[0].plugins[0];
  EXPECT_EQ(joints.name, "fanuc_jnts");
  EXPECT_EQ(joints.filename, "libgzjointcmdplugin.so");
  EXPECT_EQ(joints.texts("topic"), std::vector<std::string>{"~/fanuc/joints"});
  EXPECT_EQ(joints.texts("finger_joint"), (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(joints.where.line, 3);  // the world's own line is the first
  EXPECT_EQ(world.models[0].plugins[1].texts("rate"), std::vector<std::string>{"5"});
  ASSERT_EQ(world.models[1].plugins.size(), 2u);
  EXPECT_EQ(world.models[1].plugins[1].name, "outer");
}

TEST_F(Worlds, BecomePlacementsThatFloatUnlessTheyAreFixed) {
  write_part("part");
  write_part("lamp",
             "<joint name='j' type='fixed'><parent>world</parent><child>body</child></joint>");
  const World world = read(
      "<include><uri>model://ground_plane</uri></include>\n"
      "<include><uri>model://sun</uri></include>\n"
      "<include><uri>model://part</uri><name>loose</name><pose>0 2 0 0 0 0</pose></include>\n"
      "<include><uri>model://part</uri><name>still</name><static>true</static></include>\n"
      "<include><uri>model://lamp</uri><pose>0 0 1 0 0 0</pose></include>\n");
  Diagnostics diagnostics;
  const std::vector<Placement> placements = make_placements(world, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(placements.size(), 4u);
  EXPECT_EQ(placements[0].name, "ground_plane");
  EXPECT_TRUE(placements[0].is_fixed);
  EXPECT_TRUE(std::holds_alternative<HalfSpace>(placements[0].tree.bodies[0].collisions[0].shape));
  EXPECT_FALSE(placements[1].is_fixed);
  EXPECT_EQ(placements[1].X_WR.translation(), Vector3(0, 2, 0));
  EXPECT_EQ(placements[1].tree.bodies[0].inertial.X_LC.translation(), Vector3(0, 0, 0.05));
  EXPECT_TRUE(placements[2].is_fixed);
  EXPECT_TRUE(placements[3].is_fixed);
  EXPECT_EQ(placements[3].tree.frames.back().name, "body");
  EXPECT_EQ(placements[3].tree.frames.back().X_BF.translation(), Vector3(0, 0, 0.05));
}

TEST_F(Worlds, IncludeTheFileThatModelConfigNamesForTheNewestVersionWeRead) {
  folder.write("part/model.config",
               "<model><name>part</name><sdf version='1.4'>old.sdf</sdf>"
               "<sdf version='1.7'> new.sdf </sdf><sdf version='99'>future.sdf</sdf></model>");
  for (const std::string name : {"old", "new", "future"}) {
    folder.write("part/" + name + ".sdf",
                 "<sdf version='1.6'><model name='" + name +
                     "'><static>true</static><link name='l'/></model></sdf>");
  }
  const World world = read("<include><uri>model://part</uri></include>\n");
  ASSERT_EQ(world.models.size(), 1u);
  EXPECT_EQ(world.models[0].name, "new");
}

TEST_F(Worlds, IncludeModelsOfOtherVersionsAndUrdfs) {
  write_part("old_part", "", "1.4");
  folder.write("arm/arm.urdf",
               "<robot name='arm'><link name='world'/><link name='l'/><joint name='j' type='fixed'>"
               "<parent link='world'/><child link='l'/><origin xyz='0 0 0.5'/></joint></robot>");
  const World world = read(
      "<include><uri>model://old_part</uri></include>\n"
      "<include><uri>model://arm/arm.urdf</uri><pose>1 0 0 0 0 0</pose></include>\n"
      "<include><uri>model://old_part</uri><name>on_arm</name>"
      "<pose relative_to='arm::l'>0 0 0.25 0 0 0</pose></include>\n",
      "1.8");
  ASSERT_EQ(world.models.size(), 3u);
  // 1 along x, then 0.5 to link l and 0.25 above it
  EXPECT_TRUE(world.models[2].X_WM.translation().isApprox(Vector3(1, 0, 0.75), 1e-12));
  Diagnostics diagnostics;
  const std::vector<Placement> placements = make_placements(world, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  EXPECT_TRUE(placements[1].is_fixed);
  // the world and the two files that it includes
  EXPECT_EQ(files.all().size(), 3u);
}

TEST_F(Worlds, UseTheIncludedModelsOwnPoseIfTheyGiveNone) {
  write_part("part", "<pose>0 0 7 0 0 0</pose>");
  const World world = read(
      "<include><uri>model://part</uri></include>\n"
      "<include><uri>model://part</uri><name>b</name><pose>1 0 0 0 0 0</pose></include>\n");
  EXPECT_EQ(world.models[0].X_WM.translation(), Vector3(0, 0, 7));
  EXPECT_EQ(world.models[1].X_WM.translation(), Vector3(1, 0, 0));
}

TEST_F(Worlds, PutThePlacementFrameOfAModelWhereTheySay) {
  write_part("part", "<frame name='top'><pose>0 0 0.1 0 0 0</pose></frame>");
  const World world = read(
      "<include><uri>model://part</uri><placement_frame>top</placement_frame>"
      "<pose>0 0 1 0 0 0</pose></include>\n");
  EXPECT_TRUE(world.models[0].X_WM.translation().isApprox(Vector3(0, 0, 0.9), 1e-12));
}

TEST_F(Worlds, SayWhatTheyLeaveOut) {
  read("<actor name='walker'><skin><filename>a.dae</filename></skin></actor>\n", "1.9",
       (folder.path() / "a.world").string() +
           ":2:1: warning: <actor> 'walker' is ignored\n"
           "  hint: only the models of a world and their poses are used\n");
}

TEST_F(Worlds, AModelFileIsAWorldOfOneModel) {
  const std::string path = folder.write("part.sdf",
                                        "<sdf version='1.9'><model name='part'><pose>0 0 2 0 0 0"
                                        "</pose><static>1</static><link name='l'/></model></sdf>");
  Diagnostics diagnostics;
  const World world = read_world_file(path, {}, files, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(world.models.size(), 1u);
  EXPECT_EQ(world.models[0].X_WM.translation(), Vector3(0, 0, 2));
}

/// An arm of one link on one joint, with a gripper of two links in a model of its own.
std::string arm_with(const std::string& gripper) {
  return std::string("<sdf version='1.9'><model name='cell_arm'><link name='base'>") + kMass +
         "</link><link name='upper'><pose>0 0 1 0 0 0</pose>" + kMass + "</link>" +
         "<joint name='lift' type='revolute'><parent>base</parent><child>upper</child>"
         "<axis><xyz>0 1 0</xyz></axis></joint>" +
         gripper +
         "<joint name='mount' type='fixed'><parent>upper</parent><child>gripper::palm</child>"
         "</joint></model></sdf>";
}

std::string gripper_model() {
  return std::string("<model name='gripper'><link name='palm'>") + kMass +
         "</link><link name='finger'><pose>0 0 0.2 0 0 0</pose>" + kMass +
         "</link><joint name='close' type='prismatic'><parent>palm</parent><child>finger</child>"
         "<axis><xyz>1 0 0</xyz></axis></joint>";
}

void expect_arm_with_gripper(const Model& model) {
  Diagnostics diagnostics;
  const BodyTree tree = make_body_tree(model, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  ASSERT_EQ(tree.joints.size(), 2u);
  EXPECT_EQ(tree.joints[0].name, "lift");
  EXPECT_EQ(tree.joints[1].name, "gripper::close");
  // the palm is half a metre above the upper link, the finger 0.2 m above the palm
  EXPECT_TRUE(tree.joints[1].X_PJ.translation().isApprox(Vector3(0, 0, 0.7), 1e-12));
  const Frame& palm =
      tree.frames[static_cast<std::size_t>(tree.find_frame("gripper::palm").value())];
  EXPECT_EQ(palm.body, 1);
  EXPECT_TRUE(palm.X_BF.translation().isApprox(Vector3(0, 0, 0.5), 1e-12));
  EXPECT_EQ(tree.bodies[1].inertial.mass_kg, 2.0);
}

TEST_F(Worlds, AModelInsideAModelBecomesPartOfIt) {
  const std::string path = folder.write(
      "arm.sdf",
      arm_with(gripper_model() + "<pose relative_to='upper'>0 0 0.5 0 0 0</pose></model>"));
  Diagnostics diagnostics;
  const Model model = read_model_file(path, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  expect_arm_with_gripper(model);
}

TEST_F(Worlds, AModelIncludedInAModelBecomesPartOfIt) {
  folder.write("gripper/model.sdf", "<sdf version='1.7'>" + gripper_model() + "</model></sdf>");
  const std::string path =
      folder.write("arm.sdf", arm_with("<include><uri>model://gripper</uri>"
                                       "<pose relative_to='upper'>0 0 0.5 0 0 0</pose></include>"));
  Diagnostics diagnostics;
  const Model model = read_model_file(path, diagnostics);
  EXPECT_EQ(all_text(diagnostics), "");
  expect_arm_with_gripper(model);

  // and the whole of it in a world, two levels deep
  const World world = read("<include><uri>arm.sdf</uri><pose>0 3 0 0 0 0</pose></include>\n");
  ASSERT_EQ(world.models.size(), 1u);
  expect_arm_with_gripper(world.models[0].model);
  EXPECT_EQ(world.models[0].X_WM.translation(), Vector3(0, 3, 0));
}

}  // namespace
}  // namespace longarm::model
