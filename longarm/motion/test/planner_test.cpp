// SPDX-License-Identifier: Apache-2.0
// Tests of planning in the plane, where a ball slides around walls and everything can be told by
// hand.
#include "longarm/motion/planner.h"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "longarm/motion/ik.h"
#include "longarm/motion/test/obstacle_cell.h"
#include "longarm/motion/test/ur5.h"

namespace longarm::motion {
namespace {

using test::at;
using test::obstacle;

/// A wall across the slide at x = 0, 0.2 m thick, with a doorway 0.6 m wide at y = 1.
model::Cell wall_with_door() {
  model::Cell cell;
  cell.placements.push_back(test::sliding_ball());
  cell.placements.push_back(obstacle("long wall", model::Box{{0.2, 3.0, 1.0}}, at(0.0, -0.8)));
  cell.placements.push_back(obstacle("short wall", model::Box{{0.2, 1.0, 1.0}}, at(0.0, 1.8)));
  return cell;
}

/// A planner's questions about a cell.
struct World {
  explicit World(const model::Cell& cell, double margin_m = 0.0, double resolution_m = 0.01)
      : tree(cell.placements.front().tree),
        checker(cell, 0, margin_m, physics::built_in_engines()),
        motion(tree, checker, resolution_m) {}

  Result<Polyline> plan(const std::vector<double>& start, const std::vector<double>& goal,
                        const PlannerOptions& options = {}) const {
    return plan_around(tree, motion, start, goal, options);
  }

  model::BodyTree tree;
  CellCollisionChecker checker;
  FreeMotion motion;
};

double length_of(const Polyline& line) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    sum += std::hypot(line[i + 1][0] - line[i][0], line[i + 1][1] - line[i][1]);
  }
  return sum;
}

TEST(Planner, GoesStraightWhereNothingIsInTheWay) {
  const World world(wall_with_door());
  const Result<Polyline> line = world.plan({-1.0, 0.0}, {-0.5, 1.0});
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(line.value(), (Polyline{{-1.0, 0.0}, {-0.5, 1.0}}));
}

// The ball's centre has to stay 0.1 m away from the door posts' corners at (±0.1, 0.7). The
// shortest way from (−1, 0) to (1, 0) touches the two circles of radius 0.1 around them: by
// symmetry twice a tangent, and between the circles along y = 0.8. From (−1, 0), the corner (−0.1,
// 0.7) is d = √(0.9² + 0.7²) = 1.14018 m away; the tangent has length √(d² − 0.1²) = 1.13578 m, and
// the arc from where it touches up to y = 0.8 turns by the slope of the tangent, atan2(0.7, 0.9) +
// asin(0.1/d) = 0.66104 + 0.08782 = 0.74886 rad, so 0.07489 m. In all 2·(1.13578 + 0.07489) + 0.2
// = 2.62134 m.
TEST(Planner, FindsTheDoorAndComesNearTheShortestWay) {
  const World world(wall_with_door());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PlannerOptions options;
    options.seed = seed;
    const Result<Polyline> line = world.plan({-1.0, 0.0}, {1.0, 0.0}, options);
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_EQ(line->front(), (std::vector<double>{-1.0, 0.0}));
    EXPECT_EQ(line->back(), (std::vector<double>{1.0, 0.0}));
    EXPECT_GT(length_of(*line), 2.62134 - 0.01);  // looks are 1 cm apart
    EXPECT_LT(length_of(*line), 2.62134 * 1.05) << "seed " << seed;
  }
}

TEST(Planner, OtherSeedsFindOtherWays) {
  const World world(wall_with_door());
  PlannerOptions one;
  PlannerOptions two;
  two.seed = 2;
  EXPECT_NE(world.plan({-1.0, 0.0}, {1.0, 0.0}, one).value(),
            world.plan({-1.0, 0.0}, {1.0, 0.0}, two).value());
}

TEST(Planner, SaysWhichBodiesBlockTheStart) {
  const World world(wall_with_door());
  const Result<Polyline> line = world.plan({-0.15, 0.0}, {1.0, 0.0});
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().message, "the start is in collision: 'ball' and 'long wall' overlap");
}

