// SPDX-License-Identifier: Apache-2.0
// Tests that timed paths are nearly as fast as limits allow, keep those limits, and stop only at
// corners.
#include "longarm/motion/time_parametrisation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;
using std::numbers::pi;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Trajectory timed(const JointPath& path, const MotionLimits& limits) {
  Result<Trajectory> made = time_parametrise(path, limits);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made ? std::move(made).value() : Trajectory();
}

JointPath joints(std::vector<std::vector<double>> waypoints) {
  Result<JointPath> path = straight_in_joints(waypoints);
  EXPECT_TRUE(path.has_value());
  return std::move(path).value();
}

/// Largest velocity and acceleration as fractions of the limits, looked for every 0.25 ms.
std::pair<double, double> peaks(const Trajectory& trajectory, const MotionLimits& limits) {
  const auto count = static_cast<std::size_t>(trajectory.joint_count());
  std::vector<double> q(count), v(count), a(count);
  Trajectory::Cursor cursor;
  std::pair<double, double> peak{0.0, 0.0};
  for (Duration t = 0ns; t <= trajectory.end(); t += 250us) {
    trajectory.sample(t, q, v, a, cursor);
    for (std::size_t j = 0; j < count; ++j) {
      peak.first = std::max(peak.first, std::abs(v[j]) / limits.velocity[j]);
      peak.second = std::max(peak.second, std::abs(a[j]) / limits.acceleration[j]);
    }
  }
  return peak;
}

// 2 rad at 1 rad/s and 4 rad/s²: ramps of 0.25 s with 1/8 rad each, the rest at full speed: 2.25 s.
// Smoothing adds 0.05 s, keeping the limits between points a little more.
TEST(TimeParametrisation, OfOneJointIsNearlyTheTrapezoid) {
  const Trajectory t = timed(joints({{0.0}, {2.0}}), {{1.0}, {4.0}});
  EXPECT_GE(to_seconds(t.end()), 2.25 + 0.05);
  EXPECT_LE(to_seconds(t.end()), (2.25 + 0.05) * 1.03);
}

// 0.5 rad at 2 rad/s² without a speed limit: 2·sqrt(0.5/2) = 1 s.
TEST(TimeParametrisation, OfOneJointWithoutSpeedLimitIsNearlyTheTriangle) {
  const Trajectory t = timed(joints({{0.0}, {0.5}}), {{kInfinity}, {2.0}});
  EXPECT_GE(to_seconds(t.end()), 1.0 + 0.05);
  EXPECT_LE(to_seconds(t.end()), (1.0 + 0.05) * 1.03);
}

// Of two joints that move together the slower one sets the time: joint 1 needs 2·sqrt(1/1) = 2 s
// alone, joint 0 less.
TEST(TimeParametrisation, WaitsForTheSlowestJoint) {
  const MotionLimits limits{{kInfinity, kInfinity}, {10.0, 1.0}};
  const Trajectory t = timed(joints({{0.0, 0.0}, {1.0, -1.0}}), limits);
  EXPECT_GE(to_seconds(t.end()), 2.0);
  EXPECT_LE(to_seconds(t.end()), 2.05 * 1.03);
}

