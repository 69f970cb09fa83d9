// SPDX-License-Identifier: Apache-2.0
// Tests of the loop's order, delays and start-up.
#include "longarm/control/arm_loop.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::add_joint;
using test::cell_of;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::run_loop;
using test::stay_at;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// Calls 1 to 15 of the list in the seed's section 3.2; number 16 is the first of the next round.
const std::vector<std::string> kOrder{
    "update fires",                    // 1
    "read called",                     // 2
    "states read from engine",         // 3
    "states given to link",            // 4
    "states returned by link",         // 5
    "states written to interfaces",    // 6
    "controllers updated",             // 7
    "trajectory controller computes",  // 8
    "commands written to interfaces",  // 9
    "write called",                    // 10
    "commands read from interfaces",   // 11
    "commands given to link",          // 12
    "commands returned by link",       // 13
    "commands written to engine",      // 14
    "engine steps",                    // 15
};

std::vector<std::string> order_at(const std::vector<std::string>& instants) {
  std::vector<std::string> calls;
  for (const std::string& instant : instants) {
    for (const std::string& call : kOrder) {
      calls.push_back(instant + ": " + call);
    }
  }
  return calls;
}

TEST(ArmLoop, CallsWhatTheSeedCallsInItsOrder) {
  EXPECT_THAT(run_loop({}, 3ms).calls, ElementsAreArray(order_at({"0s", "1ms", "2ms"})));
}

TEST(ArmLoop, KeepsThatOrderWithQueuesOnceTheyAreFull) {
  LoopSetup setup;
  setup.states = LinkSetting::queue(2);
  setup.commands = LinkSetting::queue(1);
  std::vector<std::string> calls = run_loop(setup, 4ms).calls;
  calls.erase(calls.begin(), calls.end() - 30);
  EXPECT_THAT(calls, ElementsAreArray(order_at({"2ms", "3ms"})));
}

TEST(ArmLoop, WithoutDelayTheErrorShrinksByTheGainTimesThePeriod) {
  // e(k + 1) = (1 - 10 · 0.001) e(k)
  const LoopRecord record = run_loop({}, 500ms);
  for (std::size_t k = 0; k <= 500; ++k) {
    EXPECT_NEAR(1.0 - record.positions[k], std::pow(0.99, static_cast<double>(k)), 1e-12);
  }
}

TEST(ArmLoop, DelayedStatesReachTheControllerExactlyThatLate) {
  LoopSetup setup;
  setup.states = LinkSetting(3ms);
  const LoopRecord record = run_loop(setup, 50ms);
  for (std::size_t k = 0; k < 50; ++k) {
    // before the first states arrive, the controller believes in the start
    const double seen = k < 3 ? 0.0 : record.positions[k - 3];
    EXPECT_EQ(record.errors[k], 1.0 - seen);
    EXPECT_EQ(record.applied[k], record.commands[k]);
  }
  EXPECT_EQ(record.states_report.delay_max, Duration(3ms));
  EXPECT_EQ(record.commands_report.delay_max, Duration(0));
}

TEST(ArmLoop, DelayedCommandsReachTheJointsExactlyThatLate) {
  LoopSetup setup;
  setup.commands = LinkSetting(3ms);
  const LoopRecord record = run_loop(setup, 50ms);
  for (std::size_t k = 0; k < 50; ++k) {
    EXPECT_EQ(record.errors[k], 1.0 - record.positions[k]);
    EXPECT_EQ(record.applied[k], k < 3 ? 0.0 : record.commands[k - 3]);
  }
  EXPECT_EQ(record.states_report.delay_max, Duration(0));
  EXPECT_EQ(record.commands_report.delay_max, Duration(3ms));
}

TEST(ArmLoop, BothDelaysAddUpInTheLoop) {
  // the same recursion by hand: q(k + 1) = q(k) + h · 10 · (1 - q(k - 2 - 5)), at rest before 5
  LoopSetup setup;
  setup.states = LinkSetting(2ms);
  setup.commands = LinkSetting(5ms);
  const LoopRecord record = run_loop(setup, 400ms);
  std::vector<double> q{0.0};
  for (std::size_t k = 0; k < 400; ++k) {
    const double seen = k < 7 ? 0.0 : q[k - 7];
    q.push_back(k < 5 ? 0.0 : q[k] + 0.01 * (1.0 - seen));
    EXPECT_NEAR(record.positions[k + 1], q[k + 1], 1e-12);
  }
}

