// SPDX-License-Identifier: Apache-2.0
// Tests the targets of each verb, cycle by cycle, against closed forms; no engine.
#include "longarm/robots/ur_motion.h"

#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;
using std::numbers::pi;
using testing::HasSubstr;

constexpr double kCycle_s = 0.008;
constexpr Joints kHome{0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0};

UrLimits usual_limits() {
  UrLimits limits;
  limits.lower_rad.fill(-2 * pi);
  limits.upper_rad.fill(2 * pi);
  limits.speed_rad_s = pi;
  limits.acceleration_rad_s2 = 40.0;
  limits.stop_rad_s2 = 4.0;
  limits.brake_rad_s2 = 20.0;
  limits.smallest_singular_value = 0.01;
  return limits;
}

class UrMotionTest : public testing::Test {
 protected:
  const Joints& q() const { return motion_.target().q; }
  const Joints& qd() const { return motion_.target().qd; }
  void advance(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      motion_.advance();
    }
  }
  /// Cycles until the command lets its caller go on.
  int finish(Result<UrMoveId> begun, int at_most = 3000) {
    EXPECT_TRUE(begun) << (begun ? "" : begun.error().message);
    int cycles = 0;
    while (begun && motion_.is_busy(*begun) && cycles < at_most) {
      motion_.advance();
      ++cycles;
    }
    return cycles;
  }
  std::string fault() { return motion_.take_fault().value_or(""); }

  UrKinematics kinematics_{ur5_geometry()};
  UrMotion motion_{kinematics_, usual_limits(), kCycle_s, kHome};
};

// 0.5 rad/s at 1 rad/s² take 62.5 cycles: 62 whole ones to 0.496 rad/s and 0.123008 rad (½·a·t²),
// and one in which 0.004 rad/s are missing: 0.123008 + (0.496 + 0.5)/2 · 0.008 = 0.126992 rad.
TEST_F(UrMotionTest, SpeedjRampsWithItsAccelerationThenKeepsItsSpeed) {
  const auto id = motion_.speed_joints({0.5, 0, 0, 0, 0, 0}, 1.0, std::nullopt);
  advance(62);
  EXPECT_NEAR(qd()[0], 0.496, 1e-12);
  EXPECT_NEAR(q()[0], 0.123008, 1e-12);
  EXPECT_NEAR(motion_.target().qdd[0], 1.0, 1e-9);
  EXPECT_TRUE(motion_.is_busy(*id));
  advance(1);
  EXPECT_EQ(qd()[0], 0.5);
  EXPECT_NEAR(q()[0], 0.126992, 1e-12);
  // without a time it goes on, though its caller goes on as well
  EXPECT_FALSE(motion_.is_busy(*id));
  advance(100);
  EXPECT_NEAR(q()[0], 0.126992 + 100 * 0.5 * 0.008, 1e-12);
}

TEST_F(UrMotionTest, SpeedjKeepsTheDirectionWhileItRamps) {
  ASSERT_TRUE(motion_.speed_joints({0.6, -0.3, 0.15, 0, 0, 0.02}, 2.0, std::nullopt));
  for (int i = 0; i < 60; ++i) {
    advance(1);
    EXPECT_NEAR(qd()[1], -0.5 * qd()[0], 1e-12);
    EXPECT_NEAR(qd()[2], 0.25 * qd()[0], 1e-12);
    EXPECT_NEAR(qd()[5], qd()[0] / 30.0, 1e-12);
  }
  EXPECT_EQ(qd()[0], 0.6);
}

// after one cycle of 0.4 rad/s at 50 rad/s² (clamped to 40: 0.32 rad/s) nobody speaks any more
TEST_F(UrMotionTest, SpeedjGivesUpAfterItsTimeAndSlowsDownWithItsAcceleration) {
  ASSERT_TRUE(motion_.speed_joints({0.4, 0, 0, 0, 0, 0}, 1.0, 0.4));
  advance(50);
  EXPECT_NEAR(qd()[0], 0.4, 1e-12);
  EXPECT_FALSE(motion_.take_timeout());
  const double there = q()[0];
  advance(1);
  EXPECT_TRUE(motion_.take_timeout());
  EXPECT_NEAR(qd()[0], 0.392, 1e-12);
  advance(49);
  EXPECT_NEAR(qd()[0], 0.0, 1e-12);
  // v²/(2a) = 0.08 rad
  EXPECT_NEAR(q()[0] - there, 0.08, 1e-12);
  advance(1);
  EXPECT_EQ(qd(), Joints{});
  EXPECT_FALSE(motion_.take_timeout());
}

