// SPDX-License-Identifier: Apache-2.0
// Tests that the nearest distance is the true minimum, whatever the query before was.
#include "longarm/motion/nearest_distance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;

/// Distance to a polyline the slow way, by projecting on every segment.
double brute_force(const std::vector<Vector3>& points, const Vector3& p) {
  double best = (p - points.front()).norm();
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Vector3 d = points[i + 1] - points[i];
    const double t = d.squaredNorm() > 0.0 ? (p - points[i]).dot(d) / d.squaredNorm() : 0.0;
    best = std::min(best, (p - points[i] - std::min(1.0, std::max(0.0, t)) * d).norm());
  }
  return best;
}

/// A loop that comes close to itself many times.
std::vector<Vector3> knot(int count) {
  std::vector<Vector3> points;
  for (int i = 0; i < count; ++i) {
    const double x = 40.0 * i / count;
    points.emplace_back(0.4 * std::cos(x), 0.4 * std::sin(1.1 * x), 0.2 * std::sin(2.3 * x));
  }
  return points;
}

TEST(PlannedCurve, IsAsNearAsBruteForceSays) {
  const std::vector<Vector3> points = knot(3000);
  const PlannedCurve curve(points, 0.0);
  RandomStream random(3, "points");
  PlannedCurve::Cursor cursor;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 p(random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6),
                    random.uniform(-0.3, 0.3));
    const double expected = brute_force(points, p);
    ASSERT_NEAR(curve.distance(p, cursor), expected, 1e-14);
    ASSERT_NEAR(curve.distance(p), expected, 1e-14);
  }
}

TEST(PlannedCurve, FindsTheOtherBranchWhenItBecomesNearer) {
  // A hairpin, 0.1 m wide: a point that crosses the middle is nearer to the other leg.
  const PlannedCurve curve(std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {1, 0.1, 0}, {0, 0.1, 0}});
  PlannedCurve::Cursor cursor;
  EXPECT_NEAR(curve.distance({0.5, 0.04, 0}, cursor), 0.04, 1e-15);
  EXPECT_EQ(cursor.segment, 0U);
  EXPECT_NEAR(curve.distance({0.5, 0.07, 0}, cursor), 0.03, 1e-15);
  EXPECT_EQ(cursor.segment, 2U);
}

TEST(PlannedCurve, DoesNotDependOnTheCursor) {
  const PlannedCurve curve(knot(1000));
  const Vector3 p(0.1, 0.2, -0.05);
  const double expected = curve.distance(p);
  for (std::size_t start = 0; start < 1100; start += 7) {
    PlannedCurve::Cursor cursor{start};
    ASSERT_EQ(curve.distance(p, cursor), expected);
  }
}

TEST(PlannedCurve, DropsPointsOnlyWithinItsTolerance) {
  const std::vector<Vector3> points = knot(10'000);
  const PlannedCurve curve(points, 1e-4);
  EXPECT_LT(curve.points().size(), points.size() / 3);
  for (const Vector3& p : points) {
    ASSERT_LE(curve.distance(p), 1e-4 * (1.0 + 1e-9));
  }
}

/// Rounds of a figure of eight, 0.4 m wide, at points that are others in each round.
std::vector<Vector3> rounds(int count) {
  std::vector<Vector3> points;
  constexpr double kStep = 2.0 * std::numbers::pi / 1234.5678;
  for (int i = 0; i * kStep < 2.0 * std::numbers::pi * count; ++i) {
    const double t = i * kStep;
    const double x = 0.2 * std::cos(t) / (1.0 + std::sin(t) * std::sin(t));
    points.emplace_back(x, x * std::sin(t), 0.1 * x);
  }
  return points;
}

TEST(PlannedCurve, OfManyRoundsIsAsNearAsBruteForceSays) {
  // Leaving a segment out can only make the answer larger, by the tolerance at most; a
  // thousandth of it is for the shortest pieces.
  const PlannedCurve curve(rounds(10));
  RandomStream random(4, "points");
  PlannedCurve::Cursor cursor;
  for (int i = 0; i < 500; ++i) {
    const Vector3 p(random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2),
                    random.uniform(-0.05, 0.05));
    const double expected = brute_force(curve.points(), p);
    const double distance = curve.distance(p, cursor);
    ASSERT_GE(distance, expected - 1e-14);
    ASSERT_LE(distance, expected + 1e-6 * 1.001);
  }
}

