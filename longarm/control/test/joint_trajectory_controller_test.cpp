// SPDX-License-Identifier: Apache-2.0
// Tests of the trajectory controller: its laws, tolerances and limits.
#include "longarm/control/joint_trajectory_controller.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/arm_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::plan_of;
using test::ramp;
using test::stay_at;
using ::testing::ElementsAre;

/// A controller of one joint whose states the test writes.
class ControllerRig {
 public:
  explicit ControllerRig(const TrajectoryControllerConfig& config,
                         const model::JointLimits& limits = {})
      : arm_({"elbow"}, {limits}),
        controller_(arm_, test::claim_of(arm_, "controller", {"elbow"}, config.kind), config) {}

  /// The command at `now`, when the states seen there are these.
  double command(Time now, double position, double velocity = 0.0, Duration period = 1ms) {
    arm_.receive({now, {position}, {velocity}, {0.0}});
    controller_.update(now, period);
    return arm_.commands()[0];
  }
  double command_velocity() const { return arm_.command_velocities()[0]; }
  double desired() const { return controller_.desired_positions()[0]; }
  TrajectoryStatus status() const { return controller_.status(); }
  const std::string& reason() const { return controller_.abort_reason(); }
  JointTrajectoryController& controller() { return controller_; }

 private:
  JointInterfaces arm_;
  JointTrajectoryController controller_;
};

TrajectoryControllerConfig velocity_config(PidGains gains, double feed_forward = 0.0) {
  TrajectoryControllerConfig config;
  config.gains = {gains};
  config.feed_forward = feed_forward;
  return config;
}

TEST(JointTrajectoryController, VelocityAndEffortCommandsAreFeedForwardPlusPid) {
  // 0.25 s into 1 rad/s: desired 0.25 rad. 0.5 · 1 + 8 · (0.25 - 0.1875) + 2 · (1 - 0.75) = 1.5
  TrajectoryControllerConfig config = velocity_config({.p = 8.0, .d = 2.0}, 0.5);
  for (const CommandKind kind : {CommandKind::kVelocity, CommandKind::kEffort}) {
    config.kind = kind;
    ControllerRig rig(config);
    rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
    EXPECT_EQ(rig.command(Time(250ms), 0.1875, 0.75), 1.5);
    EXPECT_THAT(rig.controller().desired_velocities(), ElementsAre(1.0));
    EXPECT_THAT(rig.controller().position_errors(), ElementsAre(0.0625));
  }
}

TEST(JointTrajectoryController, HasNoFeedForwardUnlessAsked) {
  ControllerRig rig(velocity_config({.p = 8.0}));
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  EXPECT_EQ(rig.command(Time(250ms), 0.25), 0.0);
}

TEST(JointTrajectoryController, IntegratesOverItsOwnPeriod) {
  // 2 · 0.5 rad · 0.25 s each time
  ControllerRig rig(velocity_config({.i = 2.0, .i_clamp = 10.0}));
  rig.controller().follow(stay_at(0.5), Time{});
  EXPECT_EQ(rig.command(Time(0ms), 0.0, 0.0, 250ms), 0.25);
  EXPECT_EQ(rig.command(Time(250ms), 0.0, 0.0, 250ms), 0.5);
}

TEST(JointTrajectoryController, PositionCommandsPassThePlanOnWhateverTheStates) {
  TrajectoryControllerConfig config;
  config.kind = CommandKind::kPosition;
  ControllerRig rig(config);
  // a cubic from rest to rest over 2 s: in the middle at 0.5, with 1.5 times the mean speed
  rig.controller().follow(plan_of({{0s, {0.0}, {0.0}, {}}, {2s, {1.0}, {0.0}, {}}}), Time{});
  EXPECT_EQ(rig.command(Time(1s), -7.0, 3.0), 0.5);
  EXPECT_EQ(rig.command_velocity(), 0.75);
}

TEST(JointTrajectoryController, HoldsTheLastPointAfterTheEnd) {
  ControllerRig rig(velocity_config({.p = 8.0}, 1.0));
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(500ms), 0.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  // no feed-forward any more: 8 · (1 - 0.75)
  EXPECT_EQ(rig.command(Time(1001ms), 0.75), 2.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kSucceeded);
  EXPECT_EQ(rig.command(Time(100s), 1.25), -2.0);
  EXPECT_THAT(rig.controller().desired_velocities(), ElementsAre(0.0));
}

