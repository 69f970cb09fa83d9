// SPDX-License-Identifier: Apache-2.0
// Tests of the robot's side of the loop: servo law, limits, silence and emergency stop.
#include "longarm/control/actuators.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/arm_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::kInfinity;
using ::testing::ElementsAre;

ActuatorsConfig unlimited() {
  ActuatorsConfig config;
  config.limits.resize(1);
  config.position_gains = {4.0};
  config.silence_after = 1ms;
  config.period = 1ms;
  return config;
}

JointCommand command_of(CommandKind kind, double value, Time stamp = {}) {
  return {stamp, kind, {value}, {}};
}

std::unique_ptr<Servo> proportional_servo(double p, double i = 0.0) {
  ServoConfig config;
  config.gains.p = {p};
  config.gains.i = {i};
  config.gains.i_clamp = {1e9};
  return make_pid_servo(config, test::one_joint_tree(), {0.0, 0.0, -9.81});
}

/// One joint of 1 kg·m² at `position`, on the actuators under test.
class ActuatorsRig {
 public:
  explicit ActuatorsRig(const ActuatorsConfig& config, double position = 0.0,
                        const std::string& engine = "kinematic",
                        std::unique_ptr<Servo> servo = nullptr,
                        const JointCommand& initial = command_of(CommandKind::kVelocity, 0.0))
      : engine_(physics::built_in_engines().make(
            engine, test::cell_of(test::one_joint_tree(), {position}), {})),
        actuators_(*engine_, config, std::move(servo), initial) {}

  void receive(CommandKind kind, double value, Time now = {}) {
    actuators_.receive(command_of(kind, value, now), now);
  }
  /// What goes to the engine, when the servo knows the truth.
  double apply(Time now = {}) {
    actuators_.apply(now, engine_->positions(), engine_->velocities());
    return actuators_.applied()[0];
  }
  physics::Engine& engine() { return *engine_; }
  Actuators& actuators() { return actuators_; }

 private:
  std::unique_ptr<physics::Engine> engine_;
  Actuators actuators_;
};

TEST(Actuators, PositionServoIsGainTimesErrorPlusFeedForward) {
  ActuatorsConfig config = unlimited();
  config.feed_forward = 0.5;
  ActuatorsRig rig(config, 0.25);
  rig.actuators().receive({Time{}, CommandKind::kPosition, {0.5}, {2.0}}, Time{});
  // 4 · (0.5 - 0.25) + 0.5 · 2
  EXPECT_EQ(rig.apply(), 2.0);
  EXPECT_THAT(rig.actuators().velocity_commands(), ElementsAre(2.0));
  EXPECT_THAT(rig.actuators().position_errors(), ElementsAre(0.25));
  rig.engine().step();
  EXPECT_DOUBLE_EQ(rig.engine().positions()[0], 0.252);
  // a command without velocities has no feed-forward
  rig.engine().reset_joint(physics::JointId(0), 0.25, 0.0);
  rig.receive(CommandKind::kPosition, 0.5);
  EXPECT_EQ(rig.apply(), 1.0);
}

TEST(Actuators, PositionServoSeesTheJointItselfWhateverTheServoBelieves) {
  ActuatorsRig rig(unlimited(), 0.25);
  rig.receive(CommandKind::kPosition, 0.5);
  rig.actuators().apply(Time{}, std::array{-7.0}, std::array{9.0});
  EXPECT_THAT(rig.actuators().applied(), ElementsAre(1.0));
}

TEST(Actuators, VelocitiesGoToTheMotorWithTheJointsEffort) {
  // the motor may change the velocity by 30 N·m / 1 kg·m² · 1 ms = 0.03 rad/s per step
  ActuatorsConfig config = unlimited();
  config.limits[0].effort = 30.0;
  ActuatorsRig rig(config, 0.0, "mujoco");
  rig.receive(CommandKind::kVelocity, 0.05);
  EXPECT_EQ(rig.apply(), 0.05);
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], 0.03, 1e-8);
  EXPECT_NEAR(rig.engine().efforts()[0], 30.0, 1e-6);
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], 0.05, 1e-8);
}