TEST_F(UrMotionTest, ASpeedjPerCycleNeverTimesOut) {
  for (int i = 0; i < 250; ++i) {
    ASSERT_TRUE(motion_.speed_joints({0.3 * std::sin(0.05 * i), 0, 0, 0, 0, 0}, 5.0, 0.008));
    advance(1);
    ASSERT_FALSE(motion_.take_timeout());
  }
  // the sum of the speeds, each reached within its own cycle: 0.3·0.05 rad/s a cycle is less
  // than 5 rad/s²·8 ms; trapezoids between them
  double expected = 0.0;
  double before = 0.0;
  for (int i = 0; i < 250; ++i) {
    const double speed = 0.3 * std::sin(0.05 * i);
    expected += 0.5 * (before + speed) * kCycle_s;
    before = speed;
  }
  EXPECT_NEAR(q()[0], expected, 1e-12);
  advance(1);
  EXPECT_TRUE(motion_.take_timeout());
}

TEST_F(UrMotionTest, ATimeOutWhileNothingWasAskedForIsNone) {
  ASSERT_TRUE(motion_.speed_joints({}, 1.0, 0.008));
  advance(5);
  EXPECT_FALSE(motion_.take_timeout());
}

// 20 ms are two and a half cycles: it returns after the third
TEST_F(UrMotionTest, TimesThatAreNoWholeCyclesAreRoundedUp) {
  EXPECT_EQ(finish(motion_.speed_joints({0.1, 0, 0, 0, 0, 0}, 1.0, 0.02)), 3);
  EXPECT_EQ(finish(motion_.speed_joints({0.1, 0, 0, 0, 0, 0}, 1.0, 0.008)), 1);
  EXPECT_EQ(finish(motion_.servo(q(), 0.008, 0.1, 300)), 1);
  EXPECT_EQ(finish(motion_.servo(q(), 0.0, 0.1, 300)), 1);
}

// gain 400 and 0.1 s are critically damped with ω = 20: x(t) = x₀·(1 + ωt)·e^(−ωt)
TEST_F(UrMotionTest, ServojFollowsItsLawExactly) {
  Joints goal = kHome;
  goal[0] += 0.05;
  ASSERT_TRUE(motion_.servo(goal, 2.0, 0.1, 400.0));
  for (int i = 1; i <= 100; ++i) {
    advance(1);
    const double wt = 20.0 * kCycle_s * i;
    ASSERT_NEAR(q()[0], 0.05 * (1.0 - (1.0 + wt) * std::exp(-wt)), 1e-12) << i;
    ASSERT_NEAR(qd()[0], 0.05 * 20.0 * wt * std::exp(-wt), 1e-11) << i;
  }
}

// without overshoot if lookahead·√gain ≥ 2; beyond by e^(−πζ/√(1−ζ²)) with ζ = lookahead·√gain/2
TEST_F(UrMotionTest, ServojOvershootsAsItsDampingSays) {
  const auto peak = [](double lookahead_s, double gain) {
    UrServoStep at{0.0, 0.0};
    double most = 0.0;
    for (int i = 0; i < 3000; ++i) {
      at = servo_step(at.q, at.qd, 1.0, lookahead_s, gain, 0.001);
      most = std::max(most, at.q);
    }
    EXPECT_NEAR(at.q, 1.0, 1e-5);
    return most;
  };
  EXPECT_LE(peak(0.2, 2000.0), 1.0 + 1e-12);
  EXPECT_LE(peak(0.1, 400.0), 1.0 + 1e-12);
  const double damping = 0.5 * 0.03 * std::sqrt(300.0);
  EXPECT_NEAR(peak(0.03, 300.0),
              1.0 + std::exp(-pi * damping / std::sqrt(1.0 - damping * damping)), 1e-3);
}

