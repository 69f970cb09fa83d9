// SPDX-License-Identifier: Apache-2.0
// Tests of the grasp bench against closed forms, on each engine with forces.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/benches/test/bench_fixture.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run_folder.h"
#include "longarm/model/lint.h"

namespace longarm::benches {
namespace {

using Json = nlohmann::ordered_json;

// two fingers of 0.1 kg and a part of 0.05 kg move together
constexpr double kMass_kg = 0.25;

cell::PreparedScenario load_grasp(const std::string& engine, std::vector<std::string> settings) {
  settings.insert(settings.begin(), "length=1s");
  return load_bench("grasp-bench", settings, {"engine=" + engine});
}

Json run_grasp(const std::string& engine, const std::vector<std::string>& settings) {
  return run_bench(load_grasp(engine, settings));
}

class GraspBench : public testing::TestWithParam<std::string> {
 protected:
  Json run(const std::vector<std::string>& settings) const {
    return run_grasp(GetParam(), settings);
  }
};

TEST_P(GraspBench, ParallelLawHoldsAShakenPartWithinHalfAMillimetre) {
  for (const char* axis : {"axis=x", "axis=y", "axis=z"}) {
    const Json out = run({axis});
    EXPECT_LE(number(out, "displacement_closing_m"), 0.5e-3) << axis;
    EXPECT_LE(number(out, "displacement_tangential_m"), 0.05e-3) << axis;
    EXPECT_LE(number(out, "angle_rad"), 1e-3) << axis;
    EXPECT_EQ(out["dropped"], false) << axis;
    EXPECT_EQ(out["gripper_state"], "holding") << axis;
  }
}

TEST_P(GraspBench, ParallelLawIsASpringOfFourTimesItsStiffness) {
  // slowly: m·a/(4·k) = 0.25·10/16000 = 0.156 mm; its start is a step, which overshoots by less
  // than all of it
  const double still_m = kMass_kg * 10.0 / (4.0 * 4000.0);
  const double moved_m = number(run({"axis=x"}), "displacement_closing_m");
  EXPECT_GT(moved_m, 0.95 * still_m);
  EXPECT_LT(moved_m, 2.0 * still_m);
}

TEST_P(GraspBench, ConstantForcesLetAShakenPartDrift) {
  // nothing but the dampers holds it: amplitude m·a/(2·c·ω) = 0.25·10/(2·20·4π) = 4.97 mm
  const double expected_m = kMass_kg * 10.0 / (2.0 * 20.0 * 4.0 * std::numbers::pi);
  const Json out = run({"gripper.law=constant-force"});
  EXPECT_NEAR(number(out, "displacement_closing_m"), expected_m, 0.02 * expected_m);
}

TEST_P(GraspBench, ConstantForcesAreDisplacedByTheImpulseThatTheirDampersCannotStop) {
  // m·v/(2·c) = 5 mm: v = 0.8 m/s
  const auto jolt = [&](const char* impulse) {
    return run({"motion=impulse", "gripper.law=constant-force", impulse});
  };
  EXPECT_EQ(jolt("impulse_m_s=0.76")["displaced"], false);
  const Json out = jolt("impulse_m_s=0.84");
  EXPECT_EQ(out["displaced"], true);
  // moved by more than 5 mm, and still between the fingers: that is no drop
  EXPECT_EQ(out["dropped"], false);
  EXPECT_EQ(out["gripper_state"], "holding");
}

TEST_P(GraspBench, WhatIsDroppedIsNotBetweenTheFingersAnyMore) {
  const Json out = run({"motion=impulse", "axis=y", "impulse_m_s=9", "length=1500ms"});
  EXPECT_EQ(out["dropped"], true);
  EXPECT_EQ(out["holding"], false);
  // the jolt is at 0.5 s
  EXPECT_GT(number(out, "dropped_at_s"), 0.5);
  EXPECT_LT(number(out, "dropped_at_s"), 0.6);
}

TEST_P(GraspBench, MimicWithoutIntegralGraspsWhereItsErrorMakesTheLeadersForce) {
  // the first defect that Piliptchak et al. 2019 name: symmetric fingers would press with 20 N and
  // 0 N, so the part is pushed until p·difference = 20 N: 20/4000 = 5 mm, half of it by each finger
  const Json mimic = run({"gripper.law=mimic-pid", "gripper.mimic.i=0", "motion=rest"});
  EXPECT_NEAR(number(mimic, "asymmetry_m"), 5e-3, 5e-5);
  EXPECT_NEAR(number(mimic, "off_centre_m"), 2.5e-3, 5e-5);
  const Json parallel = run({"motion=rest"});
  EXPECT_LT(number(parallel, "asymmetry_m"), 5e-5);
  EXPECT_LT(number(parallel, "off_centre_m"), 5e-5);
}

TEST_P(GraspBench, MimicWithIntegralStillShovesThePartWhileItCloses) {
  EXPECT_GT(number(run({"gripper.law=mimic-pid", "motion=rest"}), "shoved_m"), 1e-3);
  EXPECT_LT(number(run({"gripper.law=parallel", "motion=rest"}), "shoved_m"), 1e-4);
}

TEST_P(GraspBench, PullsThePartOutAtTwiceTheFrictionOfAFinger) {
  // 2·0.8·20 = 32 N; upwards the weight helps the fingers: 0.05·9.81 = 0.49 N more
  for (const auto& [axis, expected_N] : {std::pair("axis=y", 32.0), std::pair("axis=z", 32.4905)}) {
    const Json out = run({"motion=pull", axis, "pull_N_s=20", "length=2s"});
    EXPECT_NEAR(number(out, "slip_force_expected_N"), expected_N, 1e-3) << axis;
    EXPECT_NEAR(number(out, "slip_force_N"), expected_N, 0.03 * expected_N) << axis;
  }
}

TEST_P(GraspBench, HasNoSlipForceWhereNothingSlipped) {
  // 2 N after 0.1 s
  const Json out = run({"motion=pull", "axis=y", "pull_N_s=20", "length=100ms"});
  EXPECT_EQ(out["grasped"], true);
  EXPECT_TRUE(out["slip_force_N"].is_null()) << out.dump();
}

TEST_P(GraspBench, DropsNothingThatItNeverGrasped) {
  // no force; and 50 kg, of which 32 N carry 3 kg
  for (const char* setting : {"gripper.force_N=0", "part.mass_kg=50"}) {
    const Json out = run({setting, "length=200ms"});
    EXPECT_EQ(out["grasped"], false) << setting;
    EXPECT_TRUE(out["dropped"].is_null()) << setting;
    EXPECT_TRUE(out["displacement_m"].is_null()) << setting;
    EXPECT_TRUE(out["angle_rad"].is_null()) << setting;
    EXPECT_NE(out["gripper_state"], "holding") << setting;
  }
}

TEST_P(GraspBench, GraspsWithAllThatItsDrivesGive) {
  const Json out = run({"gripper.force_N=100", "length=200ms"});
  EXPECT_EQ(out["grasped"], true);
  EXPECT_EQ(out["dropped"], false);
}

TEST_P(GraspBench, ClosingOnTouchDoesNotShoveASkewedPartAndCentresIt) {
  // 5 mm off: who closes blindly shoves it there
  const Json blind = run({"part.offset_m=0.005", "motion=rest"});
  EXPECT_GT(number(blind, "shoved_m"), 4e-3);
  const Json feeling = run({"part.offset_m=0.005", "motion=rest", "gripper.closes_on_touch=true"});
  EXPECT_LT(number(feeling, "shoved_m"), 0.2e-3);
  EXPECT_LT(number(feeling, "off_centre_m"), 0.1e-3);
  EXPECT_EQ(feeling["gripper_state"], "holding");
}

TEST_P(GraspBench, OfSillyNumbersStillSaysNumbers) {
  for (const std::vector<std::string>& silly : {std::vector<std::string>{"gripper.force_N=100"},
                                                {"part.mass_kg=1e-6"},
                                                {"part.mass_kg=1e4"},
                                                {"motion=impulse", "impulse_m_s=1e5"},
                                                {"friction=0"},
                                                {"gripper.force_N=0"},
                                                {"gripper.stiffness_N_m=1e9"},
                                                {"frequency_hz=1e-3"}}) {
    Json out = run(silly);
    const bool is_finite =
        out["displacement_m"].is_number() && std::isfinite(out["displacement_m"].get<double>());
    const bool was_grasped = out["grasped"] == true;
    EXPECT_TRUE(is_finite || !was_grasped || out["ended"] == "diverged") << silly.back();
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, GraspBench, testing::Values("mujoco", "ode"),
                         [](const auto& param) { return param.param; });

TEST(GraspBenchOnMujoco, RepeatsBitByBit) {
  const std::vector<std::string> settings{"motion=impulse", "part.offset_m=0.003"};
  EXPECT_EQ(run_grasp("mujoco", settings)["state_hash"],
            run_grasp("mujoco", settings)["state_hash"]);
}

TEST(GraspBenchFigures, OfAPullBeginWithItsForce) {
  const auto figures = load_grasp("mujoco", {"motion=pull"}).cell().figures();
  EXPECT_EQ(figures.metrics.front().name, "bench.slip_force_N");
  EXPECT_EQ(figures.metrics.front().expected, "bench.slip_force_expected_N");
  EXPECT_EQ(load_grasp("mujoco", {}).cell().figures().metrics.front().name, "bench.displacement_m");
}

TEST(GraspScene, PassesLint) {
  const cell::Run run(load_grasp("mujoco", {}));
  for (const model::Placement& placement : run.world().model().placements) {
    EXPECT_TRUE(model::lint(placement.tree).empty()) << placement.name;
  }
}

TEST(GraspBenchKeys, ThatMakeNoSenseAreRefused) {
  const auto error_of = [](const std::string& key) { return bench_refusal("grasp-bench", {key}); };
  using testing::HasSubstr;
  EXPECT_THAT(error_of("gripper.force_N=-1"), HasSubstr("gripper.force_N is -1"));
  EXPECT_THAT(error_of("gripper.force_N=1e6"), HasSubstr("a finger's drive gives at most 100 N"));
  EXPECT_THAT(error_of("part.offset_m=0.013"), HasSubstr("the part would overlap a finger"));
  EXPECT_THAT(error_of("part.mass_kg=0"), HasSubstr("the part needs a mass"));
  EXPECT_THAT(error_of("friction=-1"), HasSubstr("friction must not be negative"));
  EXPECT_THAT(error_of("frequency_hz=0"), HasSubstr("the frequency must be greater than zero"));
  EXPECT_THAT(error_of("pull_N_s=0"), HasSubstr("the force rate must be greater than zero"));
  EXPECT_THAT(error_of("length=0s"), HasSubstr("the motion must last longer than 0s"));
}

}  // namespace
}  // namespace longarm::benches
