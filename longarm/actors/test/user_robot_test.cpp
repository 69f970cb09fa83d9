// SPDX-License-Identifier: Apache-2.0
// A robot that is not ours, with meshes of every kind, in a world of its own, on both engines.
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/cell/run_folder.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/record/trace_csv.h"

namespace longarm::actors {
namespace {

/// The picker swings its arm from straight up to the side and back.
class UserRobot : public testing::Test {
 protected:
  void SetUp() override {
    robot_ = model::write_mesh_robot(folder_);
    text_ = "robot:\n  model: " + robot_.urdf + "\n  search_path: [" + robot_.search_folder +
            "]\n  end_effector: tip\n"
            "task:\n  path: joint\n  joints_rad: [[0.8, 0.9, 0.5], [-0.5, 0.3, 1.0]]\n"
            "  acceleration_limit_rad_s2: 3\n  check_collisions: false\n"
            "gain: 10\nlink: {delay: 5ms}\n";
  }

  PreparedScenario prepare_picker(const Changes& changes) const {
    return load_scenario_text(text_, (folder_.path() / "cell.yaml").string(), {changes, {}},
                              built_in_plugins());
  }

  model::ScratchFolder folder_;
  model::MeshRobot robot_;
  std::string text_;
};

TEST_F(UserRobot, WithMeshesRunsAlikeOnBothEngines) {
  Simulation mujoco(prepare_picker({"engine=mujoco"}), {});
  Simulation ode(prepare_picker({"engine=ode"}), {});
  double square_sum = 0.0;
  int samples = 0;
  while (!mujoco.is_over()) {
    const Time next = mujoco.now() + Duration(10'000'000);
    ASSERT_TRUE(mujoco.run_until(next).has_value());
    ASSERT_TRUE(ode.run_until(next).has_value());
    for (std::size_t i = 0; i < 3; ++i) {
      const double difference = mujoco.loop().positions()[i] - ode.loop().positions()[i];
      square_sum += difference * difference;
      ++samples;
    }
  }
  // the bound that both engines keep for the UR5 (2 mrad RMS)
  EXPECT_LT(std::sqrt(square_sum / samples), 2e-3);
  EXPECT_EQ(mujoco.results()["contact_steps"], 0);
  EXPECT_EQ(ode.results()["contact_steps"], 0);
  EXPECT_EQ(mujoco.results()["stable"], true);
}

TEST_F(UserRobot, TouchesTheWallOfItsWorldOnBothEngines) {
  // the wall stands where the hand passes: about 0.5 m up (0.11 + 0.2 + 0.24), in the way of the
  // waist's turn to 0.8 rad
  folder_.write("wall.sdf",
                "<sdf version='1.7'><world name='w'><model name='wall'><static>true</static>\n"
                "<pose>0.3 0.15 0.5 0 0 0</pose><link name='panel'><collision name='c'><geometry>\n"
                "<box><size>0.05 0.3 0.6</size></box></geometry></collision></link></model>\n"
                "</world></sdf>\n");
  for (const std::string engine : {"mujoco", "ode"}) {
    const Json results = run_to_end(prepare_picker({"engine=" + engine, "world=wall.sdf"}));
    EXPECT_GT(results["contact_steps"], 10) << engine;
    EXPECT_EQ(results.value("first_contact", ""), "hand and wall") << engine;
  }
  EXPECT_EQ(prepare_picker({"engine=kinematic", "world=wall.sdf"}).warnings.back().message,
            "engine 'kinematic' has no contacts: the arm passes through objects");
}

TEST_F(UserRobot, IsIdentifiedByItsMeshesToo) {
  const PreparedScenario before = prepare_picker({});
  folder_.write("workspace/src/picker/picker_description/meshes/hand.obj",
                model::obj(model::box_mesh({0.02, 0, -0.02}, {0.12, 0.06, 0.03})));
  const PreparedScenario after = prepare_picker({});
  EXPECT_NE(before.identity, after.identity);
  EXPECT_NE(before.model_hash, after.model_hash);
}

TEST_F(UserRobot, RunsAgainFromTheFolderOfItsRun) {
  const std::string out = (folder_.path() / "run").string();
  const PreparedScenario prepared = prepare_picker({"record.csv=false"});
  RunOptions options;
  options.out = out;
  const RunResult first = run_scenario(prepared, options);
  const Json again = run_to_end(load_scenario(out + "/scenario.yaml", {}, built_in_plugins()));
  EXPECT_EQ(again["state_hash"], first.metrics["state_hash"]);
  EXPECT_EQ(again["identity"], first.metrics["identity"]);
}

}  // namespace
}  // namespace longarm::actors