TEST_F(UrMotionTest, ServojFollowsAMovingGoalWithItsLookaheadTime) {
  Joints goal = kHome;
  for (int i = 0; i < 500; ++i) {
    goal[0] = 0.2 * kCycle_s * i;
    ASSERT_TRUE(motion_.servo(goal, 0.008, 0.1, 300.0));
    advance(1);
  }
  // the goal stands still for a cycle: between one lookahead time and a cycle more
  const double late_s = (0.2 * kCycle_s * 500 - q()[0]) / 0.2;
  EXPECT_GT(late_s, 0.1);
  EXPECT_LT(late_s, 0.1 + kCycle_s);
}

// 1 rad at 1.05 rad/s and 1.4 rad/s²: v/a + D/v = 0.75 + 0.95238 = 1.70238 s = 212.8 cycles; the
// shorter way of the other joint does not count
TEST_F(UrMotionTest, MovejTakesTheTimeOfItsSlowestJoint) {
  Joints goal = kHome;
  goal[0] += 1.0;
  goal[3] -= 0.4;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            213);
  EXPECT_EQ(q(), goal);
  EXPECT_EQ(qd(), Joints{});
}

// too short for full speed: 2·√(D/a) = 2·√(0.14/1.4) = 0.63246 s = 79.06 cycles
TEST_F(UrMotionTest, AShortMovejHasNoConstantSpeed) {
  Joints goal = kHome;
  goal[2] -= 0.14;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            80);
}

TEST_F(UrMotionTest, MovejsTimeTakesThePlaceOfSpeedAndAcceleration) {
  Joints goal = kHome;
  goal[0] += 1.0;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 0.01, .acceleration = 0.01, .time_s = 2.0})),
            250);
  EXPECT_EQ(q(), goal);
  // in a tenth of a second it would need 15 rad/s: it takes as long as the joints need for that
  // shape, 1.5/π s = 59.7 cycles, for its 44.4 rad/s² are then 4.5/0.4775² = 19.7
  goal[0] -= 1.0;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.0, .acceleration = 1.0, .time_s = 0.1})),
            60);
}

// ½·1.4·t² after 0.4 s: 0.112 rad; the ramp ends after 0.75 s
TEST_F(UrMotionTest, MovejIsATrapezoid) {
  Joints goal = kHome;
  goal[0] += 1.0;
  goal[4] += 0.5;
  ASSERT_TRUE(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0}));
  advance(50);
  EXPECT_NEAR(q()[0], 0.112, 1e-12);
  EXPECT_NEAR(q()[4] - kHome[4], 0.056, 1e-12);
  EXPECT_NEAR(qd()[0], 0.56, 1e-12);
  EXPECT_NEAR(motion_.target().qdd[0], 1.4, 1e-12);
  advance(50);
  // 0.8 s: 0.39375 rad of the ramp, then 0.05 s at 1.05 rad/s
  EXPECT_NEAR(q()[0], 0.39375 + 0.05 * 1.05, 1e-12);
  EXPECT_NEAR(qd()[0], 1.05, 1e-12);
}

// 0.2 m at 0.25 m/s and 1.2 m/s²: v/a + D/v = 0.20833 + 0.8 s = 126.04 cycles
TEST_F(UrMotionTest, MovelGoesStraightInTheTimeOfItsTrapezoid) {
  const Pose start = kinematics_.tool(kHome);
  Pose goal = start;
  goal.translation() += Vector3(0.12, -0.16, 0.0);
  const auto id = motion_.move_tool(goal, {.speed = 0.25, .acceleration = 1.2, .time_s = 0.0});
  ASSERT_TRUE(id) << id.error().message;
  const Vector3 direction = Vector3(0.6, -0.8, 0.0);
  int cycles = 0;
  while (motion_.is_busy(*id)) {
    advance(1);
    ++cycles;
    // also between two targets, where cubics draw the way
    for (const double share : {0.25, 0.5, 0.75, 1.0}) {
      const Pose X = kinematics_.tool(motion_.between(share));
      const Vector3 way = X.translation() - start.translation();
      ASSERT_LE((way - way.dot(direction) * direction).norm(), 2e-8);
      ASSERT_LE((X.linear() - start.linear()).cwiseAbs().maxCoeff(), 1e-7);
    }
    if (cycles == 13) {
      // 0.104 s in the ramp: ½·1.2·0.104²
      EXPECT_NEAR((kinematics_.tool(q()).translation() - start.translation()).norm(), 0.0064896,
                  1e-9);
    }
  }
  EXPECT_EQ(cycles, 127);
  EXPECT_LE((kinematics_.tool(q()).matrix() - goal.matrix()).norm(), 1e-9);
}

