// SPDX-License-Identifier: Apache-2.0
// A user's robot, with meshes and not ours, runs on the engines and moves alike.
#include "longarm/model/test/mesh_robot.h"

#include "longarm/model/model_file.h"
#include "longarm/model/world.h"
#include "longarm/physics/mesh_warnings.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

model::Cell load_picker(const model::ScratchFolder& folder) {
  const model::MeshRobot robot = model::write_mesh_robot(folder);
  Diagnostics diagnostics;
  InputFiles files;
  model::Placement placement;
  placement.name = "picker";
  placement.tree = model::make_body_tree(
      model::read_model_file(robot.urdf, {{robot.search_folder}}, files, diagnostics), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  return cell_of({ground(), placement});
}

/// Where the joints and the hand are after a second with velocity motors.
struct Outcome {
  std::vector<double> positions;
  Vector3 p_WH;
};

Outcome run_for_a_second(const std::string& name, const model::Cell& cell) {
  const auto engine = built_in_engines().make(name, cell, {});
  const double velocities[] = {0.5, 0.8, -0.6};
  for (int j = 0; j < 3; ++j) {
    engine->set_velocity(joint_id(j), velocities[j], 200.0);
  }
  for (int i = 0; i < 1000; ++i) {
    engine->step();
    EXPECT_TRUE(engine->contacts().empty()) << name << " step " << i;
  }
  return {{engine->positions().begin(), engine->positions().end()},
          engine->pose(body_id(4)).translation()};
}

TEST(MeshRobot, FollowsItsMotorsOnBothEnginesAlike) {
  const model::ScratchFolder folder;
  const model::Cell cell = load_picker(folder);
  const Outcome mujoco = run_for_a_second("mujoco", cell);
  const Outcome ode = run_for_a_second("ode", cell);
  const double expected[] = {0.5, 0.8, -0.6};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(mujoco.positions[j], expected[j], 1e-6) << j;
    EXPECT_NEAR(ode.positions[j], expected[j], 1e-3) << j;
  }
  // the hand's frame is 0.24 m along the arm, which leans by 0.8 rad from the vertical at 0.31 m
  // height and is turned by 0.5 rad: the arm's x is up at zero and leans towards +x
  const double out = 0.24 * std::sin(0.8);
  const Vector3 hand(out * std::cos(0.5), out * std::sin(0.5), 0.31 + 0.24 * std::cos(0.8));
  EXPECT_TRUE(mujoco.p_WH.isApprox(hand, 1e-6)) << mujoco.p_WH.transpose();
  EXPECT_LT((ode.p_WH - mujoco.p_WH).norm(), 1e-3);
}

TEST(MeshRobot, MeetsTheGroundWithItsMeshOnBothEngines) {
  const model::ScratchFolder folder;
  const model::Cell cell = load_picker(folder);
  // Level, the arm is 0.31 m above the ground, and the hand, straight down from it, reaches to 0.31
  // - 0.12 m. Leaning by 2.6 rad from upright, the arm ends at 0.31 + 0.24 cos 2.6 = 0.104 m, and
  // the hand, leaning by 3.1 rad, at 0.104 + 0.12 cos 3.1 = -0.016 m.
  for (const char* name : {"mujoco", "ode"}) {
    const auto engine = built_in_engines().make(name, cell, {});
    EXPECT_TRUE(engine->collisions_at(std::vector{0.0, M_PI / 2, 0.0}).empty()) << name;
    EXPECT_TRUE(engine->collisions_at(std::vector{0.0, M_PI / 2, M_PI / 2}).empty()) << name;
    const auto low = engine->collisions_at(std::vector{0.0, 2.6, 0.5});
    EXPECT_NE(std::find(low.begin(), low.end(), std::pair(body_id(0), body_id(4))), low.end())
        << name;
  }
}

TEST(MeshRobot, HasConvexMeshesThatNobodyNeedsToBeWarnedOf) {
  const model::ScratchFolder folder;
  Capabilities hulls;
  hulls.has_contacts = true;
  EXPECT_TRUE(mesh_warnings(load_picker(folder), hulls).empty());
}

TEST(MeshRobot, StandsInAWorldAmongOtherThings) {
  const model::ScratchFolder folder;
  const model::MeshRobot robot = model::write_mesh_robot(folder);
  const std::string world = folder.write(
      "cell.world",
      "<sdf version='1.9'><world name='cell'>\n"
      "<include><uri>model://ground_plane</uri></include>\n"
      "<include><uri>file://" +
          robot.urdf +
          "</uri><static>false</static></include>\n"
          "<model name='cube'><pose>0.6 0 0.05 0 0 0</pose><link "
          "name='body'><inertial><mass>0.5</mass>"
          "<inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>"
          "<collision "
          "name='c'><geometry><mesh><uri>package://picker_description/meshes/base.stl</uri>"
          "<scale>0.5 0.5 1</scale></mesh></geometry></collision></link></model>\n"
          "</world></sdf>");
  Diagnostics diagnostics;
  InputFiles files;
  const model::ModelSearch search{
      {robot.search_folder, (folder.path() / "workspace/src").string()}};
  model::Cell cell;
  cell.placements = model::make_placements(
      model::read_world_file(world, search, files, diagnostics), diagnostics);
  ASSERT_TRUE(diagnostics.all().empty()) << diagnostics.all()[0].format();
  ASSERT_EQ(cell.placements.size(), 3u);
  for (const char* name : {"mujoco", "ode"}) {
    const auto engine = built_in_engines().make(name, cell, {});
    for (int j = 0; j < 3; ++j) {
      engine->set_velocity(joint_id(j), 0.0, 200.0);
    }
    run(*engine, 1000);
    // the cube fell by 0.05 m onto its base; the robot, which floats, stands on its own
    EXPECT_NEAR(engine->pose(body_id(5)).translation().z(), 0.0, 2e-3) << name;
    EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.0, 2e-3) << name;
    EXPECT_NEAR(engine->pose(body_id(1)).linear()(2, 2), 1.0, 1e-4) << name;
  }
}

}  // namespace
}  // namespace longarm::physics
