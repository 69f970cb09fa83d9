// SPDX-License-Identifier: Apache-2.0
// A whole small cell: a belt with parts, an arm that holds, a curtain and a camera behind links.
#include <fstream>

#include <gtest/gtest.h>

#include "longarm/experiments/run_experiment.h"

namespace longarm::experiments {
namespace {

// A belt of 2 m whose top is at 0.9 m; on it a tray of 1 kg, on that a block of 0.1 kg; beside it a
// post on a hinge that gravity would turn over.
constexpr const char* kWorld = R"(<?xml version="1.0"?>
<sdf version="1.6"><world name="small">
  <model name="conveyor"><pose>0 0 0.89 0 0 0</pose>
    <link name="frame"><inertial><mass>50</mass></inertial></link>
    <joint name="mount" type="fixed"><parent>world</parent><child>frame</child></joint>
    <link name="surface">
      <inertial><mass>20</mass><inertia><ixx>0.4</ixx><iyy>7</iyy><izz>7</izz></inertia></inertial>
      <collision name="top"><geometry><box><size>2 0.5 0.02</size></box></geometry></collision>
    </link>
    <joint name="drive" type="prismatic"><parent>frame</parent><child>surface</child>
      <axis><xyz>1 0 0</xyz></axis></joint>
  </model>
  <model name="tray"><pose>0 0 0.91 0 0 0</pose><link name="tray">
    <inertial><mass>1</mass>
      <inertia><ixx>0.0034</ixx><iyy>0.0034</iyy><izz>0.0067</izz></inertia></inertial>
    <collision name="base"><geometry><box><size>0.2 0.2 0.02</size></box></geometry></collision>
  </link></model>
  <model name="block"><pose>0.02 0 0.94 0 0 0</pose><link name="block">
    <inertial><mass>0.1</mass>
      <inertia><ixx>3e-5</ixx><iyy>3e-5</iyy><izz>3e-5</izz></inertia></inertial>
    <collision name="body"><geometry><box><size>0.04 0.04 0.04</size></box></geometry></collision>
  </link></model>
  <model name="post"><pose>0 1 0 0 0 0</pose>
    <link name="foot"><inertial><mass>5</mass></inertial></link>
    <joint name="mount" type="fixed"><parent>world</parent><child>foot</child></joint>
    <link name="arm"><inertial><pose>0.2 0 0.5 0 0 0</pose><mass>2</mass></inertial>
      <collision name="rod"><pose>0.2 0 0.5 0 0 0</pose>
        <geometry><box><size>0.05 0.05 0.5</size></box></geometry></collision></link>
    <joint name="hinge" type="revolute"><parent>foot</parent><child>arm</child>
      <axis><xyz>0 1 0</xyz></axis></joint>
  </model>
</world></sdf>)";

constexpr const char* kKeys = R"(experiment: cell
world: small.sdf
length: 2s
settle: 200ms
belt: {joint: drive, commands: [[0.3, 0.2], [1.8, 0]]}
curtain:
  poles: [[0.25, -1, 0.91, 0.25, 0.8, 0.91]]
  beams: 10
  link: {model: delay, delay: 20ms}
camera_1: {is_on: true, position_m: [0, 0, 3], period: 100ms, link: {model: delay, delay: 30ms}}
touch: {collisions: ["block::body"]}
)";

class CellRuns : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ + "/small.sdf") << kWorld; }

  PreparedExperiment prepare(std::vector<std::string> overrides) const {
    scenario::LoadOptions options;
    options.overrides = std::move(overrides);
    return load_experiment_text(kKeys, folder_ + "/cell.yaml", options,
                                scenario::built_in_plugins());
  }
  nlohmann::ordered_json run(std::vector<std::string> overrides) const {
    ExperimentRun run(prepare(std::move(overrides)));
    run.run_until(run.end());
    return run.results();
  }
  std::string refusal(std::vector<std::string> overrides) const {
    try {
      prepare(std::move(overrides));
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  }

  std::string folder_ = testing::TempDir();
};

