// SPDX-License-Identifier: Apache-2.0
// Tests of the loop when something goes wrong: overtaking, silence, limits, emergency stop.
#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/arm_loop.h"
#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::run_loop;
using ::testing::ElementsAre;

TEST(ArmLoop, RegularCommandsAreNoSilenceWhateverTheControlPeriod) {
  LoopSetup setup;
  for (const Duration period : {Duration(1ms), Duration(4ms)}) {
    setup.config.control_period = period;
    setup.commands = LinkSetting(2300us);
    setup.config.on_silence = Silence::kHold;
    const std::string hash = run_loop(setup, 100ms).hash;
    setup.config.on_silence = Silence::kZero;
    EXPECT_EQ(run_loop(setup, 100ms).hash, hash);
    setup.config.on_silence = Silence::kStop;
    EXPECT_EQ(run_loop(setup, 100ms).hash, hash);
  }
}

/// 0.5 ms for most packets, 3 ms for every fourth, so that the next three overtake it.
LinkSetting overtaking_link() {
  return LinkSetting([](std::uint64_t index) -> std::optional<Duration> {
    return index % 4 == 0 ? Duration(3ms) : Duration(500us);
  });
}

TEST(ArmLoop, StatesThatWereOvertakenAreOfNoUse) {
  LoopSetup setup;
  setup.states = overtaking_link();
  const LoopRecord record = run_loop(setup, 100ms);
  for (std::size_t k = 2; k < 100; ++k) {
    // the newest there is was sampled one step ago, or two if the last is the slow one
    const std::size_t newest = (k - 1) % 4 == 0 ? k - 2 : k - 1;
    EXPECT_EQ(record.errors[k], 1.0 - record.positions[newest]);
  }
  EXPECT_EQ(record.states_report.delivered, 100U);  // they count as delivered all the same
}

TEST(ArmLoop, CommandsThatWereOvertakenDoNotAct) {
  LoopSetup setup;
  setup.commands = overtaking_link();
  const LoopRecord record = run_loop(setup, 100ms);
  for (std::size_t k = 2; k < 100; ++k) {
    EXPECT_EQ(record.applied[k], record.commands[(k - 1) % 4 == 0 ? k - 2 : k - 1]);
  }
}

TEST(ArmLoop, ASilentLinkIsAnsweredByTheRuleForSilence) {
  // the commands of 20, 21 and 22 ms are lost
  LoopSetup setup;
  setup.commands = LinkSetting([](std::uint64_t index) -> std::optional<Duration> {
    return index >= 20 && index < 23 ? std::nullopt : std::optional(Duration(0));
  });
  setup.config.on_silence = Silence::kHold;
  const LoopRecord hold = run_loop(setup, 30ms);
  setup.config.on_silence = Silence::kZero;
  const LoopRecord zero = run_loop(setup, 30ms);
  setup.config.on_silence = Silence::kStop;
  const LoopRecord stop = run_loop(setup, 30ms);
  EXPECT_EQ(hold.commands_report.dropped(), 3U);
  for (std::size_t k = 0; k < 30; ++k) {
    const bool is_lost = k >= 20 && k < 23;
    EXPECT_EQ(hold.applied[k], is_lost ? hold.commands[19] : hold.commands[k]);
    EXPECT_EQ(zero.applied[k], is_lost ? 0.0 : zero.commands[k]);
    EXPECT_EQ(stop.applied[k], k >= 20 ? 0.0 : stop.commands[k]);
  }
}

TEST(ArmLoop, EmergencyStopStopsAndTheArmStaysThereAfterwards) {
  LoopSetup setup;
  setup.config.estop_at = 5ms;
  setup.config.estop_release = 10ms;
  const LoopRecord record = run_loop(setup, 50ms);
  EXPECT_GT(record.positions[5], record.positions[4]);
  for (std::size_t k = 6; k <= 50; ++k) {
    EXPECT_EQ(record.positions[k], record.positions[5]);
  }
  EXPECT_THAT(record.log, ElementsAre("warning     0.005000 s  robot: emergency stop: brakes on",
                                      "warning     0.010000 s  robot: emergency stop released"));
}

TEST(ArmLoop, LimitsActOnTheCommandAndOnTheJoint) {
  LoopSetup setup;
  setup.cell.placements[0].tree.joints[0].limits = {-1.0, 0.25, 2.0, 1e6};
  setup.commands = LinkSetting(20ms);
  const LoopRecord record = run_loop(setup, 300ms);
  EXPECT_EQ(record.commands[0], 2.0);  // not 10
  EXPECT_EQ(record.applied[20], 2.0);
  EXPECT_EQ(record.limited[20], 1.0);  // at its limit, although the controller cut it
  // 0.25 rad at 2 rad/s: at the limit from step 20 + 125 on, told to go on until step 20 later
  EXPECT_EQ(record.limited[150], 1.0);
  EXPECT_EQ(record.limited.back(), 0.0);
  // the actuator stops at the limit although the controller learns of it 20 ms later
  EXPECT_EQ(*std::max_element(record.positions.begin(), record.positions.end()), 0.25);
  EXPECT_EQ(record.applied.back(), 0.0);
}

TEST(ArmLoop, AMotorAtItsEffortLimitCountsAsLimited) {
  // 10 rad/s is wanted; 5 N·m give 1 kg·m² only 0.005 rad/s per step
  LoopSetup setup;
  setup.engine = "mujoco";
  setup.cell.placements[0].tree.joints[0].limits.effort = 5.0;
  const LoopRecord record = run_loop(setup, 10ms);
  EXPECT_NEAR(record.velocities[10], 0.05, 1e-6);
  EXPECT_EQ(record.limited[5], 1.0);
  EXPECT_FALSE(record.was_cut[5]);
}

}  // namespace
}  // namespace longarm::control