TEST(JointTrajectoryController, HoldsWhereItIsToldWithoutATrajectory) {
  ControllerRig rig(velocity_config({.p = 8.0, .i = 1.0, .i_clamp = 10.0}));
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(500ms), 0.0, 0.0, 1s);
  rig.controller().hold(std::array{0.25});
  EXPECT_EQ(rig.status(), TrajectoryStatus::kHolding);
  // 8 · 0.25, and an integral that starts again: 0.25 · 1 s
  EXPECT_EQ(rig.command(Time(600ms), 0.0, 0.0, 1s), 2.25);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kHolding);
}

TEST(JointTrajectoryController, ChecksNothingByDefault) {
  ControllerRig rig(velocity_config({.p = 1.0}));
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(500ms), 1e6, 1e6);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  rig.command(Time(1s), 1e6, 1e6);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kSucceeded);
}

TEST(JointTrajectoryController, AbortsBeyondThePathToleranceAndHoldsWhereItSawTheArm) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0}, 1.0);
  config.tolerances.path_rad = {0.125};
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  // an error of exactly the tolerance is allowed: 1 + 8 · 0.125
  EXPECT_EQ(rig.command(Time(250ms), 0.125), 2.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  // 0.5 - 0.325 = 0.175, i.e. 0.05 too much; no error remains to where it is now
  EXPECT_EQ(rig.command(Time(500ms), 0.325), 0.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kAborted);
  EXPECT_EQ(rig.reason(), "elbow exceeded its path tolerance of 0.125 rad by 0.05 rad");
  EXPECT_EQ(rig.desired(), 0.325);
  // and there it stays: 8 · (0.325 - 0.2)
  EXPECT_DOUBLE_EQ(rig.command(Time(800ms), 0.2), 1.0);
  EXPECT_DOUBLE_EQ(rig.command(Time(9s), 0.2), 1.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kAborted);
}

TEST(JointTrajectoryController, AbortsOnErrorsOfEitherSign) {
  TrajectoryControllerConfig config;
  config.kind = CommandKind::kPosition;
  config.tolerances.path_rad = {0.125};
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  EXPECT_EQ(rig.command(Time(250ms), 0.75), 0.75);
  EXPECT_EQ(rig.reason(), "elbow exceeded its path tolerance of 0.125 rad by 0.375 rad");
  EXPECT_EQ(rig.command_velocity(), 0.0);
}

TEST(JointTrajectoryController, ChecksThePathNoMoreAfterTheEnd) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0});
  config.tolerances.path_rad = {0.125};
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(1s), 0.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kSucceeded);
}

TEST(JointTrajectoryController, WaitsForTheGoalUntilTheGoalTimeIsOver) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0});
  config.tolerances.goal_rad = {0.01};
  config.tolerances.goal_time = 100ms;
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(999ms), 0.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  rig.command(Time(1s), 0.95);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  rig.command(Time(1099ms), 0.95);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  EXPECT_EQ(rig.command(Time(1100ms), 0.95), 0.0);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kAborted);
  EXPECT_EQ(rig.reason(), "elbow was 0.05 rad from its goal after the goal time of 100ms");
  EXPECT_EQ(rig.desired(), 0.95);
}

TEST(JointTrajectoryController, SucceedsOnlyWhenAtTheGoalAndStopped) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0});
  config.tolerances.goal_rad = {0.01};
  config.tolerances.goal_time = 1s;
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(1100ms), 0.995, 0.02);  // there, but faster than 0.01 rad/s
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  rig.command(Time(1200ms), 0.985, 0.0);  // stopped, but not there
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  rig.command(Time(1300ms), 1.005, -0.005);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kSucceeded);
  rig.command(Time(3s), 0.0);  // pushed away later: no longer the trajectory's business
  EXPECT_EQ(rig.status(), TrajectoryStatus::kSucceeded);
}

TEST(JointTrajectoryController, WithoutGoalTimeTheEndDecides) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0});
  config.tolerances.goal_rad = {0.25};
  ControllerRig rig(config);
  rig.controller().follow(ramp(0.0, 1.0, 1s), Time{});
  rig.command(Time(1s), 0.5);
  EXPECT_EQ(rig.reason(), "elbow was 0.5 rad from its goal after the goal time of 0s");
}

