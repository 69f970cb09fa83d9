// SPDX-License-Identifier: Apache-2.0
// Tests circles, blends and servoc, cycle by cycle, against closed forms; no engine.
#include <cmath>
#include <functional>
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

constexpr UrPace kPace{.speed = 0.25, .acceleration = 1.2, .time_s = 0.0};
constexpr UrPace kJointPace{.speed = 1.05, .acceleration = 1.4, .time_s = 0.0};

class UrBlendsTest : public UrMotionBench {
 protected:
  Pose start() const { return kinematics_.tool(kHome); }
  Pose moved(const Vector3& way) const {
    Pose X = start();
    X.translation() += way;
    return X;
  }
  Vector3 place() const { return kinematics_.tool(q()).translation(); }
  /// Cycles until nothing moves; `look` is called after each.
  int rest(const std::function<void()>& look) {
    int cycles = 0;
    do {
      advance(1);
      look();
      ++cycles;
    } while (!motion_.is_at_rest() && cycles < 3000);
    return cycles;
  }
  /// No joint and no tool jumps: between two cycles neither velocity changes by more than its
  /// acceleration allows.
  void expect_smooth(double acceleration, double joint_acceleration) {
    const Vector6 before = kinematics_.tool_velocity(motion_.previous().q, motion_.previous().qd);
    const Vector6 now = kinematics_.tool_velocity(q(), qd());
    EXPECT_LE(std::hypot(now[0] - before[0], now[1] - before[1], now[2] - before[2]),
              acceleration * kCycle_s * 1.001);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(std::abs(qd()[j] - motion_.previous().qd[j]), joint_acceleration * kCycle_s);
      // and the way is that of the velocities, but for a ramp that begins within the cycle
      EXPECT_NEAR(q()[j] - motion_.previous().q[j],
                  0.5 * kCycle_s * (qd()[j] + motion_.previous().qd[j]), 5e-3 * kCycle_s);
    }
  }
};

// a half circle of 0.1 m in the plane x, y: π·0.1 m at 0.25 m/s and 1.2 m/s² take
// v/a + D/v = 0.20833 + 1.25664 s = 183.1 cycles
TEST_F(UrBlendsTest, MovecStaysOnItsCircle) {
  const Vector3 centre = start().translation() + Vector3(0.1, 0.0, 0.0);
  const auto id =
      motion_.move_arc({.via = moved({0.1, 0.1, 0.0}), .to = moved({0.2, 0.0, 0.0})}, kPace);
  ASSERT_TRUE(id) << id.error().message;
  int cycles = 0;
  double worst = 0.0;
  bool has_passed_via = false;
  while (motion_.is_busy(*id)) {
    advance(1);
    ++cycles;
    for (const double share : {0.25, 0.5, 0.75, 1.0}) {
      const Pose X = kinematics_.tool(motion_.between(share));
      const Vector3 spoke = X.translation() - centre;
      worst = std::max({worst, std::abs(spoke.norm() - 0.1), std::abs(spoke.z())});
      has_passed_via = has_passed_via || spoke.y() > 0.0999;
    }
    expect_smooth(1.2 * std::numbers::sqrt2, 40.0);
  }
  EXPECT_LT(worst, 1e-7);  // 0.1 mm is asked for
  EXPECT_TRUE(has_passed_via);
  EXPECT_EQ(cycles, 184);
  EXPECT_LE((kinematics_.tool(q()).matrix() - moved({0.2, 0.0, 0.0}).matrix()).norm(), 1e-9);
}

// 270° with the tool turning along: in mode 1 it ends turned by as much
TEST_F(UrBlendsTest, MovecGoesTheLongWayIfThatIsWhereViaIsAndTurnsWithTheCircle) {
  const auto id = motion_.move_arc(
      {.via = moved({0.08, 0.0, 0.0}), .to = moved({0.04, -0.04, 0.0}), .turns_with_circle = true},
      {.speed = 0.1, .acceleration = 1.0, .time_s = 0.0});
  ASSERT_TRUE(id) << id.error().message;
  EXPECT_EQ(fault(), "");
  double highest = 0.0;
  while (motion_.is_busy(*id)) {
    advance(1);
    highest = std::max(highest, (place() - start().translation()).y());
  }
  EXPECT_EQ(fault(), "");
  EXPECT_NEAR(highest, 0.04, 1e-4);
  EXPECT_LE((place() - moved({0.04, -0.04, 0.0}).translation()).norm(), 1e-9);
  const Vector3 turned =
      rotation_vector(kinematics_.tool(q()).linear() * start().linear().transpose());
  EXPECT_NEAR(turned.norm(), pi / 2, 1e-9);  // −270° are 90°
}