JointPath circle(double radius, double turns) {
  JointPath path;
  for (int i = 0; i <= 2000; ++i) {
    const double angle = 2.0 * pi * turns * i / 2000;
    path.configurations.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  path.waypoints = {0, 2000};
  return path;
}

// Two joints on a circle of radius r: at each quarter one joint takes the whole centripetal
// acceleration, so the speed there is at most sqrt(a·r) = 1; a timing that knows of curvature comes
// close to it in the second quarter.
TEST(TimeParametrisation, SlowsDownForCurvature) {
  const MotionLimits limits{{kInfinity, kInfinity}, {2.0, 2.0}};
  const Trajectory t = timed(circle(0.5, 1.0), limits);
  const auto [velocity, acceleration] = peaks(t, limits);
  EXPECT_LE(acceleration, 1.0 + 1e-9);
  std::vector<double> q(2), v(2);
  double speed_at_half = 0.0;
  for (Duration now = 0ns; now <= t.end(); now += 1ms) {
    t.sample(now, q, v);
    if (q[0] < -0.4999) {
      speed_at_half = std::max(speed_at_half, std::hypot(v[0], v[1]));
    }
  }
  EXPECT_LE(speed_at_half, 1.0 + 1e-3);
  EXPECT_GE(speed_at_half, 0.95);
}

TEST(TimeParametrisation, KeepsLimitsBetweenItsPointsToo) {
  const MotionLimits limits{{1.0, 0.7}, {3.0, 5.0}};
  for (const JointPath& path : {circle(0.5, 1.3), circle(0.05, 3.0),
                                joints({{0.0, 0.0}, {0.7, 0.1}, {0.6, -0.9}, {0.0, 0.0}})}) {
    const auto [velocity, acceleration] = peaks(timed(path, limits), limits);
    EXPECT_LE(velocity, 1.0 + 1e-9);
    EXPECT_LE(acceleration, 1.0 + 1e-9);
    EXPECT_GE(std::max(velocity, acceleration), 0.95);
  }
}

// Curves far tighter than the steps the timing looks at, and joints that stand still at times.
TEST(TimeParametrisation, CopesWithVeryTightCurves) {
  const MotionLimits limits{{1.0, 0.7}, {3.0, 5.0}};
  for (const double radius : {1e-2, 1e-3, 1e-4, 1e-5}) {
    const auto [velocity, acceleration] = peaks(timed(circle(radius, 40.0), limits), limits);
    EXPECT_LE(velocity, 1.0 + 1e-9);
    EXPECT_LE(acceleration, 1.0 + 1e-9);
    EXPECT_GE(std::max(velocity, acceleration), 0.5);
  }
}

TEST(TimeParametrisation, RestsAtCornersExactlyAtTheWaypoint) {
  const std::vector<std::vector<double>> waypoints{{0.1, 0.0}, {0.7, 0.1}, {0.6, -0.9}};
  const Trajectory t = timed(joints(waypoints), {{1.0, 1.0}, {3.0, 3.0}});
  std::vector<std::vector<double>> rests;
  for (const TrajectoryPoint& point : t.points()) {
    if (point.velocities == std::vector<double>{0.0, 0.0}) {
      rests.push_back(point.positions);
    }
  }
  ASSERT_EQ(rests.size(), 3U);
  EXPECT_EQ(rests[0], waypoints[0]);
  EXPECT_LT(std::hypot(rests[1][0] - 0.7, rests[1][1] - 0.1), 1e-15);
  EXPECT_EQ(rests[2], waypoints[2]);
}

TEST(TimeParametrisation, RunsThroughAWaypointWithoutACorner) {
  const MotionLimits limits{{1.0, 1.0}, {2.0, 2.0}};
  const Trajectory with = timed(joints({{0.0, 0.0}, {0.4, 0.2}, {1.0, 0.5}}), limits);
  const Trajectory without = timed(joints({{0.0, 0.0}, {1.0, 0.5}}), limits);
  EXPECT_NEAR(to_seconds(with.end()), to_seconds(without.end()), 0.011);
}

TEST(TimeParametrisation, PutsItsPointsOnWholePeriods) {
  Result<Trajectory> t =
      time_parametrise(joints({{0.0}, {0.3}, {0.1}}), {{1.0}, {2.0}}, {.period = 4ms});
  ASSERT_TRUE(t.has_value());
  const auto& points = t.value().points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(points[i].time, static_cast<int>(i) * 4ms);
  }
}

TEST(TimeParametrisation, OfAPathWithoutLengthIsOnePoint) {
  const Trajectory t = timed(joints({{0.3}, {0.3}}), {{1.0}, {1.0}});
  EXPECT_EQ(t.points().size(), 1U);
  EXPECT_EQ(t.end(), 0ns);
}

TEST(TimeParametrisation, SaysWhatIsWrongWithTheLimits) {
  const JointPath path = joints({{0.0}, {1.0}});
  EXPECT_EQ(time_parametrise(path, {{1.0}, {}}).error().message,
            "limits for 1 velocities and 0 accelerations do not fit 1 joints");
  EXPECT_EQ(time_parametrise(path, {{1.0}, {kInfinity}}).error().message,
            "joint 0 needs a positive velocity limit and a finite acceleration limit");
  EXPECT_EQ(time_parametrise({}, {{1.0}, {1.0}}).error().message,
            "a path needs at least one configuration");
}

// 1 rad at 1e-12 rad/s² takes 2·sqrt(1/1e-12) = 2e6 s.
TEST(TimeParametrisation, RefusesAPlanThatWouldTakeForEver) {
  const std::vector<std::vector<double>> waypoints{{0.0}, {1.0}};
  const Result<JointPath> path = straight_in_joints(waypoints);
  ASSERT_TRUE(path.has_value());
  MotionLimits limits;
  limits.velocity = {1.0};
  limits.acceleration = {1e-12};
  EXPECT_EQ(time_parametrise(path.value(), limits).error().message,
            "it would take more than 10000 s; the velocity or acceleration limits are too low");
}

}  // namespace
}  // namespace longarm::motion