TEST_F(CellRuns, CarryPartsThroughTheCurtainAndTellWithADelay) {
  for (const std::string engine : {"mujoco", "ode"}) {
    const auto results = run({"engine=" + engine});
    EXPECT_EQ(results["ended"], "completed") << engine;
    EXPECT_EQ(results["parts"], 2);
    // ramps of 0.5 m/s²: v·t = 0.2·1.5 m, less what is left of the last one at 0.1 m/s, v²/(2a)
    EXPECT_NEAR(results["belt_encoder_m"].get<double>(), 0.29, 1e-3) << engine;
    EXPECT_EQ(results["belt_jammed"], false);
    // the parts go with it: 0.5 m/s² is far below μg
    EXPECT_LT(results["displacement_max_m"].get<double>(), 2e-3) << engine;
    // the tray's edge, 0.1 m before its centre, has 0.15 m to the plane: 0.3 s + 0.2 s of half the
    // ramp's loss + 0.15/0.2 s = 1.25 s
    EXPECT_NEAR(results["curtain_first_broken_s"].get<double>(), 1.25, 0.01) << engine;
    EXPECT_NEAR(results["curtain_heard_s"].get<double>(),
                results["curtain_first_broken_s"].get<double>() + 0.02, 1e-9);
    EXPECT_EQ(results["curtain_interruptions"], 1);
    // frames at 0, 0.1 … 1.9 s, each 30 ms late
    EXPECT_EQ(results["camera_1"]["sent"], 20);
    EXPECT_EQ(results["camera_1"]["delivered"], 20);
    EXPECT_NEAR(results["camera_1"]["delay_mean_s"].get<double>(), 0.03, 1e-9);
    EXPECT_EQ(results["camera_1"]["detections_at_end"], 2);
    EXPECT_GT(results["touched_s"].get<double>(), 1.9);
  }
}

TEST_F(CellRuns, HoldTheirArms) {
  ExperimentRun held(prepare({"length=500ms"}));
  held.run_until(held.end());
  EXPECT_NEAR(held.experiment().engine().positions()[1], 0.0, 1e-6);
  // 2 kg at 0.2 m ask for 3.9 N·m
  ExperimentRun weak(prepare({"length=500ms", "hold_effort=1"}));
  weak.run_until(weak.end());
  EXPECT_GT(weak.experiment().engine().positions()[1], 0.1);
}

TEST_F(CellRuns, ShowWithoutPhysicsWhatPhysicsAdds) {
  const PreparedExperiment prepared = prepare({"engine=kinematic"});
  ASSERT_EQ(prepared.warnings.size(), 2u);
  EXPECT_EQ(prepared.warnings[0].message,
            "this engine knows no contacts: parts stay where they are, belts carry nothing");
  EXPECT_EQ(prepared.warnings[1].message, "this engine has no rays: the light curtain is left out");
  const auto results = run({"engine=kinematic"});
  EXPECT_NEAR(results["belt_encoder_m"].get<double>(), 0.29, 1e-3);
  EXPECT_EQ(results["displacement_max_m"].get<double>(), 0.0) << "they hang where they were";
  EXPECT_FALSE(results.contains("curtain_interruptions"));
}

TEST_F(CellRuns, RepeatBitByBit) {
  const std::vector<std::string> keys{"length=500ms"};
  EXPECT_EQ(run(keys).dump(), run(keys).dump());
}

TEST_F(CellRuns, SayWhichKeyIsWrong) {
  EXPECT_EQ(refusal({"world=nowhere.sdf"}), "there is no world 'nowhere.sdf'");
  EXPECT_EQ(refusal({"belt.joint=dirve"}), "there is no joint 'dirve'");
  EXPECT_EQ(refusal({"belt.joint=hinge"}), "joint 'hinge' cannot be a belt: it turns");
  EXPECT_EQ(refusal({"belt.max_force_N=-1"}), "a belt needs a drive with a force above zero");
  EXPECT_EQ(refusal({"touch.collisions=[lid]"}), "there is no collision 'lid' to watch");
  EXPECT_EQ(refusal({"camera_1.watch=[gear]"}),
            "camera_1 cannot watch 'gear': there is no such model");
  EXPECT_EQ(refusal({"curtain.beams=0"}), "beams must be from 1 to 10000");
  EXPECT_EQ(refusal({"camera_1.dropout=2"}), "dropout is a probability");
  EXPECT_EQ(refusal({"belt.commands=[[1, 0.1], [0.5, 0]]"}),
            "the command at 0.5 s stands after the one at 1 s");
  EXPECT_EQ(refusal({"belt.commands=[[1, 0.9]]", "belt.max_speed_m_s=0.4"}),
            "a command of 0.9 m/s is beyond the belt's max_speed_m_s of 0.4");
  EXPECT_EQ(refusal({"belt.commands=[[-1, 0.1]]"}), "a belt cannot be commanded at -1 s");
  EXPECT_EQ(refusal({"belt.commands=[[1, 0.1, 2]]"}),
            "a belt's command is a pair of a time in s and a velocity in m/s");
  EXPECT_EQ(refusal({"settle=500ms", "length=500ms"}),
            "the run would be over before displacements are counted");
  EXPECT_EQ(refusal({"settle=-1ms"}), "a time cannot be negative");
}