TEST(JointTrajectoryController, ChecksEachJointByItsOwnTolerance) {
  JointInterfaces arm({"shoulder", "elbow"}, std::vector<model::JointLimits>(2));
  TrajectoryControllerConfig config;
  config.gains = {{.p = 1.0}, {.p = 2.0}};
  config.tolerances.path_rad = {0.0, 0.125};  // the shoulder is unchecked
  JointTrajectoryController controller(
      arm, test::claim_of(arm, "controller", {"shoulder", "elbow"}, config.kind), config);
  controller.follow(plan_of({{0s, {0.0, 0.0}, {}, {}}, {1s, {1.0, 1.0}, {}, {}}}), Time{});
  arm.receive({Time{}, {100.0, 0.375}, {0.0, 0.0}, {0.0, 0.0}});
  controller.update(Time(500ms), 1ms);
  EXPECT_EQ(controller.status(), TrajectoryStatus::kExecuting);
  EXPECT_THAT(arm.commands(), ElementsAre(-99.5, 0.25));
  controller.update(Time(750ms), 1ms);
  EXPECT_EQ(controller.abort_reason(),
            "elbow exceeded its path tolerance of 0.125 rad by 0.25 rad");
  EXPECT_THAT(controller.desired_positions(), ElementsAre(100.0, 0.375));
}

TEST(JointTrajectoryController, ClaimedJointsNeedNotBeInTheArmsOrder) {
  JointInterfaces arm({"shoulder", "elbow"}, std::vector<model::JointLimits>(2));
  TrajectoryControllerConfig config;
  config.gains = {{.p = 1.0}, {.p = 2.0}};  // of elbow and shoulder
  JointTrajectoryController controller(
      arm, test::claim_of(arm, "controller", {"elbow", "shoulder"}, config.kind), config);
  controller.hold(std::array{10.0, 20.0});
  arm.receive({Time{}, {19.0, 7.0}, {0.0, 0.0}, {0.0, 0.0}});
  controller.update(Time{}, 1ms);
  EXPECT_THAT(arm.commands(), ElementsAre(2.0, 3.0));
}

TEST(JointTrajectoryController, CommandsRespectTheJointsLimits) {
  const model::JointLimits limits{.lower = -1.0, .upper = 0.5, .velocity = 2.0, .effort = 30.0};
  TrajectoryControllerConfig config = velocity_config({.p = 100.0});
  ControllerRig velocity(config, limits);
  velocity.controller().hold(std::array{0.75});
  EXPECT_EQ(velocity.command(Time(0ms), 0.0), 2.0);
  EXPECT_EQ(velocity.command(Time(1ms), 0.5), 0.0);   // at the stop: no further
  EXPECT_EQ(velocity.command(Time(2ms), 1.0), -2.0);  // but back
  config.kind = CommandKind::kEffort;
  ControllerRig effort(config, limits);
  effort.controller().hold(std::array{0.75});
  EXPECT_EQ(effort.command(Time(0ms), 0.0), 30.0);
  config.kind = CommandKind::kPosition;
  ControllerRig position(config, limits);
  position.controller().hold(std::array{0.75});
  EXPECT_EQ(position.command(Time(0ms), 0.0), 0.5);
}

TEST(JointTrajectoryController, WaitsAtTheFirstPointForATrajectoryThatStartsLater) {
  ControllerRig rig(velocity_config({.p = 8.0}, 1.0));
  rig.controller().follow(ramp(0.5, 1.5, 1s), Time(2s));
  EXPECT_EQ(rig.command(Time(0s), 0.25), 2.0);  // 8 · (0.5 - 0.25), no feed-forward yet
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  EXPECT_EQ(rig.command(Time(2250ms), 0.75), 1.0);
  EXPECT_EQ(rig.desired(), 0.75);
}

TEST(JointTrajectoryController, ANewTrajectoryReplacesTheOldOneAlsoAfterAnAbort) {
  TrajectoryControllerConfig config = velocity_config({.p = 8.0});
  config.tolerances.path_rad = {0.125};
  ControllerRig rig(config);
  const motion::Trajectory steps =
      plan_of({{0s, {0.0}, {}, {}}, {1s, {1.0}, {}, {}}, {2s, {3.0}, {}, {}}});
  rig.controller().follow(steps, Time{});
  rig.command(Time(1500ms), 2.0);  // in the second segment
  EXPECT_EQ(rig.desired(), 2.0);
  rig.command(Time(1750ms), 0.5);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kAborted);
  rig.controller().follow(steps, Time(1750ms));
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
  EXPECT_EQ(rig.reason(), "");
  rig.command(Time(2250ms), 0.5);  // back in the first segment
  EXPECT_EQ(rig.desired(), 0.5);
  EXPECT_EQ(rig.status(), TrajectoryStatus::kExecuting);
}

}  // namespace
}  // namespace longarm::control
