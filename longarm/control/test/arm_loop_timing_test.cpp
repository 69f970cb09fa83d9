// SPDX-License-Identifier: Apache-2.0
// Tests of the loop with ticks and clocks that are not ideal, and of who is told of its messages.
#include <cmath>
#include <string>
#include <vector>

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

/// Notes when things happened.
class Notes final : public LoopObserver {
 public:
  void states_sent(const JointStates&, Time now) override { states_sent_at.push_back(now); }
  void states_received(const JointStates&, Time now) override { states_received_at.push_back(now); }
  void command_sent(const JointCommand& command, Time now) override {
    command_sent_at.push_back(now);
    command_stamps.push_back(command.stamp);
  }
  void command_received(const JointCommand&, Time now) override {
    command_received_at.push_back(now);
  }
  void goal_received(const TrajectoryGoal& goal, Time now) override {
    goal_received_at.push_back(now);
    goal_stamp = goal.stamp;
  }
  void link_event(std::string_view direction, const network::LinkEvent& event) override {
    const char* const kinds[] = {"sent", "arrived", "lost", "queue full", "corrupt"};
    link_events.push_back(std::string(direction) + " " + std::to_string(event.index) + " " +
                          kinds[static_cast<std::size_t>(event.kind)] + " " +
                          format_duration(event.at.time_since_epoch()));
  }

  std::vector<Time> states_sent_at;
  std::vector<Time> states_received_at;
  std::vector<Time> command_sent_at;
  std::vector<Time> command_stamps;
  std::vector<Time> command_received_at;
  std::vector<Time> goal_received_at;
  Time goal_stamp{};
  std::vector<std::string> link_events;
};

TEST(ArmLoopTiming, APhaseMovesDelayFromTheStatesToTheCommands) {
  // A tick at k h + phase sees the states sampled at most (states delay - phase) / h steps before
  // k, rounded up, and acts (phase + commands delay) / h steps after it, rounded up: together n
  // steps of loop delay. q(m + 1) = q(m) + h · 10 · (1 - q(m - n)), once the first command is
  // there.
  struct Case {
    Duration phase, states, commands;
    std::size_t first, n;
  };
  for (const Case& c : {Case{0us, 0us, 0us, 0, 0},          //
                        Case{300us, 0us, 0us, 1, 1},        //
                        Case{300us, 300us, 0us, 1, 1},      // what takes less than the phase
                        Case{300us, 301us, 0us, 1, 2},      // is in time
                        Case{300us, 0us, 700us, 1, 1},      //
                        Case{300us, 0us, 701us, 2, 2},      //
                        Case{300us, 2300us, 1700us, 2, 4},  //
                        Case{700us, 2300us, 1700us, 3, 5},  // 1.6 and 2.4 steps
                        Case{999us, 5ms, 5ms, 6, 11}}) {    // 4.001 and 5.999 steps
    LoopSetup setup;
    setup.config.control_phase = c.phase;
    setup.states = LinkSetting(c.states);
    setup.commands = LinkSetting(c.commands);
    const LoopRecord record = run_loop(setup, 300ms);
    std::vector<double> q{0.0};
    for (std::size_t m = 0; m < 300; ++m) {
      const double seen = m < c.n ? 0.0 : q[m - c.n];
      q.push_back(m < c.first ? 0.0 : q[m] + 0.01 * (1.0 - seen));
      EXPECT_NEAR(record.positions[m + 1], q[m + 1], 1e-12) << c.phase.count() << " at " << m;
    }
  }
}