TEST(Actuators, EffortsActOnTheJointWithinItsLimit) {
  ActuatorsConfig config = unlimited();
  config.limits[0].effort = 30.0;
  ActuatorsRig rig(config, 0.0, "mujoco");
  rig.receive(CommandKind::kEffort, -20.0);
  EXPECT_EQ(rig.apply(), -20.0);
  EXPECT_FALSE(rig.actuators().was_limited(0));
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], -0.02, 1e-12);
  // no controller kept to the limit of 30: the actuator does
  rig.receive(CommandKind::kEffort, 100.0, Time(1ms));
  EXPECT_EQ(rig.apply(Time(1ms)), 30.0);
  EXPECT_TRUE(rig.actuators().was_limited(0));
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], -0.02 + 0.03, 1e-12);
}

TEST(Actuators, VelocityLimitActsOnVelocityAndPositionCommands) {
  ActuatorsConfig config = unlimited();
  config.limits[0].velocity = 2.0;
  ActuatorsRig rig(config);
  rig.receive(CommandKind::kVelocity, -9.0);
  EXPECT_EQ(rig.apply(), -2.0);
  EXPECT_TRUE(rig.actuators().was_limited(0));
  rig.receive(CommandKind::kPosition, 100.0);
  EXPECT_EQ(rig.apply(), 2.0);
  EXPECT_TRUE(rig.actuators().was_limited(0));
  rig.receive(CommandKind::kVelocity, 1.5);
  EXPECT_EQ(rig.apply(), 1.5);
  EXPECT_FALSE(rig.actuators().was_limited(0));
}

TEST(Actuators, AJointAtItsPositionLimitOnlyMovesBack) {
  ActuatorsConfig config = unlimited();
  config.limits[0].upper = 0.5;
  ActuatorsRig rig(config, 0.5);
  rig.receive(CommandKind::kVelocity, 1.0);
  EXPECT_EQ(rig.apply(), 0.0);
  EXPECT_TRUE(rig.actuators().was_limited(0));
  rig.receive(CommandKind::kVelocity, -1.0);
  EXPECT_EQ(rig.apply(), -1.0);
}

TEST(Actuators, PositionCommandsEndAtThePositionLimit) {
  ActuatorsConfig config = unlimited();
  config.limits[0].upper = 0.375;
  ActuatorsRig rig(config, 0.25);
  rig.receive(CommandKind::kPosition, 10.0);
  EXPECT_EQ(rig.apply(), 4.0 * 0.125);
}

TEST(Actuators, AServoGetsLimitedVelocitiesAndItsOwnBeliefs) {
  ActuatorsConfig config = unlimited();
  config.limits[0] = {-kInfinity, kInfinity, 2.0, 2.5};
  ActuatorsRig rig(config, 0.0, "mujoco", proportional_servo(2.0));
  rig.receive(CommandKind::kVelocity, 9.0);
  // 2 · (2 - 1.5) with the velocity it believes in, not the joint's zero
  rig.actuators().apply(Time{}, std::array{0.0}, std::array{1.5});
  EXPECT_THAT(rig.actuators().velocity_commands(), ElementsAre(2.0));
  EXPECT_THAT(rig.actuators().applied(), ElementsAre(1.0));
  EXPECT_TRUE(rig.actuators().was_limited(0));
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], 0.001, 1e-12);
  // 2 · (2 - 0) is more than the effort limit
  rig.actuators().apply(Time{}, std::array{0.0}, std::array{0.0});
  EXPECT_THAT(rig.actuators().applied(), ElementsAre(2.5));
  rig.receive(CommandKind::kVelocity, 1.0);
  rig.actuators().apply(Time{}, std::array{0.0}, std::array{0.0});
  EXPECT_THAT(rig.actuators().applied(), ElementsAre(2.0));
  EXPECT_FALSE(rig.actuators().was_limited(0));
}

