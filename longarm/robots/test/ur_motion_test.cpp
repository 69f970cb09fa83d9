// SPDX-License-Identifier: Apache-2.0
// Tests speedj, speedl, servoj and stops, cycle by cycle, against closed forms; no engine.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/robots/test/ur_motion_bench.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;
using std::numbers::pi;
using testing::HasSubstr;

class UrMotionTest : public UrMotionBench {};

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

// 0.4 rad/s at 1 rad/s² are reached after 0.4 s, when the time is over and nobody speaks any more
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
  EXPECT_NEAR(peak(0.03, 300.0), 1.0 + std::exp(-pi * damping / std::sqrt(1.0 - damping * damping)),
              1e-3);
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

TEST_F(UrMotionTest, SpeedlStopsBeforeASingularConfigurationAndSaysSo) {
  ASSERT_TRUE(motion_.speed_tool({0.0, 0.0, 0.2, 0, 0, 0}, 1.0, std::nullopt, std::nullopt));
  std::string why;
  for (int i = 0; i < 1000 && why.empty(); ++i) {
    advance(1);
    why = fault();
    ASSERT_LE(std::abs(qd()[2]), 3.3336);
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

TEST_F(UrMotionTest, TooMuchSpeedIsAFaultInWords) {
  ASSERT_TRUE(motion_.speed_joints({3.5, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
  advance(1);
  EXPECT_THAT(fault(), HasSubstr("speedj asks for 3.5 rad/s"));
  EXPECT_EQ(qd(), Joints{});
  // beyond what moves are planned with, and within the safety limit
  ASSERT_TRUE(motion_.speed_joints({3.333, 0, 0, 0, 0, 0}, 10.0, std::nullopt));
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
  EXPECT_NEAR(motion.target().qd[0], -3.3336, 1e-12);
  EXPECT_NEAR(motion.target().qd[1], 3.3336 / 2, 1e-12);
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

// whatever is commanded in whatever order, a target's speed changes by 40 rad/s² at most, and
// positions go on as speeds say: a cubic's way differs from the mean speed's by qdd·t²/12 or so
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
        ASSERT_LE(std::abs(qd()[j] - before.qd[j]), 40.0 * kCycle_s * (1.0 + 1e-6))
            << i << " verb " << verb;
        ASSERT_NEAR(q()[j] - before.q[j], 0.5 * (qd()[j] + before.qd[j]) * kCycle_s, 2e-3)
            << i << " verb " << verb;
        ASSERT_LE(std::abs(qd()[j]), 3.334);
      }
    }
  }
}

}  // namespace
}  // namespace longarm::robots
