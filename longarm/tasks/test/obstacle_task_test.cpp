// SPDX-License-Identifier: Apache-2.0
// Tests the UR5 among obstacles: plans checked by the Flexible Collision Library at 1 mm.
#include <chrono>
#include <cmath>
#include <regex>
#include <thread>

#include <gtest/gtest.h>

#include "longarm/motion/kinematics.h"
#include "longarm/motion/test/obstacle_cell.h"
#include "longarm/motion/test/ur5.h"
#include "longarm/tasks/task.h"
#include "longarm/tasks/test/fcl_check.h"

namespace longarm::tasks {
namespace {

using namespace std::chrono_literals;

// No point of the UR5 is further than this from any of its joints: 0.425 + 0.392 m of arm, the
// wrist offsets 0.109, 0.095 and 0.082 m, and its thickness.
constexpr double kArmLength_m = 1.2;

class ObstacleTask : public testing::Test {
 protected:
  ObstacleTask() {
    config_.path = "rrt-connect";
    config_.poses_m_deg = {{0.45, 0.40, 0.15, 180, 0, -90}, {0.55, -0.45, 0.15, 180, 0, -90}};
    config_.acceleration_limit_rad_s2 = {1.2};
  }
  Result<Plan> plan(std::uint64_t run_number = 0) const {
    return plan_task(config_, {cell_, 0, tool_, motion::test::ur5_home(), engines_, run_number});
  }

  TaskConfig config_;
  model::Cell cell_ = motion::test::ur5_cell();
  physics::EngineRegistry engines_ = physics::built_in_engines();
  motion::Kinematics arm_{motion::test::ur5_tree()};
  int tool_ = arm_.frame("tool0");
};

bool is_same(const Plan& a, const Plan& b) {
  const auto& p = a.trajectory.points();
  const auto& q = b.trajectory.points();
  if (p.size() != q.size() || a.end != b.end || a.goal != b.goal) {
    return false;
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i].time != q[i].time || p[i].positions != q[i].positions ||
        p[i].velocities != q[i].velocities) {
      return false;
    }
  }
  return true;
}

TEST_F(ObstacleTask, IsFreeByFclAtOneMillimetreAndKeepsItsClearance) {
  for (const double clearance_m : {0.01, 0.03}) {
    // the shoulder turns 24 mm above the table, so that it cannot keep more from it
    if (clearance_m > 0.02) {
      std::erase_if(cell_.placements, [](const auto& each) { return each.name == "table"; });
    }
    config_.planner.clearance_m = clearance_m;
    const Result<Plan> planned = plan();
    ASSERT_TRUE(planned) << planned.error().message;
    const auto verdict = test::FclCheck(cell_).check(planned->trajectory, 0.001, kArmLength_m);
    EXPECT_GE(verdict.least_clearance_m, clearance_m - 0.001);
    EXPECT_FALSE(verdict.touches_itself);
    EXPECT_GT(verdict.samples, 5000);
  }
}

TEST_F(ObstacleTask, TheStraightWayInTheJointsCollidesByFcl) {
  config_.path = "joint";
  config_.check_collisions = false;
  const Result<Plan> planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  const auto verdict = test::FclCheck(cell_).check(planned->trajectory, 0.001, kArmLength_m);
  EXPECT_LE(verdict.least_clearance_m, 0.0);
}

TEST_F(ObstacleTask, ReachesItsWaypointsAndRestsThere) {
  const Result<Plan> planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  std::vector<double> q(6);
  std::vector<double> v(6);
  int rests = 0;
  double first_m = 1.0;
  for (const motion::TrajectoryPoint& point : planned->trajectory.points()) {
    const bool is_rest = std::all_of(point.velocities.begin(), point.velocities.end(),
                                     [](double x) { return x == 0.0; });
    rests += is_rest ? 1 : 0;
    const model::Vector3 p = arm_.position_of(tool_, point.positions);
    first_m = std::min(first_m, (p - model::Vector3(0.45, 0.40, 0.15)).norm());
  }
  const model::Vector3 end = arm_.position_of(tool_, planned->goal);
  EXPECT_LT(first_m, 1e-8);
  EXPECT_LT((end - model::Vector3(0.55, -0.45, 0.15)).norm(), 1e-8);
  // start, first waypoint, end: all corners in between were cut
  EXPECT_EQ(rests, 3);
}

