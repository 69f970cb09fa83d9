// SPDX-License-Identifier: Apache-2.0
// Tests moves and lines of the tool, cycle by cycle, against closed forms; no engine.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/ur_motion_bench.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;
using std::numbers::pi;
using testing::HasSubstr;

class UrMovesTest : public UrMotionBench {};

// 1 rad at 1.05 rad/s and 1.4 rad/s²: v/a + D/v = 0.75 + 0.95238 = 1.70238 s = 212.8 cycles; the
// shorter way of the other joint does not count
TEST_F(UrMovesTest, MovejTakesTheTimeOfItsSlowestJoint) {
  Joints goal = kHome;
  goal[0] += 1.0;
  goal[3] -= 0.4;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            213);
  EXPECT_EQ(q(), goal);
  EXPECT_EQ(qd(), Joints{});
}

// too short for full speed: 2·√(D/a) = 2·√(0.14/1.4) = 0.63246 s = 79.06 cycles
TEST_F(UrMovesTest, AShortMovejHasNoConstantSpeed) {
  Joints goal = kHome;
  goal[2] -= 0.14;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            80);
}

TEST_F(UrMovesTest, MovejsTimeTakesThePlaceOfSpeedAndAcceleration) {
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
TEST_F(UrMovesTest, MovejIsATrapezoid) {
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
TEST_F(UrMovesTest, MovelGoesStraightInTheTimeOfItsTrapezoid) {
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

TEST_F(UrMovesTest, MovelTurnsAboutOneAxis) {
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

TEST_F(UrMovesTest, MovesRefuseWhatMakesNoSenseInWords) {
  const Pose goal = kinematics_.tool(kHome);
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
TEST_F(UrMovesTest, SpeedlMovesTheToolStraight) {
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

// a move that takes over waits for rest: 0.8 rad/s at 4 rad/s² are 25 cycles; 2·√(D/a) from there
TEST_F(UrMovesTest, AMoveThatTakesOverComesToRestFirst) {
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

// half as fast in time: the ramp of the rate takes 0.25 s and loses 0.0625 s; 0.63246 s need
// 0.25 s · 0.75 (of the ramp) + (0.63246 − 0.1875)/0.5 = 1.13992 s = 142.5 cycles
TEST_F(UrMovesTest, TheSpeedSliderSlowsTheTimeOfMoves) {
  motion_.set_rate(0.5);
  Joints goal = kHome;
  goal[2] -= 0.14;
  EXPECT_EQ(finish(motion_.move_joints(goal, {.speed = 1.05, .acceleration = 1.4, .time_s = 0.0})),
            143);
  EXPECT_EQ(q(), goal);
}

TEST_F(UrMovesTest, APausedMoveRestsOnItsPathAndGoesOn) {
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

}  // namespace
}  // namespace longarm::robots