// √(a·R) = √(1.2·0.005) = 0.0775 m/s is as fast as 1.2 m/s² can turn
TEST_F(UrBlendsTest, MovecIsNoFasterThanItsAccelerationCanTurn) {
  ASSERT_TRUE(motion_.move_arc({.via = moved({0.005, 0.005, 0.0}), .to = moved({0.01, 0.0, 0.0})},
                               {.speed = 1.0, .acceleration = 1.2, .time_s = 0.0}));
  double fastest = 0.0;
  rest([&] {
    const Vector6 v = kinematics_.tool_velocity(q(), qd());
    fastest = std::max(fastest, std::hypot(v[0], v[1], v[2]));
  });
  EXPECT_LE(fastest, std::sqrt(1.2 * 0.005) * 1.0001);
  EXPECT_GE(fastest, 0.07);
}

TEST_F(UrBlendsTest, MovecThroughPlacesOfALineIsALineOrRefused) {
  const auto id = motion_.move_arc({.via = moved({0.05, 0, 0}), .to = moved({0.1, 0, 0})}, kPace);
  ASSERT_TRUE(id);
  finish(id);
  EXPECT_LE((place() - moved({0.1, 0, 0}).translation()).norm(), 1e-9);
  const auto beyond =
      motion_.move_arc({.via = moved({0.3, 0, 0}), .to = moved({0.2, 0, 0})}, kPace);
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message, HasSubstr("on a line"));
  const auto same = motion_.move_arc({.via = moved({0.1, 0, 0}), .to = moved({0.2, 0, 0})}, kPace);
  ASSERT_FALSE(same);
  EXPECT_THAT(same.error().message, HasSubstr("two of them coincide"));
}

// Corner of 90° with r = 0.05 m at 0.2 m/s: a parabola from 0.05 m before it to 0.05 m behind it,
// 2r/v = 0.5 s long, whose middle is r·√2/4 = 17.68 mm from the corner.
TEST_F(UrBlendsTest, LinesAreBlendedByAParabolaWithinTheRadius) {
  const UrPace pace{.speed = 0.2, .acceleration = 1.2, .time_s = 0.0};
  const Vector3 corner = moved({0.15, 0, 0}).translation();
  const int first = finish(motion_.move_tool(moved({0.15, 0, 0}), pace, 0.05));
  // 0.1 m at full speed but for the ramp: 0.1/0.2 + 0.2/1.2/2 = 0.58333 s = 72.9 cycles, and it
  // returns in the cycle before it is there
  EXPECT_EQ(first, 72);
  ASSERT_TRUE(motion_.move_tool(moved({0.15, 0.15, 0}), pace));
  double nearest = 1.0;
  double slowest = 1.0;
  rest([&] {
    const Vector3 off = place() - corner;
    nearest = std::min(nearest, off.norm());
    if (off.norm() > 0.0501) {
      // on one of the lines
      EXPECT_LE(std::min(std::abs(off.y()), std::abs(off.x())), 1e-8);
    } else {
      EXPECT_LE(off.x(), 1e-9);
      EXPECT_GE(off.y(), -1e-9);
      const Vector6 v = kinematics_.tool_velocity(q(), qd());
      slowest = std::min(slowest, std::hypot(v[0], v[1]));
    }
    expect_smooth(1.2, 40.0);
  });
  EXPECT_NEAR(nearest, 0.05 * std::numbers::sqrt2 / 4.0, 1e-5);
  // in the middle half of each velocity: 0.2·√2/2
  EXPECT_NEAR(slowest, 0.2 / std::numbers::sqrt2, 1e-4);
  EXPECT_LE((kinematics_.tool(q()).matrix() - moved({0.15, 0.15, 0}).matrix()).norm(), 1e-9);
  EXPECT_EQ(fault(), "");
}

