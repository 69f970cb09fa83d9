// SPDX-License-Identifier: Apache-2.0
// Tests of the places where the loop can be cut: what each leaves on the robot's side.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/arm_loop.h"
#include "longarm/control/test/loop_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using model::Vector3;
using test::add_joint;
using test::cell_of;
using test::LinkSetting;
using test::LoopRecord;
using test::LoopSetup;
using test::ramp;
using test::run_loop;

constexpr std::size_t kStatesDelay = 3;    // steps
constexpr std::size_t kCommandsDelay = 2;  // steps
constexpr double kPeriod_s = 0.001;
constexpr double kGain = 10.0;
constexpr double kServoGain = 50.0;

/// From 0.25 to 0.45 rad in 100 ms and there it stays.
LoopSetup moving_setup(Cut cut) {
  LoopSetup setup;
  setup.cell = cell_of(test::one_joint_tree(), {0.25});
  setup.plan = ramp(0.25, 0.45, 100ms);
  setup.config.cut = cut;
  setup.config.feed_forward = 0.5;
  return setup;
}

/// The same motion, `steps` later, and standing still before.
void expect_shifted(const LoopRecord& record, const LoopRecord& original, std::size_t steps) {
  ASSERT_EQ(record.positions.size(), original.positions.size());
  for (std::size_t k = 0; k < record.positions.size(); ++k) {
    EXPECT_EQ(record.positions[k], original.positions[k < steps ? 0 : k - steps]) << k;
  }
}

TEST(PositionCut, HasTheTrueStatesInItsLoopSoThatTheirDelayChangesNothing) {
  LoopSetup setup = moving_setup(Cut::kPosition);
  const std::string hash = run_loop(setup, 300ms).hash;
  setup.states = LinkSetting(20ms);
  EXPECT_EQ(run_loop(setup, 300ms).hash, hash);
}

TEST(PositionCut, FollowsThePlanByItsServo) {
  // q(k + 1) = q(k) + h · (10 · (plan - q(k)) + 0.5 · planned velocity)
  const LoopRecord record = run_loop(moving_setup(Cut::kPosition), 100ms);
  double q = 0.25;
  for (std::size_t k = 0; k < 100; ++k) {
    const double plan = 0.25 + 2.0 * kPeriod_s * static_cast<double>(k);
    q += kPeriod_s * (kGain * (plan - q) + 0.5 * 2.0);
    EXPECT_NEAR(record.positions[k + 1], q, 1e-12);
  }
}

TEST(PositionCut, DelayedCommandsShiftTheMotionInTimeAndChangeNothingElse) {
  LoopSetup setup = moving_setup(Cut::kPosition);
  const LoopRecord original = run_loop(setup, 300ms);
  setup.commands = LinkSetting(7ms);
  expect_shifted(run_loop(setup, 300ms), original, 7);
  setup.commands = LinkSetting(6100us);
  expect_shifted(run_loop(setup, 300ms), original, 7);
}

TEST(TrajectoryCut, DelaysTheStartAndNothingElse) {
  LoopSetup setup = moving_setup(Cut::kTrajectory);
  const LoopRecord original = run_loop(setup, 300ms);
  setup.commands = LinkSetting(7ms);
  const LoopRecord delayed = run_loop(setup, 300ms);
  expect_shifted(delayed, original, 7);
  EXPECT_EQ(delayed.commands_report.sent, 1U);
  EXPECT_EQ(delayed.commands_report.delay_max, Duration(7ms));
  // the plan's clock starts when it arrives, also between two ticks: the first is 0.9 ms into it
  setup.commands = LinkSetting(6100us);
  EXPECT_NEAR(run_loop(setup, 300ms).errors[7], 2.0 * 0.0009, 1e-12);
}