TEST(ArmLoop, AFractionOfAStepRoundsUpInEachDirection) {
  for (LinkSetting LoopSetup::*direction : {&LoopSetup::states, &LoopSetup::commands}) {
    const auto hash_with = [&](Duration delay) {
      LoopSetup setup;
      setup.*direction = LinkSetting(delay);
      return run_loop(setup, 100ms).hash;
    };
    EXPECT_EQ(hash_with(2300us), hash_with(3ms));
    EXPECT_EQ(hash_with(2ms + 1ns), hash_with(3ms));
    EXPECT_NE(hash_with(2ms), hash_with(3ms));
    EXPECT_NE(hash_with(3ms + 1ns), hash_with(3ms));
  }
}

/// Something of everything: a moving plan, a second joint, feed-forward, an integral.
LoopSetup busy_setup(const std::string& engine) {
  LoopSetup setup;
  model::BodyTree tree = test::one_joint_tree();
  add_joint(tree, "elbow", model::Vector3::UnitY(), {0.5, 0.3, 0.1}, 0.4);
  setup.cell = cell_of(tree, {0.3, -0.2});
  setup.engine = engine;
  setup.config.gains.i = {2.0};
  setup.config.gains.i_clamp = {0.5};
  setup.config.gains.d = {0.1};
  setup.config.feed_forward = 0.5;
  setup.plan = test::plan_of({{0ms, {0.3, -0.2}, {0.0, 0.0}, {}},
                              {60ms, {0.4, -0.5}, {0.1, 0.2}, {}},
                              {120ms, {0.2, 0.1}, {0.0, 0.0}, {}}});
  return setup;
}

class OnEveryEngine : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ArmLoop, OnEveryEngine, ::testing::Values("kinematic", "mujoco", "ode"),
                         [](const auto& param_info) { return std::string(param_info.param); });

TEST_P(OnEveryEngine, AQueueOfNSlotsEqualsADelayOfNPeriodsBitForBit) {
  std::vector<std::string> hashes;
  for (const int n : {0, 1, 5}) {
    for (const int m : {0, 3}) {
      LoopSetup queued = busy_setup(GetParam());
      queued.states = LinkSetting::queue(n);
      queued.commands = LinkSetting::queue(m);
      LoopSetup delayed = busy_setup(GetParam());
      delayed.states = LinkSetting(n * 1ms);
      delayed.commands = LinkSetting(m * 1ms);
      hashes.push_back(run_loop(delayed, 150ms).hash);
      EXPECT_EQ(run_loop(queued, 150ms).hash, hashes.back()) << n << ", " << m;
    }
  }
  // and each pair of delays is a run of its own
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::unique(hashes.begin(), hashes.end()), hashes.end());
}

TEST_P(OnEveryEngine, NoLinkAtAllEqualsTheCutNone) {
  LoopSetup none = busy_setup(GetParam());
  none.config.cut = Cut::kNone;
  const std::string hash = run_loop(none, 150ms).hash;
  none.states = LinkSetting(9ms);  // nothing crosses it
  none.commands = LinkSetting(9ms);
  EXPECT_EQ(run_loop(none, 150ms).hash, hash);
  LoopSetup linked = busy_setup(GetParam());
  EXPECT_EQ(run_loop(linked, 150ms).hash, hash);
  linked.states = LinkSetting(0ms);
  linked.commands = LinkSetting::queue(0);
  EXPECT_EQ(run_loop(linked, 150ms).hash, hash);
}

TEST(ArmLoop, StartsWithWhatIsTrueSoThatNothingJumps) {
  LoopSetup setup;
  setup.cell = cell_of(test::one_joint_tree(), {0.5});
  setup.plan = stay_at(0.5);
  setup.states = LinkSetting(3ms);
  setup.commands = LinkSetting(2ms);
  for (const Cut cut : {Cut::kTrajectory, Cut::kPosition, Cut::kVelocity}) {
    setup.config.cut = cut;
    for (const double q : run_loop(setup, 20ms).positions) {
      EXPECT_EQ(q, 0.5);
    }
  }
}

TEST(ArmLoop, ZeroFillStartsWithZerosAsTheSeedsPlugInDid) {
  LoopSetup setup;
  setup.cell = cell_of(test::one_joint_tree(), {0.5});
  setup.plan = stay_at(0.5);
  setup.states = LinkSetting(3ms);
  setup.commands = LinkSetting(2ms);
  setup.config.zero_fill = true;
  // for 3 ms the joint seems to be at 0, 2 ms later its motor has that command: 10 · 0.5 rad/s
  const LoopRecord velocity = run_loop(setup, 6ms);
  EXPECT_THAT(velocity.errors, ElementsAre(0.5, 0.5, 0.5, 0.0, 0.0, 0.0));
  EXPECT_THAT(velocity.applied, ElementsAre(0.0, 0.0, 5.0, 5.0, 5.0, 0.0));
  // a position servo goes to zero until it hears otherwise: 10 · (0 - 0.5), then 10 · (0 - 0.495)
  setup.config.cut = Cut::kPosition;
  const LoopRecord position = run_loop(setup, 3ms);
  EXPECT_DOUBLE_EQ(position.applied[0], -5.0);
  EXPECT_DOUBLE_EQ(position.applied[1], -4.95);
  EXPECT_GT(position.applied[2], 0.0);
  // without delay the zeros are never used
  setup.states = setup.commands = LinkSetting();
  EXPECT_EQ(run_loop(setup, 6ms).positions.back(), 0.5);
}