// without blends the arm would rest five times: each stop costs v/a, and each blend nothing but
// the corner that it cuts
TEST_F(UrBlendsTest, ARectangleOfBlendsIsFasterThanOneOfStopsAndNeverStops) {
  const std::vector<Vector3> corners{
      {0.1, 0, 0}, {0.1, 0.1, 0}, {0.0, 0.1, 0}, {0.0, 0.0, 0}, {0.1, 0.0, 0}};
  const auto drive = [&](double radius_m) {
    int cycles = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const bool is_last = i + 1 == corners.size();
      const auto id = motion_.move_tool(moved(corners[i]), kPace, is_last ? 0.0 : radius_m);
      EXPECT_TRUE(id);
      while (motion_.is_busy(*id) && cycles < 3000) {
        advance(1);
        ++cycles;
        expect_smooth(1.2, 40.0);
        // outside of the blends it is on the lines
        const Vector3 off = place() - start().translation();
        double from_corner = 1.0;
        for (const Vector3& corner : corners) {
          from_corner = std::min(from_corner, (off - corner).norm());
        }
        if (radius_m > 0.0 && cycles > 20 && !is_last) {
          const Vector6 v = kinematics_.tool_velocity(q(), qd());
          EXPECT_GT(std::hypot(v[0], v[1]), 0.1) << cycles;
        }
        if (from_corner > radius_m + 1e-6) {
          const double x = std::min(std::abs(off.x()), std::abs(off.x() - 0.1));
          const double y = std::min(std::abs(off.y()), std::abs(off.y() - 0.1));
          EXPECT_LE(std::min(x, y), 1e-8);
        }
      }
    }
    return cycles;
  };
  const int blended = drive(0.03);
  EXPECT_EQ(fault(), "");
  motion_.rest_at(kHome);
  const int stopped = drive(0.0);
  // five lines of 0.1 m at 0.25 m/s and 1.2 m/s²: 0.60833 s each
  EXPECT_EQ(stopped, 5 * 77);
  EXPECT_LT(blended, stopped - 50);
}

TEST_F(UrBlendsTest, WithoutASuccessorAMoveWithARadiusRestsAtItsGoal) {
  finish(motion_.move_tool(moved({0.15, 0, 0}), kPace, 0.04));
  EXPECT_FALSE(motion_.is_at_rest());
  rest([&] { expect_smooth(1.2, 40.0); });
  EXPECT_LE((place() - moved({0.15, 0, 0}).translation()).norm(), 1e-9);
}

// tool distance to the waypoint, not angles: the joints' corner is cut within r of it
TEST_F(UrBlendsTest, MovesOfJointsAreBlendedWithinTheRadiusOfTheTool) {
  Joints first = kHome;
  first[0] += 0.6;
  Joints second = first;
  second[1] += 0.3;
  second[2] -= 0.5;
  const Vector3 corner = kinematics_.tool(first).translation();
  finish(motion_.move_joints(first, kJointPace, 0.08));
  EXPECT_NEAR((place() - corner).norm(), 0.08, 0.01);
  ASSERT_TRUE(motion_.move_joints(second, kJointPace));
  double nearest = 1.0;
  rest([&] {
    const Vector3 off = place() - corner;
    nearest = std::min(nearest, off.norm());
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(std::abs(qd()[j] - motion_.previous().qd[j]), 1.4 * kCycle_s * 1.001);
    }
    // beyond the radius it is on one of the two lines of joints
    if (off.norm() > 0.081) {
      EXPECT_LE(std::min(std::abs(q()[0] - first[0]), std::abs(q()[1] - first[1])), 1e-9);
    }
  });
  EXPECT_GT(nearest, 0.01);
  EXPECT_EQ(q(), second);
  EXPECT_EQ(fault(), "");
}

TEST_F(UrBlendsTest, JointsLinesAndCirclesAreBlendedIntoEachOther) {
  Joints first = kHome;
  first[0] += 0.4;
  finish(motion_.move_joints(first, kJointPace, 0.03));
  const Pose corner = kinematics_.tool(first);
  const auto beside = [&](double x, double y, double z) {
    Pose X = corner;
    X.translation() += Vector3(x, y, z);
    return X;
  };
  double nearest = 1.0;
  const auto look = [&] {
    expect_smooth(3.0, 40.0);
    nearest = std::min(nearest, (place() - corner.translation()).norm());
  };
  for (const auto& id : {motion_.move_tool(beside(0.0, 0.1, 0.0), kPace, 0.03)}) {
    ASSERT_TRUE(id) << id.error().message;
    while (motion_.is_busy(*id)) {
      advance(1);
      look();
    }
  }
  const auto arc =
      motion_.move_arc({.via = beside(0.05, 0.15, 0.0), .to = beside(0.1, 0.1, 0.0)}, kPace, 0.02);
  ASSERT_TRUE(arc) << arc.error().message;
  while (motion_.is_busy(*arc)) {
    advance(1);
    look();
  }
  Joints last = kHome;
  last[5] += 0.5;
  ASSERT_TRUE(motion_.move_joints(last, kJointPace));
  rest(look);
  EXPECT_GT(nearest, 0.002);
  EXPECT_LT(nearest, 0.03);
  EXPECT_EQ(fault(), "");
  EXPECT_EQ(q(), last);
}