TEST(TrajectoryCut, DelayedStatesOnlyDelayTheNewsOfItsProgress) {
  LoopSetup setup = moving_setup(Cut::kTrajectory);
  const LoopRecord original = run_loop(setup, 1s);
  setup.states = LinkSetting(200ms);
  const LoopRecord delayed = run_loop(setup, 1s);
  EXPECT_EQ(delayed.hash, original.hash);
  ASSERT_EQ(original.log.size(), 1U);
  ASSERT_EQ(delayed.log.size(), 1U);
  // the sampling instant is in the text, the arrival in front of it
  const auto text_of = [](const std::string& line) { return line.substr(line.find("planner")); };
  EXPECT_EQ(text_of(delayed.log[0]), text_of(original.log[0]));
  EXPECT_NE(delayed.log[0], original.log[0]);
  EXPECT_EQ(text_of(original.log[0]).rfind("planner: the arm was at its goal at ", 0), 0U);
}

TEST(TrajectoryCut, WithoutDelayEqualsTheCutNone) {
  EXPECT_EQ(run_loop(moving_setup(Cut::kTrajectory), 300ms).hash,
            run_loop(moving_setup(Cut::kNone), 300ms).hash);
}

/// A joint of 1 kg·m² at 0 that is told to be at 1 rad, with a PID servo of gain 50 N·m·s and both
/// directions delayed.
LoopSetup servo_setup(Cut cut) {
  LoopSetup setup;
  setup.engine = "mujoco";
  setup.config.cut = cut;
  setup.config.servo.model = "pid";
  setup.config.servo.gains.p = {kServoGain};
  setup.states = LinkSetting(kStatesDelay * 1ms);
  setup.commands = LinkSetting(kCommandsDelay * 1ms);
  return setup;
}

/// The same by hand: efforts by step from all positions and velocities so far, through the
/// engine's v += h · effort, q += h · v. Negative steps give what stands before the first.
struct ByHand {
  std::vector<double> q{0.0};
  std::vector<double> v{0.0};
  std::size_t now = 0;

  double q_ago(std::size_t steps) const { return now < steps ? q[0] : q[now - steps]; }
  double v_ago(std::size_t steps) const { return now < steps ? v[0] : v[now - steps]; }
  /// The outer loop's command, computed `steps` ago from states that were then kStatesDelay old.
  double velocity_command_ago(std::size_t steps) const {
    return now < steps ? 0.0 : kGain * (1.0 - q_ago(steps + kStatesDelay));
  }
};

void expect_motion(const LoopRecord& record, const std::function<double(const ByHand&)>& effort) {
  ByHand hand;
  for (; hand.now + 1 < record.positions.size(); ++hand.now) {
    const double v = hand.v.back() + kPeriod_s * effort(hand);
    hand.v.push_back(v);
    hand.q.push_back(hand.q.back() + kPeriod_s * v);
    ASSERT_NEAR(record.velocities[hand.now + 1], hand.v.back(), 1e-9) << hand.now;
    ASSERT_NEAR(record.positions[hand.now + 1], hand.q.back(), 1e-9) << hand.now;
  }
}

TEST(VelocityCut, ClosesTheVelocityLoopOnTrueVelocities) {
  expect_motion(run_loop(servo_setup(Cut::kVelocity), 500ms), [](const ByHand& hand) {
    return kServoGain * (hand.velocity_command_ago(kCommandsDelay) - hand.v_ago(0));
  });
}

TEST(StaleServoCut, ClosesTheVelocityLoopOnVelocitiesThatCameBack) {
  expect_motion(run_loop(servo_setup(Cut::kStaleServo), 500ms), [](const ByHand& hand) {
    return kServoGain * (hand.velocity_command_ago(kCommandsDelay) - hand.v_ago(kStatesDelay));
  });
}

TEST(EffortCut, HasBothDelaysInTheVelocityLoop) {
  expect_motion(run_loop(servo_setup(Cut::kEffort), 500ms), [](const ByHand& hand) {
    if (hand.now < kCommandsDelay) {
      return 0.0;
    }
    return kServoGain *
           (hand.velocity_command_ago(kCommandsDelay) - hand.v_ago(kCommandsDelay + kStatesDelay));
  });
}