TEST(Planner, SaysWhichBodiesBlockTheGoalAndHowNearTheyAre) {
  const World world(wall_with_door(), 0.05);
  const Result<Polyline> line = world.plan({-1.0, 0.0}, {0.22, 1.8});
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().message,
            "the goal is in collision: 'ball' and 'short wall' are closer than 0.05 m");
}

// With the margin the door is 0.6 − 2·0.21 = 0.18 m wide, less than the ball.
TEST(Planner, GivesUpAfterSoManyIterations) {
  const World world(wall_with_door(), 0.21);
  PlannerOptions options;
  options.max_iterations = 250;
  const Result<Polyline> line = world.plan({-1.0, 0.0}, {1.0, 0.0}, options);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().message, "no path found in 250 iterations");
}

/// Counts how often it is asked.
class CountingChecker : public CollisionChecker {
 public:
  explicit CountingChecker(const CollisionChecker& checker) : checker_(checker) {}
  mutable int questions = 0;

 private:
  bool do_is_free(std::span<const double> q) const override {
    ++questions;
    return checker_.is_free(q);
  }
  std::optional<Collision> do_collision_at(std::span<const double> q) const override {
    ++questions;
    return checker_.collision_at(q);
  }
  const CollisionChecker& checker_;
};

// Each iteration extends one tree by at most one branch and the other towards it; ten times the
// iterations take more questions, and none of them as many as a planner without a bound would ask.
TEST(Planner, AsksNoMoreThanItsIterationsNeed) {
  const World world(wall_with_door(), 0.21);
  int before = 0;
  for (const int iterations : {1, 10, 100}) {
    const CountingChecker counting(world.checker);
    const FreeMotion motion(world.tree, counting, 0.01);
    PlannerOptions options;
    options.max_iterations = iterations;
    const std::vector<double> start{-1.0, 0.0};
    const std::vector<double> goal{1.0, 0.0};
    ASSERT_FALSE(plan_around(world.tree, motion, start, goal, options));
    EXPECT_GT(counting.questions, before);
    // a branch of at most 0.5 m sweeps √2·0.5 m: 71 looks at 1 cm; both trees together cover less
    // than 4 m of straight lines per iteration, the size of the slide; and the first straight try
    EXPECT_LT(counting.questions, 1000 * iterations + 400);
    before = counting.questions;
  }
}

/// From left of the post into the shelf.
class Ur5Planning : public testing::Test {
 protected:
  Result<Polyline> plan() const {
    // coarse, because a hundred times is often
    const World world(test::ur5_cell(), 0.0125, 0.02);
    return world.plan(left_, right_);
  }

  void SetUp() override {
    const model::BodyTree tree = test::ur5_tree();
    InverseKinematics ik(tree, *tree.find_frame("tool0"), {.max_restarts = 20});
    left_ = ik.solve(test::tool_down(0.45, 0.40, 0.15), test::ur5_home()).value().positions;
    right_ = ik.solve(test::tool_down(0.55, -0.45, 0.15), left_).value().positions;
  }

  std::vector<double> left_;
  std::vector<double> right_;
};

TEST_F(Ur5Planning, IsTheSameAHundredTimes) {
  const Result<Polyline> first = plan();
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_GT(first->size(), 2U);
  for (int i = 1; i < 100; ++i) {
    ASSERT_EQ(plan().value(), first.value()) << "time " << i;
  }
}

TEST_F(Ur5Planning, IsTheSameInEightThreadsAtOnce) {
  const Result<Polyline> first = plan();
  ASSERT_TRUE(first) << first.error().message;
  std::vector<Polyline> found(8);
  {
    std::vector<std::jthread> threads;
    for (Polyline& each : found) {
      threads.emplace_back([this, &each] { each = plan().value(); });
    }
  }
  for (const Polyline& each : found) {
    EXPECT_EQ(each, first.value());
  }
}

}  // namespace
}  // namespace longarm::motion