/// Segments measured on the way along a figure of eight, 1 mm beside it, per question.
double measured_per_question(const PlannedCurve& curve) {
  PlannedCurve::Cursor cursor;
  std::size_t measured = 0;
  const std::vector<Vector3> way = rounds(1);
  for (const Vector3& point : way) {
    (void)curve.distance(point + Vector3(0.0, 0.0, 1e-3), cursor);
    measured += cursor.measured;
  }
  return static_cast<double>(measured) / static_cast<double>(way.size());
}

TEST(PlannedCurve, TakesNoLongerForMoreRounds) {
  const PlannedCurve few(rounds(10));
  const PlannedCurve many(rounds(200));
  EXPECT_GT(many.points().size(), 19 * few.points().size());
  EXPECT_LT(many.segment_count(), 2 * few.segment_count());
  EXPECT_LT(measured_per_question(many), 2.0 * measured_per_question(few));
}

TEST(PlannedCurve, LeavesOutOnlyWhatItGoesOverAgain) {
  // There and back, and then across: the way back is no news, the way across is, although both of
  // its ends are on the first segment or near it.
  const PlannedCurve curve(
      std::vector<Vector3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 1, 0}});
  EXPECT_EQ(curve.points().size(), 6U);
  // (1, 0) to (1, 1) is the newest segment when the way back over it is looked at, so that it is
  // there twice
  EXPECT_EQ(curve.segment_count(), 4U);
  EXPECT_NEAR(curve.distance({0.5, 0.5, 0.25}), 0.25, 1e-15);
}

TEST(PlannedCurve, KeepsEverythingWithoutATolerance) {
  const std::vector<Vector3> points{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(PlannedCurve(points, 0.0).segment_count(), 4U);
  EXPECT_EQ(PlannedCurve(points, 1e-6).segment_count(), 2U);
}

TEST(PlannedCurve, KeepsTheTipOfASharpCorner) {
  std::vector<Vector3> points;
  for (int i = -100; i <= 100; ++i) {
    points.emplace_back(1e-5 * std::abs(i), 0.0, 0.0);
  }
  EXPECT_LE(PlannedCurve(points).distance({0, 0, 0}), 1e-6);
}

TEST(PlannedCurve, OfOnePointIsThatPoint) {
  const PlannedCurve curve(std::vector<Vector3>{{1, 2, 3}});
  EXPECT_DOUBLE_EQ(curve.distance({1, 2, 5}), 2.0);
}

// A slide along x from 0 to 1 m; the last period is cut short at the trajectory's end, which must
// be there.
TEST(PlannedCurve, FollowsAFrameToTheEndOfATrajectory) {
  model::BodyTree tree;
  tree.bodies.resize(2);
  tree.joints.resize(1);
  tree.joints[0].type = model::JointType::kPrismatic;
  tree.joints[0].axis = Vector3::UnitX();
  tree.frames.push_back({.name = "tip", .body = 1});
  const Result<Trajectory> trajectory =
      Trajectory::make({{0ms, {0.0}, {}, {}}, {1050us, {1.0}, {}, {}}});
  ASSERT_TRUE(trajectory.has_value());
  const PlannedCurve curve = planned_curve(trajectory.value(), Kinematics(tree), 0);
  EXPECT_NEAR(curve.distance({1.0, 0.3, 0.0}), 0.3, 1e-15);
  EXPECT_NEAR(curve.distance({0.5, 0.3, 0.0}), 0.3, 1e-15);
  EXPECT_NEAR(curve.distance({1.4, 0.3, 0.0}), 0.5, 1e-15);
}

}  // namespace
}  // namespace longarm::motion