TEST(PositionCut, ClosesBothLoopsOnTrueStates) {
  expect_motion(run_loop(servo_setup(Cut::kPosition), 500ms), [](const ByHand& hand) {
    const double target = hand.now < kCommandsDelay ? 0.0 : 1.0;
    return kServoGain * (kGain * (target - hand.q_ago(0)) - hand.v_ago(0));
  });
}

TEST(TrajectoryCut, ClosesBothLoopsOnTrueStates) {
  expect_motion(run_loop(servo_setup(Cut::kTrajectory), 500ms), [](const ByHand& hand) {
    const double target = hand.now < kCommandsDelay ? 0.0 : 1.0;
    return kServoGain * (kGain * (target - hand.q_ago(0)) - hand.v_ago(0));
  });
}

TEST(EveryCut, IsTheSameLoopWithoutDelayForAPidServoNextToItsJoints) {
  LoopSetup setup = servo_setup(Cut::kNone);
  const std::vector<double> expected = run_loop(setup, 300ms).positions;
  setup.states = setup.commands = LinkSetting();
  for (const Cut cut :
       {Cut::kTrajectory, Cut::kPosition, Cut::kVelocity, Cut::kEffort, Cut::kStaleServo}) {
    setup.config.cut = cut;
    EXPECT_EQ(run_loop(setup, 300ms).positions, expected) << cut_names()[static_cast<int>(cut)];
  }
}

/// A heavy pendulum and an elbow, hung upside down on a wall: wrong gravity or inertia would show.
LoopSetup hanging_setup(Cut cut) {
  LoopSetup setup;
  model::BodyTree tree = test::bare_tree();
  add_joint(tree, "lift", Vector3::UnitY(), {4.0, 0.5, 0.1}).dynamics = {
      .damping = 3.0, .friction = 0.0, .rotor_inertia_kg_m2 = 0.3};
  add_joint(tree, "elbow", Vector3::UnitZ(), {2.0, 0.3, 0.1}, 0.7);
  setup.cell = cell_of(tree, {0.3, -0.4});
  setup.cell.placements[0].X_WR =
      model::Pose(Eigen::AngleAxisd(2.0, Vector3(1.0, 2.0, -1.0).normalized()));
  setup.engine = "mujoco";
  setup.config.cut = cut;
  setup.plan =
      test::plan_of({{0ms, {0.3, -0.4}, {0.0, 0.0}, {}}, {400ms, {0.8, 0.2}, {0.0, 0.0}, {}}});
  return setup;
}

TEST(EveryCut, WithAnIdealServoIsTheSameLoopWithoutDelay) {
  const std::vector<double> expected = run_loop(hanging_setup(Cut::kNone), 500ms).positions;
  EXPECT_GT(expected.back(), 0.6);
  for (const Cut cut : {Cut::kVelocity, Cut::kEffort, Cut::kStaleServo}) {
    const std::vector<double> positions = run_loop(hanging_setup(cut), 500ms).positions;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      ASSERT_NEAR(positions[k], expected[k], 1e-9) << cut_names()[static_cast<int>(cut)] << k;
    }
  }
}

TEST(EffortCut, HoldsTheArmAgainstGravityUntilTheFirstCommandArrives) {
  LoopSetup setup = hanging_setup(Cut::kEffort);
  setup.commands = LinkSetting(20ms);
  const LoopRecord held = run_loop(setup, 20ms);
  for (const double velocity : held.velocities) {
    EXPECT_NEAR(velocity, 0.0, 1e-9);
  }
  EXPECT_GT(std::abs(held.applied[0]), 1.0);
  // zero fill means no effort: the arm falls
  setup.config.zero_fill = true;
  const LoopRecord fallen = run_loop(setup, 20ms);
  EXPECT_EQ(fallen.applied[0], 0.0);
  EXPECT_GT(std::abs(fallen.velocities.back()), 0.01);
}

