// SPDX-License-Identifier: Apache-2.0
// A whole small cell: a belt with parts, an arm that holds, a curtain and a camera behind links.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/cell/run_folder.h"

namespace longarm::actors {
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

constexpr const char* kKeys = R"(world: small.sdf
length: 2s
actors:
  belt: {kind: belt, joint: drive, commands: [[0.3, 0.2], [1.8, 0]]}
  curtain:
    kind: curtain
    poles: [[0.25, -1, 0.91, 0.25, 0.8, 0.91]]
    beams: 10
    link: {model: delay, delay: 20ms}
  ears: {kind: safety, curtains: [curtain]}
  camera_1:
    kind: camera
    position_m: [0, 0, 3]
    period: 100ms
    link: {model: delay, delay: 30ms}
  touch: {kind: contact-sensor, collisions: ["block::body"]}
  drift: {kind: part-drift, belt: belt, settle: 200ms}
)";

// A PLC for the belt, and a safety controller that stops it.
constexpr const char* kPlc = "actors.plc={kind: plc, belt: belt}";
constexpr const char* kStops = "actors.ears.stops=[belt]";

class CellRuns : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ + "/small.sdf") << kWorld; }

  cell::PreparedScenario prepare(std::vector<std::string> overrides) const {
    cell::LoadOptions options;
    options.overrides = std::move(overrides);
    return cell::load_scenario_text(kKeys, folder_ + "/cell.yaml", options,
                                    labs::built_in_plugins());
  }
  nlohmann::ordered_json run(std::vector<std::string> overrides) const {
    cell::Run run(prepare(std::move(overrides)));
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
    EXPECT_EQ(results["drift"]["parts"], 2);
    // ramps of 0.5 m/s²: v·t = 0.2·1.5 m, less what is left of the last one at 0.1 m/s, v²/(2a)
    EXPECT_NEAR(results["belt"]["encoder_m"].get<double>(), 0.29, 1e-3) << engine;
    EXPECT_EQ(results["belt"]["jammed"], false);
    // the parts go with it: 0.5 m/s² is far below μg
    EXPECT_LT(results["drift"]["max_m"].get<double>(), 2e-3) << engine;
    // the tray's edge, 0.1 m before its centre, has 0.15 m to the plane: 0.3 s + 0.2 s of half the
    // ramp's loss + 0.15/0.2 s = 1.25 s
    const double broken_s = results["curtain"]["first_broken_s"].get<double>();
    EXPECT_NEAR(broken_s, 1.25, 0.01) << engine;
    EXPECT_NEAR(results["ears"]["intrusion_heard_s"].get<double>(), broken_s + 0.02, 1e-9);
    EXPECT_EQ(results["curtain"]["interruptions"], 1);
    // frames at 0, 0.1 … 1.9 s, each 30 ms late
    EXPECT_EQ(results["camera_1"]["sent"], 20);
    EXPECT_EQ(results["camera_1"]["delivered"], 20);
    EXPECT_NEAR(results["camera_1"]["delay_mean_s"].get<double>(), 0.03, 1e-9);
    EXPECT_EQ(results["camera_1"]["detections_at_end"], 2);
    EXPECT_GT(results["touch"]["touched_s"].get<double>(), 1.9);
  }
}

TEST_F(CellRuns, HoldTheirArms) {
  cell::Run held(prepare({"length=500ms"}));
  held.run_until(held.end());
  EXPECT_NEAR(held.world().engine().positions()[1], 0.0, 1e-6);
  // 2 kg at 0.2 m ask for 3.9 N·m
  cell::Run weak(prepare({"length=500ms", "hold_effort=1"}));
  weak.run_until(weak.end());
  EXPECT_GT(weak.world().engine().positions()[1], 0.1);
}

TEST_F(CellRuns, ShowWithoutPhysicsWhatPhysicsAdds) {
  const cell::PreparedScenario prepared = prepare({"engine=kinematic"});
  ASSERT_EQ(prepared.warnings.size(), 1u);
  EXPECT_EQ(prepared.warnings[0].message,
            "this engine has no forces: grippers and belts carry parts without slip, and nothing "
            "else moves or stops them");
  const auto results = run({"engine=kinematic"});
  ASSERT_EQ(results["warnings"].size(), 2u);
  EXPECT_EQ(results["warnings"][1],
            "this engine has no rays: the light curtain is omitted; use engine mujoco or ode");
  EXPECT_NEAR(results["belt"]["encoder_m"].get<double>(), 0.29, 1e-3);
  EXPECT_LT(results["drift"]["max_m"].get<double>(), 1e-9) << "they ride along without slip";
  EXPECT_FALSE(results["curtain"].contains("interruptions"));
}

TEST_F(CellRuns, RepeatBitByBit) {
  const std::vector<std::string> keys{"length=500ms"};
  EXPECT_EQ(run(keys).dump(), run(keys).dump());
}

