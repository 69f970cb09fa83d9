// SPDX-License-Identifier: Apache-2.0
// More than one of a kind: each has its own keys, failures, random draws and results.
#include <ctime>
#include <fstream>

#include <fmt/format.h>

#include "longarm/actors/test/cell_fixture.h"

namespace longarm::actors {
namespace {

// Two belts of 2 m along x whose tops are at 0.9 m, 2 m apart, a tray of 1 kg on each.
std::string two_belts() {
  std::string models;
  for (const auto& [side, y_m] : {std::pair{"left", -1.0}, std::pair{"right", 1.0}}) {
    models += fmt::format(
        R"(
  <model name="{0}_conveyor"><pose>0 {1} 0.89 0 0 0</pose>
    <link name="frame"><inertial><mass>50</mass></inertial></link>
    <joint name="mount" type="fixed"><parent>world</parent><child>frame</child></joint>
    <link name="surface">
      <inertial><mass>20</mass><inertia><ixx>0.4</ixx><iyy>7</iyy><izz>7</izz></inertia></inertial>
      <collision name="top"><geometry><box><size>2 0.5 0.02</size></box></geometry></collision>
    </link>
    <joint name="drive" type="prismatic"><parent>frame</parent><child>surface</child>
      <axis><xyz>1 0 0</xyz></axis></joint>
  </model>
  <model name="{0}_tray"><pose>0 {1} 0.91 0 0 0</pose><link name="tray">
    <inertial><mass>1</mass>
      <inertia><ixx>0.0034</ixx><iyy>0.0034</iyy><izz>0.0067</izz></inertia></inertial>
    <collision name="base"><geometry><box><size>0.2 0.2 0.02</size></box></geometry></collision>
  </link></model>)",
        side, y_m);
  }
  return fmt::format(R"(<?xml version="1.0"?>
<sdf version="1.6"><world name="two-belts">{}
</world></sdf>)",
                     models);
}

// The left gate stands across its belt, the right one beyond everything that moves by itself.
constexpr const char* kTwoBelts = R"(world: two-belts.sdf
length: 1500ms
actors:
  left: {kind: belt, joint: "left_conveyor::drive", commands: [[0.1, 0.2]]}
  right: {kind: belt, joint: "right_conveyor::drive", commands: [[0.1, 0.05]]}
  left_gate: {kind: curtain, poles: [[0.25, -1.8, 0.91, 0.25, -0.2, 0.91]], beams: 10}
  right_gate: {kind: curtain, poles: [[2, 0.2, 0.91, 2, 1.8, 0.91]], beams: 10}
  left_guard: {kind: safety, curtains: [left_gate], stops: [left]}
  right_guard: {kind: safety, curtains: [right_gate], stops: [right]}
  above: {kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 100ms}
  beside: {kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 100ms}
  slow: {kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 500ms, noise: none}
)";

class ManyActors : public CellTest {
 protected:
  void SetUp() override { std::ofstream(folder_ + "/two-belts.sdf") << two_belts(); }

  cell::PreparedScenario prepare_two(const std::vector<std::string>& failures) const {
    return prepare(kTwoBelts,
                   {fmt::format("failures=[{}]",
                                failures.empty() ? "" : "\"" + join(failures, "\", \"") + "\"")},
                   folder_ + "/cell.yaml");
  }

  std::string folder_ = testing::TempDir();
};

