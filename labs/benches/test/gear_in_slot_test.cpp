// SPDX-License-Identifier: Apache-2.0
// Kinematics passes through the wall of a slot and says nothing; physics does not.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::benches {
namespace {

nlohmann::ordered_json run_slot(const std::string& engine, double offset_m,
                                std::vector<std::string> keys = {},
                                const std::string& length = "900ms") {
  keys.push_back(fmt::format("offset_m={}", offset_m));
  return run_bench(load_bench("gear-in-slot", keys, {"engine=" + engine, "length=" + length}));
}

TEST(GearInSlot, PassesThroughTheWallWithoutPhysics) {
  // a cone of 45° that is 5 mm beside another must be lifted by 5 mm to be free of it; the lower
  // part of the boss collides 0.2 mm inside its cone
  const auto results = run_slot("kinematic", 0.005);
  EXPECT_NEAR(number(results, "overlap_max_m"), 0.0049, 2e-4);
  EXPECT_NEAR(number(results, "final_height_m"), 0.0, 5.1e-5);  // half a step of the hand
  EXPECT_NEAR(number(results, "final_offset_m"), 0.005, 1e-9);
  EXPECT_EQ(number(results, "penetration_max_m"), 0.0);  // no contact was ever reported
  EXPECT_FALSE(results.at("seated").get<bool>());
}

TEST(GearInSlot, KinematicsSeatsAGearThatIsToldToBeThere) {
  const auto results = run_slot("kinematic", 0.0);
  EXPECT_TRUE(results.at("seated").get<bool>());
  EXPECT_LT(number(results, "overlap_max_m"), 2e-4);
}

class GearInSlotPhysics : public testing::TestWithParam<const char*> {};

TEST_P(GearInSlotPhysics, StopsTheGearAtTheWallAndTheConeCentresIt) {
  // held 5 mm beside the middle it comes to rest 5 mm too high; let go it slides down the wall of
  // 45°, as 0.3 < tan 45°
  const auto results = run_slot(GetParam(), 0.005);
  EXPECT_NEAR(number(results, "release_height_m"), 0.0049, 4e-4);
  EXPECT_LT(number(results, "overlap_max_m"), 1e-3);
  EXPECT_LT(number(results, "penetration_max_m"), 5e-4);
  EXPECT_GT(number(results, "centred_m"), 0.004);
  EXPECT_TRUE(results.at("seated").get<bool>()) << results.dump(1);
}

TEST_P(GearInSlotPhysics, LeavesAGearOutsideThatLandsOnTheEdge) {
  // the slot is 32.5 mm wide at its top, the boss 19.9 mm at its bottom: beyond 12.6 mm it stands
  // on the tray, 17 mm above its underside, instead of 4.4 mm
  const auto results = run_slot(GetParam(), 0.018);
  EXPECT_FALSE(results.at("seated").get<bool>());
  EXPECT_GT(number(results, "release_height_m"), 0.011);
  EXPECT_LT(number(results, "overlap_max_m"), 1e-3);
}

TEST_P(GearInSlotPhysics, WedgesWithTheFrictionOfThePublicModels) {
  // 2000 > tan 45°: what touches the wall stays there, though it may roll
  const auto results = run_slot(GetParam(), 0.004, {"friction=2000"});
  EXPECT_FALSE(results.at("seated").get<bool>());
  EXPECT_GT(number(results, "final_offset_m"), 2e-3);
  EXPECT_TRUE(run_slot(GetParam(), 0.004).at("seated").get<bool>());
}

TEST_P(GearInSlotPhysics, WedgesWhereverItTouchesTheWall) {
  // it tips over and stays about where it was: nothing slides
  for (const double offset_m : {0.002, 0.006, 0.008}) {
    const auto results = run_slot(GetParam(), offset_m, {"friction=2000"});
    EXPECT_FALSE(results.at("seated").get<bool>()) << offset_m;
    EXPECT_NEAR(number(results, "final_offset_m"), offset_m, 6e-4);
  }
}

TEST_P(GearInSlotPhysics, WedgesAlikeWithAnyFrictionThatIsMoreThanEnough) {
  // 9 and 10 are both far beyond tan 45°; MuJoCo's contacts are treated differently from 10 on
  const auto less = run_slot(GetParam(), 0.004, {"friction=9"});
  const auto more = run_slot(GetParam(), 0.004, {"friction=10"});
  for (const char* key : {"final_offset_m", "final_height_m"}) {
    EXPECT_NEAR(number(less, key), number(more, key), 3e-4) << key;
  }
}

TEST_P(GearInSlotPhysics, NothingButFrictionKeepsAGearOutOfTheMiddle) {
  // without friction the only rest within the cone is its middle
  EXPECT_TRUE(run_slot(GetParam(), 0.010, {"friction=0"}, "1500ms").at("seated").get<bool>());
  EXPECT_FALSE(run_slot(GetParam(), 0.010, {"friction=0.3"}, "1500ms").at("seated").get<bool>());
}

TEST_P(GearInSlotPhysics, PushesOutWhatStartsInsideTheWall) {
  const auto results = run_slot(GetParam(), 0.005, {"start=inside"}, "500ms");
  EXPECT_NEAR(number(results, "overlap_max_m"), 0.005, 2.5e-3);
  EXPECT_LT(number(results, "overlap_final_m"), 5e-4);
  EXPECT_EQ(results.at("ended"), "completed");
  EXPECT_LT(number(results, "rebound_m_s"), 2.0);
}

INSTANTIATE_TEST_SUITE_P(Engines, GearInSlotPhysics, testing::Values("mujoco", "ode"));

TEST(GearInSlot, RepeatsBitByBit) {
  EXPECT_EQ(run_slot("mujoco", 0.004, {}, "500ms").at("state_hash"),
            run_slot("mujoco", 0.004, {}, "500ms").at("state_hash"));
}

TEST(GearInSlot, RefusesValuesWithoutSense) {
  const auto refusal = [](const std::string& key) { return bench_refusal("gear-in-slot", {key}); };
  EXPECT_EQ(refusal("speed_m_s=0"), "speed_m_s must be above 0 and at most 1, not 0");
  EXPECT_EQ(refusal("approach_m=-1"), "approach_m must be above 0 and at most 0.5, not -1");
  EXPECT_EQ(refusal("offset_m=0.2"), "an offset of more than 0.1 m is beside the tray");
  EXPECT_EQ(refusal("friction=-1"), "friction must not be negative");
  EXPECT_EQ(refusal("press_N=1"),
            "press_N must be from 2, which the hand needs for itself and the gear, to 1000");
}

}  // namespace
}  // namespace longarm::benches