TEST(ArmLoopTiming, AFastClockTicksMoreOftenAndStampsItsOwnTime) {
  // in 10 s it counts 10.001 s: ticks 0 to 10000, instead of 0 to 9999
  Notes notes;
  LoopSetup setup;
  setup.options.observer = &notes;
  setup.config.clock_drift_ppm = 100.0;
  (void)run_loop(setup, 10s);
  ASSERT_EQ(notes.command_sent_at.size(), 10'001U);
  for (const std::int64_t k : {1, 5000, 10'000}) {
    const auto index = static_cast<std::size_t>(k);
    const auto off_ns = (notes.command_stamps[index] - Time(k * 1ms)).count();
    EXPECT_LE(std::abs(off_ns), 1);
    // k ms / 1.0001 is k · 99.99 ns before k ms
    const auto early_ns =
        static_cast<double>((Time(k * 1ms) - notes.command_sent_at[index]).count());
    EXPECT_NEAR(early_ns, 99.99 * static_cast<double>(k), 1.0);
  }
}

TEST(ArmLoopTiming, AClockThatIsAheadMakesTheArmBeAhead) {
  // 0.5 rad/s, 20 ms ahead: 10 mrad, once the start is forgotten (exp(-10 · 2) = 2e-9)
  for (const Cut cut : {Cut::kPosition, Cut::kVelocity}) {
    for (const double sign : {1.0, -1.0}) {
      LoopSetup setup;
      setup.config.cut = cut;
      setup.plan = test::ramp(0.0, 5.0, 10s);
      setup.states = LinkSetting(2ms);
      setup.commands = LinkSetting(3ms);
      const double right = run_loop(setup, 2s).positions.back();
      setup.config.clock_offset = sign > 0.0 ? 20ms : -20ms;
      EXPECT_NEAR(run_loop(setup, 2s).positions.back() - right, sign * 0.010, 1e-8);
    }
  }
}

TEST(ArmLoopTiming, ADriftingClockRunsThroughThePlanAtItsOwnSpeed) {
  // 1000 ppm fast: after 2 s it is 2 ms ahead, at 0.5 rad/s 1 mrad; the lag of 0.05 rad (0.5 / 10)
  // grows by a thousandth, 0.05 mrad
  LoopSetup setup;
  setup.config.cut = Cut::kPosition;
  setup.plan = test::ramp(0.0, 5.0, 10s);
  const double right = run_loop(setup, 2s).positions.back();
  setup.config.clock_drift_ppm = 1000.0;
  // within a tick's worth of motion: the instant of a tick moves within the step
  EXPECT_NEAR(run_loop(setup, 2s).positions.back() - right, 0.001 - 0.00005, 0.0005);
}

TEST(ArmLoopTiming, WhereTheControllerIsAtTheRobotItUsesTheRobotsClock) {
  for (const Cut cut : {Cut::kNone, Cut::kTrajectory}) {
    LoopSetup setup;
    setup.config.cut = cut;
    setup.plan = test::ramp(0.0, 0.1, 100ms);
    const std::string hash = run_loop(setup, 200ms).hash;
    setup.config.clock_offset = 5ms;
    setup.config.clock_drift_ppm = 1000.0;
    EXPECT_EQ(run_loop(setup, 200ms).hash, hash);
    setup.config.control_phase = 500us;
    EXPECT_NE(run_loop(setup, 200ms).hash, hash);
  }
}

TEST(ArmLoopTiming, JitterMakesEachTickLateAndNeverSwapsTwo) {
  Notes notes;
  LoopSetup setup;
  setup.options.observer = &notes;
  setup.config.control_jitter = 999us;
  setup.config.seed = 3;
  const LoopRecord record = run_loop(setup, 200ms);
  ASSERT_GE(notes.command_sent_at.size(), 199U);
  bool has_late_tick = false;
  for (std::size_t k = 0; k < notes.command_sent_at.size(); ++k) {
    const Duration late = notes.command_sent_at[k] - Time(static_cast<std::int64_t>(k) * 1ms);
    EXPECT_GE(late, 0ns);
    EXPECT_LT(late, 999us);
    has_late_tick = has_late_tick || late > 500us;
  }
  EXPECT_TRUE(has_late_tick);
  LoopSetup again = setup;
  again.options.observer = nullptr;
  EXPECT_EQ(run_loop(again, 200ms).hash, record.hash);
  again.config.seed = 4;
  EXPECT_EQ(run_loop(again, 200ms).world_hash, record.world_hash);  // all act one step later
  again.config.control_jitter = 0ms;
  EXPECT_NE(run_loop(again, 200ms).world_hash, record.world_hash);
}

TEST(ArmLoopTiming, JitterCountsOnceACommandComesAStepLater) {
  // the link takes 300 us: commands of ticks that are more than 0.7 ms late act a step after those
  // of the others
  LoopSetup setup;
  setup.commands = LinkSetting(300us);
  setup.config.control_jitter = 900us;
  setup.config.seed = 3;
  const LoopRecord one = run_loop(setup, 200ms);
  setup.config.seed = 4;
  EXPECT_NE(run_loop(setup, 200ms).world_hash, one.world_hash);
}

TEST(ArmLoopTiming, TheObserverIsToldOfEachMessageAndOfTheLink) {
  Notes notes;
  LoopSetup setup;
  setup.options.observer = &notes;
  setup.states = LinkSetting([](std::uint64_t index) {
    return index == 1 ? std::nullopt : std::optional(Duration(1500us));
  });
  setup.commands = LinkSetting(500us);
  (void)run_loop(setup, 3ms);
  EXPECT_THAT(notes.states_sent_at, ElementsAre(Time(0ms), Time(1ms), Time(2ms)));
  EXPECT_THAT(notes.states_received_at, ElementsAre(Time(1500us)));
  EXPECT_THAT(notes.command_sent_at, ElementsAre(Time(0ms), Time(1ms), Time(2ms)));
  EXPECT_THAT(notes.command_received_at, ElementsAre(Time(500us), Time(1500us), Time(2500us)));
  EXPECT_THAT(notes.link_events,
              ElementsAre("states 0 sent 0s", "commands 0 sent 0s", "commands 0 arrived 500us",
                          "states 1 sent 1ms", "states 1 lost 1ms", "commands 1 sent 1ms",
                          "states 0 arrived 1500us", "commands 1 arrived 1500us",
                          "states 2 sent 2ms", "commands 2 sent 2ms", "commands 2 arrived 2500us"));
}

TEST(ArmLoopTiming, OfACutTrajectoryTheLinkCarriesTheGoalAndTheRestIsLocal) {
  Notes notes;
  LoopSetup setup;
  setup.config.cut = Cut::kTrajectory;
  setup.config.clock_offset = 9ms;
  setup.options.observer = &notes;
  setup.commands = LinkSetting(2ms);
  setup.states = LinkSetting(1ms);
  (void)run_loop(setup, 3ms);
  EXPECT_THAT(notes.goal_received_at, ElementsAre(Time(2ms)));
  EXPECT_EQ(notes.goal_stamp, Time(9ms));
  EXPECT_THAT(notes.states_received_at, ElementsAre(Time(0ms), Time(1ms), Time(2ms)));
  EXPECT_THAT(notes.command_received_at, ElementsAre(Time(0ms), Time(1ms), Time(2ms)));
  EXPECT_THAT(notes.link_events,
              ElementsAre("commands 0 sent 0s", "states 0 sent 0s", "states 0 arrived 1ms",
                          "states 1 sent 1ms", "commands 0 arrived 2ms", "states 1 arrived 2ms",
                          "states 2 sent 2ms"));
}

TEST(ArmLoopTiming, WithoutALinkThereIsNothingToTellOfOne) {
  Notes notes;
  LoopSetup setup;
  setup.config.cut = Cut::kNone;
  setup.options.observer = &notes;
  (void)run_loop(setup, 3ms);
  EXPECT_EQ(notes.command_received_at.size(), 3U);
  EXPECT_TRUE(notes.link_events.empty());
}

TEST(ArmLoopTiming, DeadlinesAndSurvivalTimesAreThoseOfEachDirection) {
  // commands of 20 to 24 ms are lost: the sixth period brings the next, 6 ms after that of 19 ms
  LoopSetup setup;
  setup.states = LinkSetting(2ms);
  setup.commands = LinkSetting([](std::uint64_t index) {
    return index >= 20 && index < 25 ? std::nullopt : std::optional(Duration(500us));
  });
  const LoopRecord record = run_loop(setup, 100ms);
  EXPECT_EQ(record.states_report.deadline_miss_ratio(), 1.0);  // 2 ms, but a period is 1 ms
  EXPECT_NEAR(record.states_report.age_mean_s, 0.0025, 1e-12);
  EXPECT_EQ(record.commands_report.deadline_missed, 5U);
  EXPECT_EQ(record.commands_report.longest_outage, Duration(6ms));
  EXPECT_EQ(record.commands_report.survival_violations, 1U);
  setup.config.states_requirements.deadline = 2ms;
  setup.config.commands_requirements.survival_time = 5ms;
  const LoopRecord relaxed = run_loop(setup, 100ms);
  EXPECT_EQ(relaxed.states_report.deadline_miss_ratio(), 0.0);
  EXPECT_EQ(relaxed.commands_report.survival_violations, 0U);
}

}  // namespace
}  // namespace longarm::control