TEST_F(UrMotionTest, MovelTurnsAboutOneAxis) {
  const Pose start = kinematics_.tool(kHome);
  Pose goal = start;
  goal.linear() = rotation(Vector3(0.3, 0.2, -0.4)) * start.linear();
  goal.translation().x() += 0.02;
  const auto id = motion_.move_tool(goal, {.speed = 0.25, .acceleration = 1.2, .time_s = 0.0});
  ASSERT_TRUE(id);
  while (motion_.is_busy(*id)) {
    advance(1);
    const Pose X = kinematics_.tool(q());
    const Vector3 turned = rotation_vector(X.linear() * start.linear().transpose());
    ASSERT_LE(turned.cross(Vector3(0.3, 0.2, -0.4)).norm(), 1e-9);
  }
  EXPECT_LE((kinematics_.tool(q()).matrix() - goal.matrix()).norm(), 1e-9);
}

TEST_F(UrMotionTest, MovelRefusesWhatTheArmCannotDrawInWords) {
  Pose goal = kinematics_.tool(kHome);
  goal.translation().z() += 1.5;
  const auto far = motion_.move_tool(goal, {.speed = 0.25, .acceleration = 1.2, .time_s = 0.0});
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, HasSubstr("reach"));
  const auto slow = motion_.move_tool(goal, {.speed = 0.0, .acceleration = 1.2, .time_s = 0.0});
  ASSERT_FALSE(slow);
  EXPECT_THAT(slow.error().message, HasSubstr("speed"));
  Joints beyond = kHome;
  beyond[1] = 7.0;
  const auto joint = motion_.move_joints(beyond, {.speed = 1.0, .acceleration = 1.0, .time_s = 0});
  ASSERT_FALSE(joint);
  EXPECT_THAT(joint.error().message, HasSubstr("joint 1 cannot be at 7 rad"));
}

// 0.1 m/s at 0.5 m/s²: 25 cycles to 0.01 m, then 0.8 mm a cycle
TEST_F(UrMotionTest, SpeedlMovesTheToolStraight) {
  const Pose start = kinematics_.tool(kHome);
  ASSERT_TRUE(motion_.speed_tool({0.0, 0.06, -0.08, 0, 0, 0}, 0.5, std::nullopt, std::nullopt));
  const Vector3 direction(0.0, 0.6, -0.8);
  for (int i = 1; i <= 125; ++i) {
    advance(1);
    const Vector3 way = kinematics_.tool(q()).translation() - start.translation();
    ASSERT_LE((way - way.dot(direction) * direction).norm(), 1e-9);
    const double expected = i <= 25 ? 0.25 * std::pow(i * kCycle_s, 2) : 0.01 + (i - 25) * 0.0008;
    ASSERT_NEAR(way.norm(), expected, 1e-9) << i;
  }
  const Vector6 speed = kinematics_.tool_velocity(q(), qd());
  EXPECT_NEAR(speed[2], -0.08, 1e-9);
  // stopl: 25 cycles and 0.01 m more
  EXPECT_EQ(finish(motion_.stop_tool(0.5, std::nullopt)), 25);
  EXPECT_NEAR((kinematics_.tool(q()).translation() - start.translation()).norm(), 0.1, 1e-9);
  EXPECT_EQ(qd(), Joints{});
}

TEST_F(UrMotionTest, SpeedlStopsBeforeASingularConfigurationAndSaysSo) {
  ASSERT_TRUE(motion_.speed_tool({0.0, 0.0, 0.2, 0, 0, 0}, 1.0, std::nullopt, std::nullopt));
  std::string why;
  for (int i = 0; i < 1000 && why.empty(); ++i) {
    advance(1);
    why = fault();
    ASSERT_LE(std::abs(qd()[2]), pi * 1.001);
  }
  EXPECT_THAT(why, testing::AnyOf(HasSubstr("singular"), HasSubstr("rad/s")));
  advance(30);
  EXPECT_EQ(qd(), Joints{});
}