TEST(EveryCut, StandsStillAfterAnEmergencyStopAlsoWithAnIntegralThatWoundUpMeanwhile) {
  for (const Cut cut : {Cut::kVelocity, Cut::kPosition, Cut::kEffort, Cut::kStaleServo}) {
    LoopSetup setup = servo_setup(cut);
    setup.states = setup.commands = LinkSetting();
    setup.config.servo.gains.i = {1000.0};
    setup.config.servo.gains.i_clamp = {1e6};
    setup.cell.placements[0].tree.joints[0].limits.effort = 1e6;
    setup.config.estop_at = 20ms;
    setup.config.estop_release = 60ms;
    const LoopRecord record = run_loop(setup, 200ms);
    EXPECT_GT(record.velocities[20], 0.1);
    for (std::size_t k = 21; k < record.velocities.size(); ++k) {
      ASSERT_NEAR(record.velocities[k], 0.0, 1e-6) << cut_names()[static_cast<int>(cut)] << k;
    }
  }
}

TEST(EffortCut, LimitsEffortsOnTheRemoteHostToo) {
  LoopSetup setup = servo_setup(Cut::kEffort);
  setup.cell.placements[0].tree.joints[0].limits.effort = 5.0;
  const LoopRecord record = run_loop(setup, 100ms);
  // 50 · 10 · 1 is wanted: 5 N·m / 1 kg·m² from the first step it acts in
  EXPECT_EQ(record.applied[kCommandsDelay], 5.0);
  EXPECT_TRUE(record.was_cut[kCommandsDelay]);  // at its limit, whichever side cut it
  EXPECT_NEAR(record.velocities[kCommandsDelay + 10], 5.0 * 10 * kPeriod_s, 1e-12);
}

TEST(EffortCut, ARemoteServoWorksWithTheControlPeriod) {
  // a computed torque reaches its velocity at the end of a control period: after 4 steps of
  // (10 - 0) / 4 ms
  LoopSetup setup;
  setup.engine = "mujoco";
  setup.config.cut = Cut::kEffort;
  setup.config.control_period = 4ms;
  const LoopRecord record = run_loop(setup, 4ms);
  for (std::size_t k = 0; k <= 4; ++k) {
    EXPECT_NEAR(record.velocities[k], 2.5 * static_cast<double>(k), 1e-12);
  }
}

TEST(VelocityCut, ALocalServoWorksWithThePhysicsPeriod) {
  // an integral of 7 N·m/rad: 7 · 10 rad/s · 1 ms more in each step, less what the joint gained
  LoopSetup setup;
  setup.engine = "mujoco";
  setup.config.control_period = 4ms;
  setup.config.servo.model = "pid";
  setup.config.servo.gains.i = {7.0};
  setup.config.servo.gains.i_clamp = {1e6};
  const LoopRecord record = run_loop(setup, 2ms);
  EXPECT_NEAR(record.applied[0], 0.07, 1e-12);
  EXPECT_NEAR(record.applied[1], 0.14 - 7.0 * kPeriod_s * 0.07 * kPeriod_s, 1e-12);
}

TEST(EffortAndStaleServoCuts, HaveAPidServoUnlessToldOtherwise) {
  for (const Cut cut : {Cut::kEffort, Cut::kStaleServo}) {
    LoopSetup setup = servo_setup(cut);
    const std::string hash = run_loop(setup, 100ms).hash;
    setup.config.servo.model = "";
    EXPECT_EQ(run_loop(setup, 100ms).hash, hash);
  }
  LoopSetup setup = servo_setup(Cut::kVelocity);
  setup.config.servo.model = "ideal";
  const std::string hash = run_loop(setup, 100ms).hash;
  setup.config.servo.model = "";
  EXPECT_EQ(run_loop(setup, 100ms).hash, hash);
}

}  // namespace
}  // namespace longarm::control