TEST_F(CellRuns, SayWhichRobotFailureOrHostIsWrong) {
  EXPECT_EQ(refusal({"failures=1s belt brakes"}),
            "\"1s belt brakes\": a belt cannot do 'brakes'; valid names are: stops");
  EXPECT_EQ(refusal({"failures=1s part blok missing"}),
            "\"1s part blok missing\": there is no loose part 'blok'");
  EXPECT_EQ(refusal({"failures=1s robot post breaks"}),
            "\"1s robot post breaks\": there is no robot 'post'");
  EXPECT_EQ(refusal({"failures=1s link wire down"}),
            "\"1s link wire down\": there is no link 'wire'");
  EXPECT_EQ(refusal({"failures=100ms curtain broken for 1s"}),
            "\"100ms curtain broken for 1s\": nobody walks so fast");
  EXPECT_EQ(refusal({"robots={arm: {}}"}), "there is no 'arm' in this world");
  EXPECT_EQ(refusal({"plc.is_on=true", "belt.joint=\"\"", "belt.commands=[]"}),
            "the PLC has no belt to drive");
  EXPECT_EQ(refusal({"safety.is_on=true", "curtain.poles=[]"}),
            "the safety controller has no light curtain to hear");
  EXPECT_EQ(refusal({"safety.silence=0s"}), "silence must be longer than nothing");
  EXPECT_EQ(refusal({"belt.upstream_m=1.5"}), "1.5 m upstream 'tray' is not on the belt any more");
  const std::string network =
      "network={hosts: {executor: {}, plc: {}, camera_1: {}, touch: {}}, star: {hosts: 0}, "
      "switches: {hub: {}}, links: {a: {between: [executor, hub]}, b: {between: [plc, hub]}, "
      "c: {between: [camera_1, hub]}, d: {between: [touch, hub]}}}";
  EXPECT_EQ(refusal({network, "curtain.link={model: none}", "camera_1.link={model: none}"}),
            "the network has no host 'curtain' for role 'curtain'");
  EXPECT_EQ(refusal({network, "curtain.poles=[]", "curtain.link={model: none}"}),
            "its link means nothing where there is a network");
}

TEST_F(CellRuns, StopTheirBeltWhenTheCurtainIsBroken) {
  // the tray breaks the beam at 1.25 s, the report takes 20 ms; the belt has 0.2 m/s until then:
  // 0.2·(1.27 − 0.3) m, less the ramp's 0.04 m, and stands at once
  const auto results = run({"safety.is_on=true"});
  EXPECT_EQ(results["safety_stops"], 1);
  EXPECT_NEAR(results["belt_encoder_m"].get<double>(), 0.154, 3e-3);
  EXPECT_NEAR(results["stops"][0]["order_after_s"].get<double>(), 0.02, 1e-9);
}

TEST_F(CellRuns, BringWhatStandsUpstream) {
  ExperimentRun run(prepare({"belt.upstream_m=0.3", "curtain.poles=[]"}));
  const auto x_m = [&] {
    return run.experiment().engine().pose(physics::BodyId{2}).translation().x();
  };
  EXPECT_NEAR(x_m(), -0.3, 1e-9);
  run.run_until(run.end());
  EXPECT_NEAR(x_m(), -0.3 + 0.29, 3e-3) << "as far as the belt came";
}

TEST_F(CellRuns, HaveADoorForTheirPlc) {
  const PreparedExperiment prepared = prepare({"plc.is_on=true"});
  const auto experiment = prepared.scenario.model->make(prepared.context());
  ASSERT_EQ(experiment->doors().size(), 1u);
  EXPECT_EQ(experiment->doors()[0]->name(), "plc");
  EXPECT_EQ(experiment->doors()[0]->port(), 1502);
  const auto without = prepare({}).scenario.model->make(prepared.context());
  EXPECT_TRUE(without->doors().empty());
}

TEST_F(CellRuns, KnowNoDisplacementsBeforePartsHaveSettled) {
  ExperimentRun run(prepare({"settle=200ms", "length=500ms"}));
  run.run_until(Time(Duration(199'000'000)));
  EXPECT_TRUE(run.results()["displacement_sum_m"].is_null());
  EXPECT_TRUE(run.results()["displacement_max_m"].is_null());
  for (const auto& [name, value] : run.results()["displacement_m"].items()) {
    EXPECT_TRUE(value.is_null()) << name;
  }
  run.run_until(Time(Duration(200'000'000)));
  EXPECT_EQ(run.results()["displacement_sum_m"], 0.0);
}

TEST_F(CellRuns, WarnOfAJam) {
  // 1 N moves no belt of kilogrammes as fast as its ramp
  const auto jammed = run({"length=1s", "belt.max_force_N=1", "belt.commands=[[0, 0.2]]"});
  EXPECT_EQ(jammed["belt_jammed"], true);
  const auto well = run({"length=1s", "belt.commands=[[0, 0.2]]"});
  EXPECT_EQ(well["belt_jammed"], false);
  ASSERT_EQ(jammed["warnings"].size(), well["warnings"].size() + 1);
  const std::string warning = jammed["warnings"].back().get<std::string>();
  EXPECT_TRUE(warning.starts_with("the belt was jammed at 0.2")) << warning;
  EXPECT_TRUE(warning.ends_with("pressed with all of its 1 N and did not get there")) << warning;
}

}  // namespace
}  // namespace longarm::experiments