// the manual: this move is skipped, and there is a warning
TEST_F(UrBlendsTest, AMoveWhoseBlendsOverlapIsSkippedWithAWord) {
  finish(motion_.move_tool(moved({0.15, 0, 0}), kPace, 0.05));
  finish(motion_.move_tool(moved({0.15, 0.06, 0}), kPace, 0.05));
  EXPECT_THAT(motion_.take_remark().value_or(""), HasSubstr("Overlapping blends"));
  EXPECT_FALSE(motion_.take_remark());
  finish(motion_.move_tool(moved({0.15, 0.0, 0.1}), kPace, 0.0));
  EXPECT_LE((place() - moved({0.15, 0, 0.1}).translation()).norm(), 1e-9);
}

// a tool that only turns has no blend, but must not be skipped
TEST_F(UrBlendsTest, ATurnWithARadiusIsMadeAtItsPlace) {
  Pose turned = moved({0.15, 0, 0});
  turned.linear() = rotation(Vector3(0, 0, 0.3)) * turned.linear();
  finish(motion_.move_tool(moved({0.15, 0, 0}), kPace, 0.05));
  finish(motion_.move_tool(turned, kPace, 0.05));
  EXPECT_FALSE(motion_.take_remark());
  EXPECT_LE((kinematics_.tool(q()).matrix() - turned.matrix()).norm(), 1e-9);
}

// too short to blend and without a radius of its own it must not be skipped
TEST_F(UrBlendsTest, AShortLastMoveIsReachedFromTheCornerAtRest) {
  finish(motion_.move_tool(moved({0.15, 0, 0}), kPace, 0.05));
  finish(motion_.move_tool(moved({0.15, 0.02, 0}), kPace));
  EXPECT_FALSE(motion_.take_remark());
  EXPECT_LE((place() - moved({0.15, 0.02, 0}).translation()).norm(), 1e-9);
  EXPECT_TRUE(motion_.is_at_rest());
}

TEST_F(UrBlendsTest, APauseInABlendKeepsThePath) {
  const auto drive = [&](int pause_after) {
    motion_.rest_at(kHome);
    double nearest = 1.0;
    finish(motion_.move_tool(moved({0.15, 0, 0}), kPace, 0.05));
    EXPECT_TRUE(motion_.move_tool(moved({0.15, 0.15, 0}), kPace));
    for (int i = 0; i < 600; ++i) {
      motion_.set_paused(i > pause_after && i < pause_after + 200);
      advance(1);
      nearest = std::min(nearest, (place() - moved({0.15, 0, 0}).translation()).norm());
    }
    EXPECT_LE((place() - moved({0.15, 0.15, 0}).translation()).norm(), 1e-9);
    return nearest;
  };
  EXPECT_NEAR(drive(15), drive(10'000), 2e-5);
}

// a new goal every 80 ms, before the last is reached
TEST_F(UrBlendsTest, ServocBendsToItsNewGoalWithoutAStop) {
  ASSERT_TRUE(motion_.servo_tool(moved({0.2, 0, 0}), kPace, 0.0));
  advance(60);
  double slowest = 1.0;
  for (int i = 1; i <= 8; ++i) {
    const double angle = 0.2 * i;
    const auto id = motion_.servo_tool(
        moved({0.1 + 0.15 * std::cos(angle), 0.15 * std::sin(angle), 0}), kPace, 0.0);
    ASSERT_TRUE(id) << id.error().message;
    for (int k = 0; k < 10; ++k) {
      advance(1);
      expect_smooth(2.4, 40.0);
      const Vector6 v = kinematics_.tool_velocity(q(), qd());
      slowest = std::min(slowest, std::hypot(v[0], v[1]));
    }
  }
  EXPECT_GT(slowest, 0.1);
  const auto last = motion_.servo_tool(moved({0.1, 0.1, 0}), kPace, 0.0);
  EXPECT_GT(finish(last), 10);
  EXPECT_LE((place() - moved({0.1, 0.1, 0}).translation()).norm(), 1e-9);
  EXPECT_EQ(fault(), "");
}

TEST_F(UrBlendsTest, ALineThatLeavesTheReachBeginsThenFails) {
  ASSERT_TRUE(motion_.move_tool(moved({0.0, 0.0, 1.5}), kPace));
  advance(60);
  EXPECT_GT((place() - start().translation()).z(), 0.05);
  EXPECT_EQ(fault(), "");
  std::string why;
  for (int i = 0; i < 3000 && why.empty(); ++i) {
    advance(1);
    why = fault();
  }
  EXPECT_FALSE(why.empty());
  rest([] {});
  EXPECT_TRUE(motion_.is_at_rest());
}

}  // namespace
}  // namespace longarm::robots