TEST_F(ObstacleTask, KeepsTheLimitsOfTheJoints) {
  const Result<Plan> planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  std::vector<double> q(6);
  std::vector<double> v(6);
  std::vector<double> a(6);
  for (Duration t{0}; t < planned->hold_start; t += 1ms) {
    planned->trajectory.sample(t, q, v, a);
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_LE(std::abs(a[j]), 1.2 * (1.0 + 1e-9));
    }
  }
}

TEST_F(ObstacleTask, IsPlannedTheSameInEightThreadsAtOnce) {
  const Result<Plan> first = plan();
  ASSERT_TRUE(first) << first.error().message;
  std::vector<char> is_equal(8, 0);
  {
    std::vector<std::jthread> threads;
    for (char& each : is_equal) {
      threads.emplace_back([&] { each = is_same(*plan(), *first) ? 1 : 0; });
    }
  }
  EXPECT_EQ(is_equal, std::vector<char>(8, 1));
}

TEST_F(ObstacleTask, SharesItsPlanUnlessEveryRunIsToHaveItsOwn) {
  EXPECT_TRUE(is_same(*plan(1), *plan(2)));
  config_.replan = "per-run";
  EXPECT_FALSE(is_same(*plan(1), *plan(2)));
  EXPECT_TRUE(is_same(*plan(1), *plan(1)));
}

// The message's numbers are judged by FCL: free 20 ms before (the tool moves at less than 0.5 m/s,
// so that is two looks at 5 mm), in collision 1 ms after.
TEST_F(ObstacleTask, AStraightPathThatCollidesIsRefusedWithTimePlaceAndNames) {
  config_.path = "cartesian";
  config_.poses_m_deg = {{0.45, 0.40, 0.15, 180, 0, -90}, {0.45, -0.10, 0.15, 180, 0, -90}};
  const Result<Plan> planned = plan();
  ASSERT_FALSE(planned);
  std::smatch found;
  ASSERT_TRUE(std::regex_match(
      planned.error().message, found,
      std::regex("([0-9.]+) s after the start, with 'tool0' at "
                 "\\(0\\.450, (-?[0-9.]+), 0\\.150\\) m, 'wrist_[123]_link' and 'post' overlap")))
      << planned.error().message;

  config_.check_collisions = false;
  const Result<Plan> unchecked = plan();
  ASSERT_TRUE(unchecked) << unchecked.error().message;
  const Duration time{static_cast<std::int64_t>(std::stod(found[1]) * 1e9)};
  std::vector<double> q(6);
  unchecked->trajectory.sample(time, q);
  EXPECT_NEAR(arm_.position_of(tool_, q).y(), std::stod(found[2]), 0.001);
  test::FclCheck fcl(cell_);
  unchecked->trajectory.sample(time + Duration(1ms), q);
  EXPECT_LE(fcl.clearance_m(q), 0.0);
  unchecked->trajectory.sample(time - Duration(20ms), q);
  EXPECT_GT(fcl.clearance_m(q), 0.0);
}

TEST_F(ObstacleTask, AnythingGoesWhereNothingIsInTheWay) {
  config_.path = "cartesian";
  config_.poses_m_deg = {{0.45, 0.40, 0.15, 180, 0, -90}};
  EXPECT_TRUE(plan());
}

TEST_F(ObstacleTask, SaysWhichWaypointIsNotFree) {
  config_.poses_m_deg = {{0.5, -0.06, 0.3, 180, 0, -90}};
  const Result<Plan> planned = plan();
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().message,
            "from home to waypoint 1: the goal is in collision: 'wrist_1_link' and 'post' are "
            "closer than 0.0125 m");
}

TEST_F(ObstacleTask, SaysThatHomeIsNotFree) {
  cell_.placements.push_back(motion::test::obstacle(
      "lamp", model::Sphere{0.1}, model::Pose(Eigen::Translation3d(0.4869, 0.10915, 0.4))));
  const Result<Plan> planned = plan();
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().message,
            "from home to waypoint 1: the start is in collision: 'wrist_1_link' and 'lamp' are "
            "closer than 0.0125 m");
}

TEST_F(ObstacleTask, SaysAfterHowManyIterationsItGaveUp) {
  config_.planner.max_iterations = 3;
  const Result<Plan> planned = plan();
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().message,
            "from waypoint 1 to waypoint 2: no path found in 3 iterations");
}

}  // namespace
}  // namespace longarm::tasks
