// SPDX-License-Identifier: Apache-2.0
// A robot whose controller is elsewhere: as if it were here without a delay, stable as far as the
// closed form says, and at rest when nobody tells it anything.
#include "longarm/robots/arm/remote_hardware.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "longarm/robots/test/robot_bench.h"

namespace longarm::robots {
namespace {

constexpr SpeedLimits kUsualSpeed{0.5, 3.0, 2.0, 10.0};
constexpr Duration kOneStep{1'000'000};

struct RemoteSetup {
  int period_steps = 1;
  int delay_periods = 0;  ///< of commands; reports arrive at once
  bool is_servo_here = true;
  double servo_gain = 100.0;
};

RobotConfig config_of(const RemoteSetup& setup) {
  RobotConfig config = fanuc_config("aprs-fanuc");
  config.servo_gain = setup.servo_gain;
  return config;
}

/// Commands wait in a line of constant length.
class RemoteBench {
 public:
  RemoteBench(const model::Cell& world, const RemoteSetup& setup)
      : cell(world),
        engine(
            physics::built_in_engines().make("mujoco", cell, {.period = kOneStep, .solver = ""})),
        end(*engine, cell, config_of(setup), kOneStep, Duration{100'000'000}),
        hardware(end.arm(), config_of(setup), setup.is_servo_here, end.report(Time{})),
        robot(hardware, cell, config_of(setup), setup.period_steps * kOneStep),
        setup_(setup) {}

  void step() {
    if (steps % setup_.period_steps == 0 && !is_cut) {
      hardware.hear(end.report(now));
      robot.after_step();
      robot.before_step();
      line_.push_back(hardware.command(now));
      if (static_cast<int>(line_.size()) > setup_.delay_periods) {
        if (!loses_next) {
          end.hear(line_.front(), now);
        }
        loses_next = false;
        line_.pop_front();
      }
    }
    end.before_step(now);
    engine->step();
    end.after_step();
    now += kOneStep;
    ++steps;
  }
  void run(int count) {
    for (int i = 0; i < count; ++i) {
      step();
    }
  }
  double fastest() const {
    double most = 0.0;
    for (std::size_t j = 0; j < end.arm().joint_count(); ++j) {
      most = std::max(most, std::abs(end.report(now).joints[j].velocity));
    }
    return most;
  }

  model::Cell cell;
  std::unique_ptr<physics::Engine> engine;
  HardwareEnd end;
  RemoteHardware hardware;
  Robot robot;
  Time now{};
  int steps = 0;
  bool is_cut = false;
  bool loses_next = false;

 private:
  RemoteSetup setup_;
  std::deque<HardwareCommand> line_;
};

class RemoteHardwareTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new model::Cell(read_cell(model_file("aprs-fanuc"))); }
  static void TearDownTestSuite() { delete world_; }

  static const model::Cell& world() { return *world_; }
  static CartesianMotion there() {
    return motion_to({tool_down(0.45, 0.1, 0.2, 0.7)}, kUsualSpeed);
  }

 private:
  static inline model::Cell* world_ = nullptr;
};

TEST_F(RemoteHardwareTest, MovesBitForBitAsIfItWereHereWithoutDelay) {
  for (const bool is_servo_here : {true, false}) {
    RobotBench local(world(), fanuc_config("aprs-fanuc"));
    RemoteBench remote(world(), {.is_servo_here = is_servo_here});
    ASSERT_TRUE(local.robot.move(there()));
    ASSERT_TRUE(remote.robot.move(there()));
    for (int i = 0; i < 2000; ++i) {
      local.step();
      remote.step();
      ASSERT_TRUE(std::ranges::equal(local.engine->positions(), remote.engine->positions()))
          << "step " << i;
    }
    EXPECT_EQ(remote.robot.motion().state, MotionState::kDone);
  }
}

/// An integrator under a proportional law with period T whose commands are d periods old is stable
/// while K·T < 2·sin(π / (4·d + 2)).
TEST_F(RemoteHardwareTest, IsStableAsFarAsTheClosedFormSays) {
  for (const int delay : {1, 2, 4}) {
    const double critical = 2.0 * std::sin(M_PI / (4.0 * delay + 2.0)) / 0.004;
    for (const double part : {0.95, 1.05}) {
      RemoteBench remote(world(), {4, delay, true, part * critical});
      ASSERT_TRUE(remote.robot.move(there()));
      remote.run(8000);
      EXPECT_EQ(remote.fastest() < 1e-2, part < 1.0)
          << delay << " periods, gain " << part * critical << ": " << remote.fastest() << " rad/s";
    }
  }
}

TEST_F(RemoteHardwareTest, IsStableAtAnyDelayWhereTheRobotClosesTheLoop) {
  RemoteBench remote(world(), {4, 50, false, 100.0});
  ASSERT_TRUE(remote.robot.move(there()));
  remote.run(4000);
  EXPECT_LT(remote.fastest(), 1e-3);
  EXPECT_EQ(remote.robot.motion().state, MotionState::kDone);
}

TEST_F(RemoteHardwareTest, BrakesWhenNoCommandComesAndGoesOnWhenTheyDo) {
  RemoteBench remote(world(), {.period_steps = 4});
  ASSERT_TRUE(remote.robot.move(there()));
  remote.run(400);
  EXPECT_GT(remote.fastest(), 0.1);
  remote.is_cut = true;
  remote.run(90);
  EXPECT_EQ(remote.end.silences(), 0);
  remote.run(50);
  EXPECT_EQ(remote.end.silences(), 1);
  EXPECT_LT(remote.fastest(), 1e-3);
  remote.is_cut = false;
  remote.run(4000);
  EXPECT_EQ(remote.robot.motion().state, MotionState::kDone);
}

TEST_F(RemoteHardwareTest, ALostOrderToTheGripperIsRepeatedAndCarriedOutOnce) {
  RemoteBench remote(world(), {.period_steps = 4});
  remote.run(8);
  remote.robot.set_gripper(0.0);
  EXPECT_TRUE(remote.robot.gripper().is_busy);
  remote.loses_next = true;
  remote.run(4);
  EXPECT_EQ(remote.end.report(remote.now).gripper_order, 0U);
  EXPECT_TRUE(remote.robot.gripper().is_busy);
  remote.run(4);
  EXPECT_EQ(remote.end.report(remote.now).gripper_order, 1U);
  remote.run(3500);
  EXPECT_FALSE(remote.robot.gripper().is_busy);
  EXPECT_NEAR(remote.robot.gripper().opening, 0.0, 0.02);
}

TEST_F(RemoteHardwareTest, StandsWhileItIsStoppedAndForGoodWhenItIsBroken) {
  RemoteBench remote(world(), {.period_steps = 4});
  ASSERT_TRUE(remote.robot.move(there()));
  remote.run(400);
  remote.end.set_stopped(true);
  remote.run(200);
  EXPECT_LT(remote.fastest(), 1e-3);
  EXPECT_TRUE(remote.hardware.heard().is_stopped);
  remote.end.set_stopped(false);
  remote.run(50);
  EXPECT_GT(remote.fastest(), 1e-2);
  remote.end.break_down();
  remote.run(400);
  EXPECT_LT(remote.fastest(), 1e-3);
  EXPECT_TRUE(remote.hardware.heard().is_broken);
}

}  // namespace
}  // namespace longarm::robots