// 0.8 rad/s at 2 rad/s²: 0.4 s and v²/2a = 0.16 rad
TEST_F(UrMotionTest, StopjComesToRest) {
  ASSERT_TRUE(motion_.speed_joints({0.8, 0.4, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(50);
  const Joints before = q();
  EXPECT_EQ(finish(motion_.stop_joints(2.0)), 50);
  EXPECT_NEAR(q()[0] - before[0], 0.16, 1e-12);
  EXPECT_NEAR(q()[1] - before[1], 0.08, 1e-12);
}

// a move that takes over waits for rest: 0.8 rad/s at 4 rad/s² are 25 cycles; 2·√(D/a) from there
TEST_F(UrMotionTest, AMoveThatTakesOverComesToRestFirst) {
  ASSERT_TRUE(motion_.speed_joints({0.8, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(50);
  Joints goal = kHome;
  const double rest = q()[0] + 0.08;
  goal[0] = rest - 0.16;
  const int cycles = finish(motion_.move_joints(goal, {.speed = 3.0, .acceleration = 1.0}));
  // 2·√0.16 = 0.8 s
  EXPECT_EQ(cycles, 25 + 100);
  EXPECT_NEAR(q()[0], goal[0], 1e-15);
}

TEST_F(UrMotionTest, AReleasedArmSlowsDownUnlessSomebodyTakesOver) {
  ASSERT_TRUE(motion_.speed_joints({0.4, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(20);
  motion_.release();
  ASSERT_TRUE(motion_.speed_joints({0.4, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(1);
  EXPECT_EQ(qd()[0], 0.4);
  motion_.release();
  advance(1);
  EXPECT_NEAR(qd()[0], 0.4 - 4.0 * kCycle_s, 1e-12);
  advance(13);
  EXPECT_EQ(qd(), Joints{});
}

// half as fast in time: the ramp of the rate takes 0.25 s and loses 0.0625 s; 0.63246 s need
// 0.25 s · 0.75 (of the ramp) + (0.63246 − 0.1875)/0.5 = 1.13992 s = 142.5 cycles
TEST_F(UrMotionTest, TheSpeedSliderSlowsTheTimeOfMoves) {
  motion_.set_rate(0.5);
  Joints goal = kHome;
  goal[2] -= 0.14;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            143);
  EXPECT_EQ(q(), goal);
}

TEST_F(UrMotionTest, APausedMoveRestsOnItsPathAndGoesOn) {
  Joints goal = kHome;
  goal[0] += 1.0;
  goal[1] -= 0.5;
  const auto id = motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0});
  advance(100);
  motion_.set_paused(true);
  advance(63);
  EXPECT_EQ(motion_.rate(), 0.0);
  const Joints there = q();
  advance(100);
  EXPECT_EQ(q(), there);
  EXPECT_NEAR((there[1] - kHome[1]) / (there[0] - kHome[0]), -0.5, 1e-12);
  motion_.set_paused(false);
  finish(id);
  EXPECT_EQ(q(), goal);
}

TEST_F(UrMotionTest, TooMuchSpeedIsAFaultInWords) {
  ASSERT_TRUE(motion_.speed_joints({3.5, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(1);
  EXPECT_THAT(fault(), HasSubstr("speedj asks for 3.5 rad/s"));
  EXPECT_EQ(qd(), Joints{});
  // what is written with few digits is not too much
  ASSERT_TRUE(motion_.speed_joints({3.1416, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(60);
  EXPECT_EQ(fault(), "");
}

TEST_F(UrMotionTest, TooMuchSpeedCanBeClampedInstead) {
  UrLimits limits = usual_limits();
  limits.stops_for_speed = false;
  UrMotion motion(kinematics_, limits, kCycle_s, kHome);
  ASSERT_TRUE(motion.speed_joints({-10.0, 5.0, 0, 0, 0, 0}, 10.0, std::nullopt));
  for (int i = 0; i < 60; ++i) {
    motion.advance();
  }
  EXPECT_FALSE(motion.take_fault());
  EXPECT_NEAR(motion.target().qd[0], -pi, 1e-12);
  EXPECT_NEAR(motion.target().qd[1], pi / 2, 1e-12);
}

TEST_F(UrMotionTest, BrakesSoThatItRestsWithinTheJointLimit) {
  ASSERT_TRUE(motion_.speed_joints({2.0, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  std::string why;
  for (int i = 0; i < 1000 && why.empty(); ++i) {
    advance(1);
    why = fault();
  }
  EXPECT_THAT(why, HasSubstr("joint 0 comes to its limit of 6.283 rad"));
  advance(100);
  EXPECT_EQ(qd(), Joints{});
  EXPECT_LE(q()[0], 2 * pi);
  EXPECT_GT(q()[0], 2 * pi - 0.03);
}

TEST_F(UrMotionTest, RefusesNumbersThatAreNone) {
  const double nan = std::nan("");
  EXPECT_FALSE(motion_.speed_joints({nan, 0, 0, 0, 0, 0}, 1.0, std::nullopt));
  EXPECT_FALSE(motion_.speed_joints({}, 0.0, std::nullopt));
  EXPECT_FALSE(motion_.speed_tool({0, 0, INFINITY, 0, 0, 0}, 1.0, std::nullopt, std::nullopt));
  EXPECT_FALSE(motion_.servo(kHome, nan, 0.1, 300));
  EXPECT_FALSE(motion_.stop_joints(-1.0));
  EXPECT_FALSE(motion_.stop_tool(nan, std::nullopt));
  EXPECT_FALSE(motion_.move_joints(kHome, {.speed = nan, .acceleration = 1.0, .time_s = 0.0}));
  Joints q = kHome;
  q[3] = nan;
  EXPECT_FALSE(motion_.move_joints(q, {.speed = 1.0, .acceleration = 1.0, .time_s = 0.0}));
  advance(10);
  EXPECT_EQ(this->q(), kHome);
}

// whatever is commanded in whatever order, a target's speed changes by 40 rad/s² at most (a line of
// the tool may need a little more of a joint), and positions go on as speeds say
TEST_F(UrMotionTest, NoSequenceOfCommandsMakesTheSpeedJump) {
  const RandomStream stream(21, "commands");
  std::uint64_t draws = 0;
  const auto draw = [&](double range) { return range * (2.0 * stream.uniform_at(draws++) - 1.0); };
  for (int i = 0; i < 4000; ++i) {
    const int verb = static_cast<int>(8.0 * stream.uniform_at(draws++));
    Joints some;
    for (double& each : some) {
      each = draw(0.6);
    }
    Joints near = q();
    for (std::size_t j = 0; j < 6; ++j) {
      near[j] = std::clamp(kHome[j] + some[j], -2 * pi, 2 * pi);
    }
    const std::optional<double> time_s =
        draw(1.0) > 0 ? std::optional(0.1 + draw(0.09)) : std::nullopt;
    switch (verb) {
      case 0:
        (void)motion_.speed_joints(some, 5.0 + draw(4.0), time_s);
        break;
      case 1:
        (void)motion_.speed_tool({some[0] / 6, some[1] / 6, some[2] / 6, 0, 0, some[3]}, 1.0,
                                 time_s, std::nullopt);
        break;
      case 2:
        (void)motion_.servo(near, 0.008, 0.1, 300.0);
        break;
      case 3:
        (void)motion_.move_joints(near, {.speed = 1.0, .acceleration = 2.0, .time_s = 0.0});
        break;
      case 4:
        (void)motion_.move_tool(kinematics_.tool(near), {.speed = 0.2, .acceleration = 1.0});
        break;
      case 5:
        (void)motion_.stop_joints(3.0);
        break;
      case 6:
        motion_.release();
        break;
      default:
        motion_.set_rate(0.5 + draw(0.5));
        break;
    }
    const int cycles = 1 + static_cast<int>(20.0 * stream.uniform_at(draws++));
    for (int c = 0; c < cycles; ++c) {
      const UrTarget before = motion_.target();
      advance(1);
      (void)fault();
      for (std::size_t j = 0; j < 6; ++j) {
        ASSERT_LE(std::abs(qd()[j] - before.qd[j]), 60.0 * kCycle_s) << i << " verb " << verb;
        ASSERT_NEAR(q()[j] - before.q[j], 0.5 * (qd()[j] + before.qd[j]) * kCycle_s, 2e-3)
            << i << " verb " << verb;
        ASSERT_LE(std::abs(qd()[j]), 1.001 * pi);
      }
    }
  }
}

}  // namespace
}  // namespace longarm::robots