TEST(ArmLoop, ACommandActsForAWholeControlPeriod) {
  // e(n + 1) = (1 - 10 · 0.004) e(n) from tick to tick, on a straight line in between
  LoopSetup setup;
  setup.config.control_period = 4ms;
  const LoopRecord record = run_loop(setup, 200ms);
  for (std::size_t n = 0; n < 50; ++n) {
    const double error = std::pow(0.96, static_cast<double>(n));
    EXPECT_NEAR(1.0 - record.positions[4 * n], error, 1e-12);
    for (std::size_t k = 4 * n; k < 4 * n + 4; ++k) {
      EXPECT_NEAR(record.applied[k], 10.0 * error, 1e-12);
    }
  }
}

TEST(ArmLoop, TheControllerIntegratesOverItsControlPeriod) {
  // 25 · 1 rad · 4 ms, then with the 0.4 mrad gained by then: 25 · (1 + 0.9996) · 4 ms
  LoopSetup setup;
  setup.config.control_period = 4ms;
  setup.config.gains = {};
  setup.config.gains.i = {25.0};
  setup.config.gains.i_clamp = {1e6};
  const LoopRecord record = run_loop(setup, 5ms);
  EXPECT_NEAR(record.commands[0], 0.1, 1e-12);
  EXPECT_NEAR(record.commands[4], 0.19996, 1e-12);
}

TEST(ArmLoop, DelaysCountInStepsAlsoWhereTheControlPeriodIsLonger) {
  LoopSetup setup;
  setup.config.control_period = 4ms;
  setup.states = LinkSetting(1500us);    // sampled every step: two steps old
  setup.commands = LinkSetting(2300us);  // acts from the third step of its period
  const LoopRecord record = run_loop(setup, 100ms);
  for (std::size_t k = 8; k < 100; ++k) {
    EXPECT_EQ(record.errors[k], 1.0 - record.positions[k / 4 * 4 - 2]);
    EXPECT_EQ(record.applied[k], 10.0 * record.errors[(k - 3) / 4 * 4]);
  }
}

TEST(ArmLoop, StatesMayBeSampledMoreRarelyThanStepsAreMade) {
  LoopSetup setup;
  setup.config.states_period = 5ms;
  const LoopRecord record = run_loop(setup, 100ms);
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_EQ(record.errors[k], 1.0 - record.positions[k / 5 * 5]);
  }
  EXPECT_EQ(record.states_report.sent, 20U);
}

TEST(ArmLoop, TheHashKnowsWhatWasAppliedEvenIfNothingMoved) {
  // efforts mean nothing to the kinematic engine, so that only they differ
  LoopSetup setup;
  setup.config.cut = Cut::kEffort;
  setup.config.servo.model = "pid";
  setup.config.servo.gains.p = {3.0};
  const LoopRecord weak = run_loop(setup, 10ms);
  setup.config.servo.gains.p = {4.0};
  const LoopRecord strong = run_loop(setup, 10ms);
  EXPECT_EQ(weak.positions, strong.positions);
  EXPECT_EQ(weak.commands, strong.commands);
  EXPECT_NE(weak.hash, strong.hash);
}

TEST(ArmLoop, RecordsThePlanOfTheStepsEnd) {
  LoopSetup setup;
  setup.plan = test::ramp(0.0, 0.1, 50ms);
  const LoopRecord record = run_loop(setup, 100ms);
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_NEAR(record.plan[k], std::min(0.002 * static_cast<double>(k + 1), 0.1), 1e-12);
  }
}

TEST(ArmLoop, ControlsItsOwnArmAmongOthers) {
  LoopSetup setup;
  const std::vector<double> alone = run_loop(setup, 50ms).positions;
  setup.cell.placements.push_back(setup.cell.placements[0]);
  setup.cell.placements[0].initial_positions = {7.0};
  setup.placement = 1;
  EXPECT_EQ(run_loop(setup, 50ms).positions, alone);
}

}  // namespace
}  // namespace longarm::control