TEST_F(ManyActors, ActEachForItself) {
  const auto run = run_of(prepare_two({"1200ms right_gate broken for 400ms", "900ms slow blind"}));
  EXPECT_TRUE(cell::find_placement(run->world().model(), "right_gate-visitor").has_value());
  EXPECT_FALSE(cell::find_placement(run->world().model(), "left_gate-visitor").has_value());
  // ramps of 0.5 m/s²: v·t - v²/(2a); the left tray's edge reaches its gate after 0.15 m:
  // 0.1 s + 0.15/0.2 s + 0.2 s = 1.05 s
  run_until(*run, 1000ms);
  EXPECT_FALSE(belt(*run, "left").is_stopped());
  run_until(*run, 1100ms);
  EXPECT_TRUE(belt(*run, "left").is_stopped());
  EXPECT_FALSE(belt(*run, "right").is_stopped()) << "nobody is in its gate";
  run_until(*run, 1500ms);
  EXPECT_TRUE(belt(*run, "right").is_stopped());
  const auto results = run->results();
  EXPECT_NEAR(results["left"]["encoder_m"].get<double>(), 0.15, 3e-3);
  // 0.05·(1.2 - 0.1) - 0.05²/(2·0.5)
  EXPECT_NEAR(results["right"]["encoder_m"].get<double>(), 0.0525, 1e-3);
  EXPECT_NEAR(results["left_gate"]["first_broken_s"].get<double>(), 1.05, 0.01);
  EXPECT_NEAR(results["right_gate"]["first_broken_s"].get<double>(), 1.2, 2.1e-3);
  for (const char* guard : {"left_guard", "right_guard"}) {
    EXPECT_EQ(results[guard]["stops"], 1) << guard;
    EXPECT_EQ(results[guard]["stops_by_silence"], 0) << guard;
  }
  // frames at 0, 0.1 … 1.4 s, and at 0, 0.5 and 1 s
  EXPECT_EQ(results["above"]["sent"], 15);
  EXPECT_EQ(results["beside"]["sent"], 15);
  EXPECT_EQ(results["slow"]["sent"], 3);
  EXPECT_EQ(results["above"]["detections_at_end"], 2);
  EXPECT_EQ(results["beside"]["detections_at_end"], 2);
  EXPECT_EQ(results["slow"]["detections_at_end"], 0) << "blind, alone";
  EXPECT_EQ(results["failures"].size(), 2u);
}

TEST_F(ManyActors, DrawTheirOwnNumbers) {
  const cell::PreparedScenario prepared = prepare_two({});
  using Places = std::vector<model::Vector3>;
  const auto look = [&] {
    const auto run = run_of(prepared);
    std::map<std::string, Places> seen;
    for (const std::string camera : {"above", "beside", "slow"}) {
      listen_to_camera(*run, camera, [&seen, camera](const devices::CameraFrame& frame, Time) {
        for (const devices::Detection& detection : frame.detections) {
          seen[camera].push_back(detection.X_WP.translation());
        }
      });
    }
    run_until(*run, 95ms);  // one frame each, of trays that still stand where they were put
    return seen;
  };
  const std::map<std::string, Places> seen = look();
  ASSERT_EQ(seen.at("above").size(), 2u);
  ASSERT_EQ(seen.at("beside").size(), 2u);
  ASSERT_EQ(seen.at("slow").size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const double off_m = (seen.at("above")[i] - seen.at("beside")[i]).norm();
    EXPECT_GT(off_m, 0.0) << "same place, same noise, different draws";
    EXPECT_LT(off_m, 5e-3);
    EXPECT_LT((seen.at("above")[i] - seen.at("slow")[i]).norm(), 3e-3);
    EXPECT_NE(seen.at("above")[i], seen.at("slow")[i]);
  }
  EXPECT_NE(seen.at("above")[0] - seen.at("slow")[0], seen.at("above")[1] - seen.at("slow")[1]);
  EXPECT_EQ(look(), seen) << "the same in each run";
}

double processor_s() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST_F(ManyActors, LoadQuickly) {
  const auto load_s = [&](int cameras) {
    std::string text = "world: two-belts.sdf\nlength: 1s\nactors:\n";
    for (int i = 0; i < cameras; ++i) {
      text += fmt::format("  camera_{}: {{kind: camera, position_m: [0, 0, 3]}}\n", i);
    }
    const double begun_s = processor_s();
    const cell::PreparedScenario prepared = prepare(text, {}, folder_ + "/cell.yaml");
    EXPECT_EQ(prepared.cell().actors.size(), static_cast<std::size_t>(cameras));
    return processor_s() - begun_s;
  };
  const double one_s = load_s(1);
  EXPECT_LT(load_s(100) - one_s, 1.0);
}

}  // namespace
}  // namespace longarm::actors
