// SPDX-License-Identifier: Apache-2.0
// Tests stops: what causes them, what they do, and how the robot comes back.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/ur_bench.h"

namespace longarm::robots {
namespace {

using protocols::ur::RobotMode;
using protocols::ur::RuntimeState;
using protocols::ur::SafetyMode;
using std::numbers::pi;
using testing::HasSubstr;

// At home the tool is 0.49 m from the base, 0.4 m or so up and to the side of -y in the model; a
// box 0.1 m beside it is hit by turning the base.
TEST(UrSafety, AWallStopsTheArmAndItRestsThere) {
  model::Cell cell = ur5_cell();
  const UrKinematics kinematics(ur5_geometry());
  const Joints home{0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0};
  // the flange in the world: half a turn about z from the controller's base
  const model::Vector3 p = kinematics.flange(home).translation();
  const model::Vector3 flange(-p.x(), -p.y(), p.z());
  const model::Vector3 aside = model::Vector3::UnitZ().cross(flange).normalized();
  add_box(cell, flange + 0.35 * aside, {0.3, 0.3, 0.3});
  UrBench bench("mujoco", {}, cell);
  bench.say("def hit():\n  speedj([0.5,0,0,0,0,0],2.0,5.0)\nend\n");
  int cycles = 0;
  double most_force = 0.0;
  while (bench.figures().protective_stops.empty() && cycles < 500) {
    bench.cycles(1);
    ++cycles;
    most_force = std::max(
        most_force, std::abs(bench.state().tcp_force[0]) + std::abs(bench.state().tcp_force[1]));
  }
  ASSERT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_THAT(bench.figures().protective_stops[0].reason, HasSubstr("rad from its target"));
  EXPECT_GT(most_force, 10.0);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kProtectiveStop);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kStopped);
  bench.run(0.5);
  EXPECT_EQ(bench.state().qd_target, Joints{});
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(bench.state().qd_actual[j], 0.0, 1e-2);
    EXPECT_NEAR(bench.state().q_actual[j], bench.state().q_target[j], 0.02);
  }
}

// 1 rad/s at 20 rad/s²: 0.05 s and 0.025 rad
TEST(UrSafety, AProtectiveStopBrakesHardAndEndsTheProgram) {
  UrConfig config;
  config.protective_stop_at = Duration(800'000'000);
  UrBench bench("kinematic", config);
  bench.say("def go():\n  speedj([1.0,0,0,0,0,0],10.0,5.0)\nend\n");
  bench.run(0.8);
  const double there = bench.state().q_target[0];
  EXPECT_EQ(bench.state().qd_target[0], 1.0);
  bench.run(0.056);
  EXPECT_EQ(bench.state().qd_target[0], 0.0);
  // 20 rad/s² take 0.16 rad/s a cycle: six whole cycles and one of 0.04 rad/s
  double expected = 0.0;
  double speed = 1.0;
  for (int i = 0; i < 7; ++i) {
    const double next = std::max(0.0, speed - 0.16);
    expected += 0.5 * (speed + next) * 0.008;
    speed = next;
  }
  EXPECT_NEAR(bench.state().q_target[0] - there, expected, 1e-12);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kProtectiveStop);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kStopped);
  ASSERT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_EQ(bench.figures().protective_stops[0].time, Time(Duration(800'000'000)));
}

// clients look for C209; the stops that the controller finds a reason for have another code
TEST(UrSafety, AScriptsProtectiveStopHasACodeOfItsOwn) {
  UrBench bench;
  bench.cycles(1);
  bench.say("sec setup():\n  protective_stop()\nend\n");
  bench.cycles(1);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kProtectiveStop);
  const auto& error = bench.controller().messages().back();
  EXPECT_EQ(error.kind, protocols::ur::RobotMessage::Kind::kErrorCode);
  EXPECT_EQ(error.code, 209);
  EXPECT_EQ(error.argument, 0);
}

