// SPDX-License-Identifier: Apache-2.0
// Tests of the grasp table: what a minimum depth, a force and a mass make of a grasp on ODE.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run_folder.h"

namespace longarm::benches {
namespace {

using Json = nlohmann::ordered_json;

Json run_table(const std::vector<std::string>& settings, const std::string& engine = "ode") {
  return run_bench(load_bench("grasp-table", settings, {"engine=" + engine}));
}

bool is_grasped(const std::vector<std::string>& settings) {
  return run_table(settings)["grasped"].get<bool>();
}

TEST(GraspTable, AgreesWithTheOnlyRowOfTheSeed) {
  // 0.1 m/s, 10 N, 0.1 m: nothing pushes pads out of a peg of 8 mm before they are 100 mm deep in
  // it
  const Json out = run_table({});
  EXPECT_EQ(out["grasped"], false);
  EXPECT_GT(out["overlap_m"].get<double>(), 0.004);
}

TEST(GraspTable, TellsTheThreeMinimumDepthsApart) {
  EXPECT_FALSE(is_grasped({"contact.min_depth_m=0.1"}));
  EXPECT_FALSE(is_grasped({"contact.min_depth_m=0.15"}));
  EXPECT_TRUE(is_grasped({"contact.min_depth_m=0.001"}));
}

TEST(GraspTable, LiftsWhatFrictionCanCarry) {
  // 2·0.8·10 N = 16 N carry 1.63 kg; while it rises (0.1 m in 0.5 s, at most 5.77·0.1/0.5² =
  // 2.3 m/s²) 1.32 kg
  EXPECT_TRUE(is_grasped({"contact.min_depth_m=0.001", "part.mass_kg=1.1"}));
  EXPECT_FALSE(is_grasped({"contact.min_depth_m=0.001", "part.mass_kg=1.8"}));
}

TEST(GraspTable, InfiniteFrictionLiftsWhateverTheFingersDoNotPassThrough) {
  // μ = Inf as the notes' model file has it: 10 N carry what 0.8 does not, but not through a peg
  EXPECT_TRUE(is_grasped({"contact.min_depth_m=0.001", "friction=1e9", "part.mass_kg=1.8"}));
  EXPECT_FALSE(is_grasped({"contact.min_depth_m=0.15", "friction=1e9"}));
}

TEST(GraspTable, PressesThroughAContactThatCorrectsTooSlowly) {
  // A contact pushes with at most max_vel·(h·k + d): k is two surfaces of 1e5 N/m one behind the
  // other, d twice 1 N s/m: 0.1·(50 + 2) = 5.2 N. A pad touches at four points: 20.8 N.
  // With more than that they meet in the middle of the peg, 4 mm deep.
  const auto overlap_m = [](const char* force) {
    return run_table({"contact.min_depth_m=0.001", force})["overlap_m"].get<double>();
  };
  EXPECT_LT(overlap_m("gripper.force_N=20"), 0.0015);
  EXPECT_GT(overlap_m("gripper.force_N=23"), 0.004);
}

TEST(GraspTable, RepeatsBitByBitOnMujoco) {
  const std::vector<std::string> settings{"contact.min_depth_m=0.001"};
  EXPECT_EQ(run_table(settings, "mujoco")["state_hash"],
            run_table(settings, "mujoco")["state_hash"]);
}

TEST(GraspTable, RefusesContactsThatMakeNoSense) {
  EXPECT_THROW(run_table({"contact.min_depth_m=-1"}), InputError);
  EXPECT_THROW(run_table({"contact.kp=0"}), InputError);
  EXPECT_THROW(run_table({"contact.kd=-1"}), InputError);
  EXPECT_THROW(run_table({"contact.max_vel=-1"}), InputError);
}

}  // namespace
}  // namespace longarm::benches