TEST(Actuators, TheInitialCommandActsUntilTheFirstArrivesHoweverLong) {
  ActuatorsConfig config = unlimited();
  for (const Silence rule : {Silence::kHold, Silence::kZero, Silence::kStop}) {
    config.on_silence = rule;
    ActuatorsRig rig(config, 0.0, "kinematic", nullptr, command_of(CommandKind::kVelocity, 0.75));
    EXPECT_EQ(rig.apply(Time(0ms)), 0.75);
    EXPECT_EQ(rig.apply(Time(60s)), 0.75);
    EXPECT_FALSE(rig.actuators().is_stopped_by_silence());
    rig.receive(CommandKind::kVelocity, 0.5, Time(60s));
    EXPECT_EQ(rig.apply(Time(60s)), 0.5);
  }
}

TEST(Actuators, HoldRepeatsTheLastCommandInSilence) {
  ActuatorsRig rig(unlimited());
  rig.receive(CommandKind::kVelocity, 0.5);
  EXPECT_EQ(rig.apply(Time(1ms)), 0.5);
  EXPECT_EQ(rig.apply(Time(60s)), 0.5);
}

TEST(Actuators, ZeroStopsInSilenceAndGoesOnWithTheNextCommand) {
  ActuatorsConfig config = unlimited();
  config.on_silence = Silence::kZero;
  ActuatorsRig rig(config);
  rig.receive(CommandKind::kVelocity, 0.5, Time(5ms));
  EXPECT_EQ(rig.apply(Time(5ms)), 0.5);
  EXPECT_EQ(rig.apply(Time(6ms) - 1ns), 0.5);
  EXPECT_EQ(rig.apply(Time(6ms)), 0.0);
  rig.receive(CommandKind::kVelocity, 0.25, Time(7ms));
  EXPECT_EQ(rig.apply(Time(7ms)), 0.25);
  EXPECT_FALSE(rig.actuators().is_stopped_by_silence());
}

TEST(Actuators, ZeroMeansStandStillForPositionsAndNoEffortForEfforts) {
  ActuatorsConfig config = unlimited();
  config.on_silence = Silence::kZero;
  ActuatorsRig position(config, 0.25);
  position.receive(CommandKind::kPosition, 0.5);
  EXPECT_EQ(position.apply(Time(0ms)), 1.0);
  position.apply(Time(1ms));
  position.engine().step();
  EXPECT_EQ(position.engine().positions()[0], 0.25);
  ActuatorsRig effort(config, 0.0, "mujoco");
  effort.receive(CommandKind::kEffort, 5.0);
  EXPECT_EQ(effort.apply(Time(0ms)), 5.0);
  EXPECT_EQ(effort.apply(Time(1ms)), 0.0);
  effort.engine().step();
  EXPECT_EQ(effort.engine().velocities()[0], 0.0);
}

TEST(Actuators, StopBrakesInSilenceAndStaysStopped) {
  ActuatorsConfig config = unlimited();
  config.on_silence = Silence::kStop;
  ActuatorsRig rig(config);
  rig.receive(CommandKind::kVelocity, 0.5);
  EXPECT_EQ(rig.apply(Time(0ms)), 0.5);
  EXPECT_FALSE(rig.actuators().is_stopped_by_silence());
  EXPECT_EQ(rig.apply(Time(1ms)), 0.0);
  EXPECT_TRUE(rig.actuators().is_stopped_by_silence());
  rig.receive(CommandKind::kVelocity, 0.25, Time(2ms));
  EXPECT_EQ(rig.apply(Time(2ms)), 0.0);
  rig.engine().step();
  EXPECT_EQ(rig.engine().positions()[0], 0.0);
}