TEST(UrSafety, AScriptStopsARobotWhoseBrakesAreStillOn) {
  UrConfig config;
  config.start = "idle";
  UrBench bench("kinematic", config);
  bench.cycles(1);
  bench.say("protective_stop()\n");
  bench.cycles(1);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kIdle);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kProtectiveStop);
  // the brakes may be released, but nothing moves before the stop is over
  ASSERT_TRUE(bench.controller().release_brakes());
  bench.run(10.0);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  EXPECT_THAT(bench.last_message(), HasSubstr("the robot is in protective stop"));
  ASSERT_TRUE(bench.controller().unlock_protective_stop());
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  bench.run(0.5);
  EXPECT_EQ(bench.state().qd_target[0], 0.5);
}

TEST(UrSafety, CommandsThatMoveAreRefusedUntilItIsUnlocked) {
  UrBench bench;
  bench.cycles(1);
  bench.controller().protective_stop("a test");
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  EXPECT_THAT(bench.last_message(), HasSubstr("the robot is in protective stop"));
  bench.say("set_digital_out(1, True)\n");
  bench.run(4.9);
  EXPECT_EQ(bench.state().qd_target, Joints{});
  EXPECT_EQ(bench.state().digital_outputs, 2U);
  const auto early = bench.controller().unlock_protective_stop();
  ASSERT_FALSE(early);
  EXPECT_THAT(early.error().message, HasSubstr("5s"));
  bench.run(0.2);
  ASSERT_TRUE(bench.controller().unlock_protective_stop());
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  bench.run(0.5);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kNormal);
  EXPECT_EQ(bench.state().qd_target[0], 0.5);
}

TEST(UrSafety, TooFastAndTooFarAreProtectiveStops) {
  UrBench bench;
  bench.say("speedj([4,0,0,0,0,0],2.0,5.0)\n");
  bench.cycles(1);
  ASSERT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_THAT(bench.figures().protective_stops[0].reason, HasSubstr("4 rad/s"));
  EXPECT_THAT(bench.last_message(), HasSubstr("Protective stop"));

  UrConfig config;
  config.home_rad[2] = 3.0;  // the elbow ends at half a turn
  UrBench limit("kinematic", config);
  limit.say("speedj([0,0,0.2,0,0,0],2.0,5.0)\n");
  limit.run(2.0);
  ASSERT_EQ(limit.figures().protective_stops.size(), 1U);
  EXPECT_THAT(limit.figures().protective_stops[0].reason, HasSubstr("joint 2 comes to its limit"));
  EXPECT_LE(limit.state().q_actual[2], pi);
}

TEST(UrSafety, PowersUpAndReleasesItsBrakesInItsOwnTime) {
  UrConfig config;
  config.start = "power_off";
  UrBench bench("mujoco", config);
  bench.cycles(10);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kPowerOff);
  EXPECT_FALSE(bench.state().is_power_on);
  // brakes hold it
  EXPECT_NEAR(bench.state().q_actual[1], -pi / 2, 1e-3);
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  EXPECT_THAT(bench.last_message(), HasSubstr("brakes are on"));
  ASSERT_TRUE(bench.controller().power_on());
  bench.run(2.9);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kPowerOn);
  bench.run(0.2);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kIdle);
  ASSERT_TRUE(bench.controller().release_brakes());
  bench.run(2.1);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
  bench.say("speedj([0.5,0,0,0,0,0],2.0,5.0)\n");
  bench.run(0.5);
  EXPECT_EQ(bench.state().qd_target[0], 0.5);
  ASSERT_TRUE(bench.controller().power_off());
  bench.run(0.3);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kPowerOff);
  EXPECT_NEAR(bench.state().qd_actual[0], 0.0, 1e-3);
}

TEST(UrSafety, AnEmergencyStopTakesThePowerOnceTheArmRests) {
  UrConfig config;
  config.emergency_stop_at = Duration(400'000'000);
  UrBench bench("kinematic", config);
  bench.say("speedj([1.0,0,0,0,0,0],10.0,5.0)\n");
  bench.run(0.408);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kRobotEmergencyStop);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
  EXPECT_NEAR(bench.state().qd_target[0], 0.84, 1e-12);
  bench.run(0.1);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kPowerOff);
  ASSERT_EQ(bench.figures().emergency_stops.size(), 1U);
  ASSERT_TRUE(bench.controller().release_brakes());
  bench.run(5.1);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kNormal);
}

}  // namespace
}  // namespace longarm::robots