TEST_F(CellRuns, SayWhichKeyIsWrong) {
  EXPECT_THAT(refusal({"world=nowhere.sdf"}), testing::StartsWith("file not found: 'nowhere.sdf'"));
  EXPECT_EQ(refusal({"actors.belt.joint=dirve"}), "there is no joint 'dirve'");
  EXPECT_EQ(refusal({"actors.belt.joint=hinge"}),
            "joint 'hinge' cannot drive a belt: it is rotational");
  EXPECT_EQ(refusal({"actors.belt.max_force_N=-1"}),
            "a belt needs a drive with a force above zero");
  EXPECT_EQ(refusal({"actors.touch.collisions=[lid]"}), "there is no collision 'lid' to watch");
  EXPECT_EQ(refusal({"actors.camera_1.watch=[gear]"}),
            "camera_1 cannot watch 'gear': there is no such model");
  EXPECT_EQ(refusal({"actors.curtain.beams=0"}), "beams must be from 1 to 10000");
  EXPECT_EQ(refusal({"actors.camera_1.dropout=2"}), "dropout must be a probability");
  EXPECT_EQ(refusal({"actors.belt.commands=[[1, 0.1], [0.5, 0]]"}),
            "the command at 0.5 s comes after the one at 1 s");
  EXPECT_EQ(refusal({"actors.belt.commands=[[1, 0.9]]", "actors.belt.max_speed_m_s=0.4"}),
            "a command of 0.9 m/s exceeds the belt's max_speed_m_s of 0.4");
  EXPECT_EQ(refusal({"actors.belt.commands=[[-1, 0.1]]"}), "a belt cannot be commanded at -1 s");
  EXPECT_EQ(refusal({"actors.belt.commands=[[1, 0.1, 2]]"}),
            "a belt command is a pair: time in s and velocity in m/s");
  EXPECT_EQ(refusal({"actors.drift.settle=500ms", "length=500ms"}),
            "the run would end before displacements are counted");
  EXPECT_EQ(refusal({"actors.drift.settle=-1ms"}), "a time must not be negative");
}

TEST_F(CellRuns, SayWhichRobotFailureOrHostIsWrong) {
  EXPECT_EQ(refusal({"failures=1s belt brakes"}),
            "\"1s belt brakes\": failure 'brakes' does not apply to 'belt'");
  EXPECT_EQ(refusal({"failures=1s part blok missing"}),
            "\"1s part blok missing\": there is no loose part 'blok'");
  EXPECT_EQ(refusal({"failures=1s post breaks"}), "\"1s post breaks\": there is no actor 'post'");
  EXPECT_EQ(refusal({"failures=1s link wire down"}),
            "\"1s link wire down\": there is no link 'wire'");
  EXPECT_EQ(refusal({"failures=100ms curtain broken for 1s"}),
            "\"100ms curtain broken for 1s\": a person cannot walk that fast");
  EXPECT_EQ(refusal({"actors.arm={kind: crcl}"}), "there is no 'arm' in this world");
  EXPECT_EQ(refusal({"actors.plc={kind: plc}"}), "the PLC has no belt to drive");
  EXPECT_EQ(refusal({"actors.ears.curtains=[]"}),
            "the safety controller has no light curtain to monitor");
  EXPECT_EQ(refusal({"actors.curtain.poles=[]"}), "a light curtain needs poles");
  EXPECT_EQ(refusal({"actors.touch.collisions=[]"}), "a contact sensor needs something to watch");
  EXPECT_EQ(refusal({"actors.belt.joint=\"\""}), "a belt needs the joint that drives it");
  EXPECT_EQ(refusal({"actors.ears.silence=0s"}), "silence must be greater than zero");
  EXPECT_EQ(refusal({"actors.belt.upstream_m=1.5"}),
            "1.5 m upstream, 'tray' is no longer on the belt");
  const std::string network =
      "network={hosts: {executor: {}, plc: {}, camera_1: {}, touch: {}}, star: {hosts: 0}, "
      "switches: {hub: {}}, links: {a: {between: [executor, hub]}, b: {between: [plc, hub]}, "
      "c: {between: [camera_1, hub]}, d: {between: [touch, hub]}}}";
  EXPECT_EQ(refusal({network, "actors.curtain.host=curtain", "actors.curtain.link={model: none}"}),
            "the network has no host 'curtain'");
  EXPECT_EQ(refusal({network, "actors.camera_1.host=camera_1"}),
            "its link has no effect where there is a network");
}