TEST(Actuators, CommandsEachControlPeriodAreNoSilenceAlsoWithFourStepsPerPeriod) {
  for (const Duration period : {Duration(1ms), Duration(4ms)}) {
    ActuatorsConfig config = unlimited();
    config.on_silence = Silence::kStop;
    config.silence_after = period;
    ActuatorsRig rig(config);
    for (Time now{}; now < Time(40ms); now += 1ms) {
      // arrivals in the middle of steps, as after a delay of 0.3 ms
      if ((now.time_since_epoch() % period) == Duration(0)) {
        rig.receive(CommandKind::kVelocity, 0.5, now - 700us);
      }
      rig.apply(now);
    }
    EXPECT_FALSE(rig.actuators().is_stopped_by_silence());
    rig.apply(Time(40ms));  // one that does not come
    rig.apply(Time(41ms));
    EXPECT_TRUE(rig.actuators().is_stopped_by_silence());
  }
}

TEST(Actuators, AnOvertakenCommandDoesNotUndoANewerOne) {
  ActuatorsRig rig(unlimited());
  rig.actuators().receive(command_of(CommandKind::kVelocity, 0.5, Time(5ms)), Time(8ms));
  rig.actuators().receive(command_of(CommandKind::kVelocity, 0.25, Time(4ms)), Time(9ms));
  EXPECT_EQ(rig.apply(Time(9ms)), 0.5);
  rig.actuators().receive(command_of(CommandKind::kVelocity, 0.75, Time(6ms)), Time(10ms));
  EXPECT_EQ(rig.apply(Time(10ms)), 0.75);
}

TEST(Actuators, EmergencyStopBrakesWithFullEffortAndLetsGoOfIt) {
  // from 0.1 rad/s at 30 N·m / 1 kg·m²: 0.03 rad/s less per step
  ActuatorsConfig config = unlimited();
  config.limits[0].effort = 30.0;
  ActuatorsRig rig(config, 0.0, "mujoco");
  rig.engine().reset_joint(physics::JointId(0), 0.0, 0.1);
  rig.receive(CommandKind::kEffort, 25.0);
  rig.actuators().set_emergency_stop(true);
  for (const double expected : {0.07, 0.04, 0.01, 0.0, 0.0}) {
    rig.apply();
    rig.engine().step();
    EXPECT_NEAR(rig.engine().velocities()[0], expected, 1e-8);
  }
  rig.actuators().set_emergency_stop(false);
  EXPECT_EQ(rig.apply(), 25.0);
  rig.engine().step();
  EXPECT_NEAR(rig.engine().velocities()[0], 0.025, 1e-8);
}

TEST(Actuators, AServoStartsAfreshAfterAnEmergencyStop) {
  // integral gain 100, 1 ms per step: 0.1 more effort each time for an error of 1
  ActuatorsRig rig(unlimited(), 0.0, "mujoco", proportional_servo(0.0, 100.0));
  rig.receive(CommandKind::kVelocity, 1.0);
  EXPECT_NEAR(rig.apply(), 0.1, 1e-12);
  EXPECT_NEAR(rig.apply(), 0.2, 1e-12);
  rig.actuators().set_emergency_stop(true);
  rig.apply();
  rig.actuators().set_emergency_stop(false);
  EXPECT_NEAR(rig.apply(), 0.1, 1e-12);
}

TEST(Actuators, CommandTheirOwnJointsAmongOthers) {
  model::Cell cell = test::cell_of(test::one_joint_tree());
  cell.placements.push_back(cell.placements[0]);
  const auto engine = physics::built_in_engines().make("kinematic", cell, {});
  ActuatorsConfig config = unlimited();
  config.first_joint = physics::JointId(1);
  Actuators actuators(*engine, config, nullptr, command_of(CommandKind::kVelocity, 0.5));
  engine->reset_joint(physics::JointId(1), 0.25, 0.0);
  actuators.receive(command_of(CommandKind::kPosition, 0.5), Time{});
  actuators.apply(Time{}, {}, {});
  EXPECT_THAT(actuators.applied(), ElementsAre(1.0));
  engine->step();
  EXPECT_EQ(engine->positions()[0], 0.0);
  EXPECT_DOUBLE_EQ(engine->positions()[1], 0.251);
}

}  // namespace
}  // namespace longarm::control
