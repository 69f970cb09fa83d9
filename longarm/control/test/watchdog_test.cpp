// SPDX-License-Identifier: Apache-2.0
// Tests of the watchdogs: what counts as missed, when each trips, and what bridges a gap.
#include "longarm/control/watchdog.h"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::run_loop;
using ::testing::ElementsAre;

JointCommand command_at(Duration at, CommandKind kind, double value,
                        std::vector<double> velocities = {}) {
  return {Time(at), kind, {value}, std::move(velocities)};
}

CommandWatchdog watchdog_with(Watchdog preset) {
  return CommandWatchdog({preset, Silence::kHold, 1ms, 1ms});
}

/// Commands that come the instant they are sent, but for those in [first, last].
LinkSetting losing(std::uint64_t first, std::uint64_t last) {
  return LinkSetting([=](std::uint64_t index) -> std::optional<Duration> {
    return index >= first && index <= last ? std::nullopt : std::optional(Duration(0));
  });
}

LoopSetup watched(Watchdog preset, LinkSetting commands) {
  LoopSetup setup;
  setup.config.watchdog = preset;
  setup.commands = std::move(commands);
  return setup;
}

TEST(Watchdog, HasItsNames) {
  EXPECT_THAT(watchdog_names(), ElementsAre("generic", "ur", "franka"));
  EXPECT_EQ(watchdog_of("franka"), Watchdog::kFranka);
  EXPECT_EQ(watchdog_of("generic"), Watchdog::kGeneric);
}

TEST(Watchdog, CountsACycleForEachWholePeriodWithoutACommand) {
  CommandWatchdog watchdog = watchdog_with(Watchdog::kGeneric);
  watchdog.update(Time(50ms));  // nothing came yet: nothing is missed
  EXPECT_EQ(watchdog.missed_cycles(), 0U);
  watchdog.receive(command_at(50ms, CommandKind::kVelocity, 1.0), Time(50500us));
  watchdog.update(Time(51ms));
  watchdog.update(Time(51499us));
  EXPECT_EQ(watchdog.missed_cycles(), 0U);
  watchdog.update(Time(51500us));
  EXPECT_EQ(watchdog.missed_cycles(), 1U);
  watchdog.update(Time(52ms));
  EXPECT_EQ(watchdog.missed_cycles(), 1U);
  watchdog.update(Time(54ms));  // three whole ones
  EXPECT_EQ(watchdog.missed_cycles(), 3U);
  watchdog.receive(command_at(53ms, CommandKind::kVelocity, 1.0), Time(54ms));
  watchdog.update(Time(55ms));
  EXPECT_EQ(watchdog.missed_cycles(), 4U);
  EXPECT_EQ(watchdog.longest_run_of_missed_cycles(), 3U);
  EXPECT_FALSE(watchdog.has_tripped());
}

TEST(Watchdog, UrTripsAt20MillisecondsAndNotBefore) {
  CommandWatchdog watchdog = watchdog_with(Watchdog::kUr);
  watchdog.receive(command_at(7ms, CommandKind::kVelocity, 1.0), Time(7ms));
  watchdog.update(Time(27ms - 1ns));
  EXPECT_FALSE(watchdog.has_tripped());
  watchdog.update(Time(27ms));
  EXPECT_TRUE(watchdog.has_tripped());
  EXPECT_EQ(watchdog.tripped_at(), Time(27ms));
  // and stays so
  watchdog.receive(command_at(28ms, CommandKind::kVelocity, 1.0), Time(28ms));
  watchdog.update(Time(28ms));
  EXPECT_TRUE(watchdog.has_tripped());
  EXPECT_EQ(watchdog.tripped_at(), Time(27ms));
}

TEST(Watchdog, FrankaTripsAtTheTwentiethMissedCycleInARow) {
  // 19 lost: the command of 39 ms is there when the twentieth would be missed
  const LoopRecord survived = run_loop(watched(Watchdog::kFranka, losing(20, 38)), 100ms);
  EXPECT_FALSE(survived.has_tripped);
  EXPECT_NE(survived.applied.back(), 0.0);
  // 20 lost: that of 39 ms, too
  const LoopRecord stopped = run_loop(watched(Watchdog::kFranka, losing(20, 39)), 100ms);
  EXPECT_TRUE(stopped.has_tripped);
  EXPECT_EQ(stopped.tripped_at, Time(39ms));
  EXPECT_NE(stopped.applied[38], 0.0);
  for (std::size_t k = 39; k < 100; ++k) {
    EXPECT_EQ(stopped.applied[k], 0.0);  // also when commands are back
    EXPECT_EQ(stopped.positions[k + 1], stopped.positions[39]);
  }
  EXPECT_THAT(stopped.log, ElementsAre("warning     0.039000 s  robot: watchdog 'franka': commands "
                                       "stopped arriving; the robot stopped permanently"));
}

TEST(Watchdog, FrankaCountsOnlyMissesInARow) {
  // of each 20 commands one gets through
  LoopSetup setup = watched(Watchdog::kFranka, LinkSetting([](std::uint64_t index) {
                              return index % 20 == 0 ? std::optional(Duration(0)) : std::nullopt;
                            }));
  EXPECT_FALSE(run_loop(setup, 500ms).has_tripped);
}

TEST(Watchdog, CyclesAreThoseOfTheController) {
  // 19 and 20 commands of a controller that ticks every 4 ms; numbers count commands
  for (const std::uint64_t lost : {19U, 20U}) {
    LoopSetup setup = watched(Watchdog::kFranka, losing(5, 4 + lost));
    setup.config.control_period = 4ms;
    const LoopRecord record = run_loop(setup, 300ms);
    EXPECT_EQ(record.has_tripped, lost == 20U);
    if (record.has_tripped) {
      EXPECT_EQ(record.tripped_at, Time(16ms + 20 * 4ms));
    }
  }
}