/// What users are told about a text of their own.
std::string told_about(const std::string& text) {
  try {
    cell::load_scenario_text(text, "cell.yaml", {}, labs::built_in_plugins());
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(CellFiles, OfBeforeAreRefusedWithTheirReplacement) {
  for (const std::string kind : {"cell", "kitting", "ur"}) {
    EXPECT_EQ(told_about("title: old\nexperiment: " + kind + "\nworld: aprs\n"),
              "cell.yaml:2:13: error: 'experiment: " + kind +
                  "' is now written as actors\n"
                  "  hint: see the built-in scenarios aprs-kitting and ur5-driver, and "
                  "CHANGELOG.md (0.2.0)");
  }
}

TEST(CellFiles, SayWhereAWishIsWrong) {
  EXPECT_EQ(told_about(R"(actors:
  belt: {kind: belt, joint: drive}
  camera: {kind: camera}
  plc: {kind: plc, belt: camera}
)"),
            "cell.yaml:4:26: error: 'camera' is a camera, which offers camera's frames, server of "
            "lines; 'plc' needs a belt\n"
            "  hint: kinds that offer a belt: belt");
}

TEST_F(CellRuns, StopTheirBeltWhenTheCurtainIsBroken) {
  // the tray breaks the beam at 1.25 s, the report takes 20 ms; the belt has 0.2 m/s until then:
  // 0.2·(1.27 − 0.3) m, less the ramp's 0.04 m, and stands at once
  const auto results = run({kStops});
  EXPECT_EQ(results["ears"]["stops"], 1);
  EXPECT_NEAR(results["belt"]["encoder_m"].get<double>(), 0.154, 3e-3);
  EXPECT_NEAR(results["ears"]["each_stop"][0]["order_after_s"].get<double>(), 0.02, 1e-9);
}

TEST_F(CellRuns, BringWhatStandsUpstream) {
  cell::Run run(prepare({"actors.belt.upstream_m=0.3"}));
  const auto x_m = [&] { return run.world().engine().pose(physics::BodyId{2}).translation().x(); };
  EXPECT_NEAR(x_m(), -0.3, 1e-9);
  run.run_until(run.end());
  EXPECT_NEAR(x_m(), -0.3 + 0.29, 3e-3) << "as far as the belt came";
}

TEST_F(CellRuns, HaveADoorForTheirPlc) {
  const cell::PreparedScenario prepared = prepare({kPlc});
  const cell::Run run(prepared);
  ASSERT_EQ(run.world().doors().size(), 1u);
  EXPECT_EQ(run.world().doors()[0]->name(), "plc");
  EXPECT_EQ(run.world().doors()[0]->port(), 1502);
  EXPECT_TRUE(cell::Run(prepare({})).world().doors().empty());
}

TEST_F(CellRuns, KnowNoDisplacementsBeforePartsHaveSettled) {
  cell::Run run(prepare({"actors.drift.settle=200ms", "length=500ms"}));
  run.run_until(Time(Duration(199'000'000)));
  EXPECT_TRUE(run.results()["drift"]["sum_m"].is_null());
  EXPECT_TRUE(run.results()["drift"]["max_m"].is_null());
  EXPECT_EQ(run.results()["drift"]["each_m"].size(), 2u);
  const nlohmann::ordered_json early = run.results();
  for (const auto& [name, value] : early["drift"]["each_m"].items()) {
    EXPECT_TRUE(value.is_null()) << name;
  }
  run.run_until(Time(Duration(200'000'000)));
  EXPECT_EQ(run.results()["drift"]["sum_m"], 0.0);
}

TEST_F(CellRuns, WarnOfAJam) {
  // 1 N moves no belt of kilogrammes as fast as its ramp
  const std::string start = "actors.belt.commands=[[0, 0.2]]";
  const auto jammed = run({"length=1s", "actors.belt.max_force_N=1", start});
  EXPECT_EQ(jammed["belt"]["jammed"], true);
  const auto well = run({"length=1s", start});
  EXPECT_EQ(well["belt"]["jammed"], false);
  ASSERT_EQ(jammed["warnings"].size(), well["warnings"].size() + 1);
  const std::string warning = jammed["warnings"].back().get<std::string>();
  EXPECT_TRUE(warning.starts_with("the belt jammed at 0.2")) << warning;
  EXPECT_TRUE(warning.ends_with("reached its limit of 1 N without reaching the commanded speed"))
      << warning;
}

// a run's folder runs by itself, and is the same run
TEST(ReadyCells, ResolveToThemselves) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "ready_cells";
  for (const std::string name : {"ur5-live", "ur5-driver", "armar-rectangle", "aprs"}) {
    const cell::PreparedScenario once = cell::load_scenario(name, {}, plugins);
    std::filesystem::create_directories(folder);
    write_scenario(once, folder);
    const cell::PreparedScenario twice =
        cell::load_scenario((folder / "scenario.yaml").string(), {}, plugins);
    EXPECT_EQ(to_yaml(twice.scenario, plugins), to_yaml(once.scenario, plugins)) << name;
    EXPECT_EQ(twice.identity, once.identity) << name;
    std::filesystem::remove_all(folder);
  }
}

}  // namespace
}  // namespace longarm::actors