TEST(Watchdog, UrRepeatsTheLastCommandUntilItTrips) {
  const LoopRecord record = run_loop(watched(Watchdog::kUr, losing(20, 60)), 50ms);
  for (std::size_t k = 20; k < 50; ++k) {
    EXPECT_EQ(record.applied[k], k < 39 ? record.commands[19] : 0.0);
  }
  EXPECT_EQ(record.tripped_at, Time(39ms));
  EXPECT_FALSE(run_loop(watched(Watchdog::kUr, losing(20, 38)), 100ms).has_tripped);
}

TEST(Watchdog, GenericFollowsTheRuleForSilence) {
  LoopSetup setup = watched(Watchdog::kGeneric, losing(20, 29));
  setup.config.on_silence = Silence::kStop;
  setup.config.silence_after = 5ms;
  const LoopRecord record = run_loop(setup, 50ms);
  EXPECT_EQ(record.tripped_at, Time(24ms));  // the last command came at 19 ms
  EXPECT_EQ(record.log.size(), 1U);
}

TEST(Watchdog, FrankaBridgesVelocitiesWithConstantAcceleration) {
  // v(t) = 3 - 40 t: at 10 and 11 ms 2.6 and 2.56; the two missing ones 2.52 and 2.48
  CommandWatchdog watchdog = watchdog_with(Watchdog::kFranka);
  watchdog.receive(command_at(10ms, CommandKind::kVelocity, 2.6), Time(15ms));
  watchdog.update(Time(16ms));
  EXPECT_EQ(watchdog.bridge(), nullptr);  // a single one says nothing about its change
  watchdog.receive(command_at(11ms, CommandKind::kVelocity, 2.56), Time(16ms));
  watchdog.update(Time(16ms));
  EXPECT_EQ(watchdog.bridge(), nullptr);
  watchdog.update(Time(17ms));
  ASSERT_NE(watchdog.bridge(), nullptr);
  EXPECT_NEAR(watchdog.bridge()->values[0], 2.52, 1e-12);
  watchdog.update(Time(18ms));
  EXPECT_NEAR(watchdog.bridge()->values[0], 2.48, 1e-12);
  watchdog.receive(command_at(14ms, CommandKind::kVelocity, 2.0), Time(19ms));
  EXPECT_EQ(watchdog.bridge(), nullptr);
}

TEST(Watchdog, FrankaBridgesPositionsWithConstantAcceleration) {
  // q(t) = 1 + 2 t + 50 t² and its derivative, also after a gap: sent at 1, 3 and 4 ms
  const auto q = [](double t) { return 1.0 + 2.0 * t + 50.0 * t * t; };
  const auto v = [](double t) { return 2.0 + 100.0 * t; };
  CommandWatchdog watchdog = watchdog_with(Watchdog::kFranka);
  for (const int ms : {1, 3, 4}) {
    const double t = 1e-3 * ms;
    watchdog.receive(command_at(ms * 1ms, CommandKind::kPosition, q(t), {v(t)}), Time(ms * 1ms));
  }
  for (int ms = 5; ms < 20; ++ms) {
    watchdog.update(Time(ms * 1ms));
    EXPECT_NEAR(watchdog.bridge()->values[0], q(1e-3 * ms), 1e-12);
    EXPECT_NEAR(watchdog.bridge()->velocities[0], v(1e-3 * ms), 1e-12);
  }
}

TEST(Watchdog, FrankaHoldsEffortsAndLearnsNothingFromSecondCopies) {
  CommandWatchdog efforts = watchdog_with(Watchdog::kFranka);
  efforts.receive(command_at(0ms, CommandKind::kEffort, 1.0), Time(0ms));
  efforts.receive(command_at(1ms, CommandKind::kEffort, 2.0), Time(1ms));
  efforts.update(Time(5ms));
  EXPECT_EQ(efforts.bridge(), nullptr);
  CommandWatchdog copies = watchdog_with(Watchdog::kFranka);
  copies.receive(command_at(0ms, CommandKind::kVelocity, 1.0), Time(0ms));
  copies.receive(command_at(1ms, CommandKind::kVelocity, 2.0), Time(1ms));
  copies.receive(command_at(1ms, CommandKind::kVelocity, 2.0), Time(2ms));
  copies.update(Time(3ms));
  EXPECT_NEAR(copies.bridge()->values[0], 3.0, 1e-12);
}

TEST(Watchdog, ALinearRampIsFollowedThroughTheGapsAsIfThereWereNone) {
  // positions on a line: every gap of up to 19 commands is filled with what was not received
  LoopSetup setup;
  setup.config.cut = Cut::kPosition;
  setup.config.feed_forward = 1.0;
  setup.plan = test::ramp(0.0, 1.0, 1s);
  const LoopRecord whole = run_loop(setup, 500ms);
  setup.config.watchdog = Watchdog::kFranka;
  setup.commands = LinkSetting([](std::uint64_t index) {
    return index < 5 || index % 20 == 0 ? std::optional(Duration(0)) : std::nullopt;
  });
  const LoopRecord bridged = run_loop(setup, 500ms);
  setup.config.watchdog = Watchdog::kGeneric;
  const LoopRecord held = run_loop(setup, 500ms);
  double farthest_held = 0.0;
  for (std::size_t k = 0; k <= 500; ++k) {
    EXPECT_NEAR(bridged.positions[k], whole.positions[k], 1e-12);
    farthest_held = std::max(farthest_held, std::abs(held.positions[k] - whole.positions[k]));
  }
  EXPECT_GT(farthest_held, 1e-4);
}

}  // namespace
}  // namespace longarm::control
