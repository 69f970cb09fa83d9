// SPDX-License-Identifier: Apache-2.0
// Plans around obstacles through whole scenarios: which runs share one, and whether the arm touches
// anything on the way.
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/core/hash.h"

namespace longarm::actors {
namespace {

using testing::HasSubstr;

/// Every time and number of the plan.
std::string plan_hash(const PreparedScenario& prepared) {
  Hash hash;
  for (const motion::TrajectoryPoint& point : arm_of(prepared).plan().trajectory.points()) {
    hash.add(static_cast<std::uint64_t>(point.time.count()));
    hash.add(std::span<const double>(point.positions));
    hash.add(std::span<const double>(point.velocities));
    hash.add(std::span<const double>(point.accelerations));
  }
  EXPECT_GT(arm_of(prepared).plan().trajectory.points().size(), 10U);
  return hash.text();
}

/// Looking every 2 cm instead of 5 mm, which is quicker; half of that adds to the clearance.
std::string plan_hash(const Changes& changes) {
  return plan_hash(prepare(
      "ur5-obstacles",
      Changes{"task.planner.resolution_m=0.02", "task.planner.clearance_m=0.01"} + changes));
}

// What runs are compared by: seeds, links, clocks, engines, gains.
const std::vector<Changes> kVariants{{"seed=3", "link.netem=delay 5ms 1ms loss 1%"},
                                     {"link.preset=wan", "cut=trajectory"},
                                     {"control.jitter=300us", "control.clock_offset=5ms"},
                                     {"engine=ode"},
                                     {"gain=3"}};

TEST(Plans, AreTheSameForAllRunsThatAreCompared) {
  const std::string plan = plan_hash(Changes{});
  for (const Changes& variant : kVariants) {
    EXPECT_EQ(plan_hash(variant), plan) << variant.front();
  }
  EXPECT_NE(plan_hash(Changes{"task.planner.seed=2"}), plan);
}

TEST(Plans, AreMadeAfreshForEachRunIfAskedTo) {
  std::set<std::string> plans{plan_hash(Changes{})};
  for (const Changes& variant : kVariants) {
    plans.insert(plan_hash(variant + Changes{"task.replan=per-run"}));
  }
  EXPECT_EQ(plans.size(), 1 + kVariants.size());
  // but a run that is repeated has its own plan again
  const Changes again{"task.replan=per-run", "seed=7"};
  EXPECT_EQ(plan_hash(again), plan_hash(again));
}

/// The largest distance of any joint from the plan.
double largest_lag(const PreparedScenario& prepared) {
  Simulation simulation(prepared, {});
  double largest = 0.0;
  std::vector<double> plan(6);
  simulation.set_observer([&](Time stamp) {
    arm_of(prepared).plan().trajectory.sample(stamp.time_since_epoch(), plan);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      largest = std::max(largest, std::abs(plan[i] - simulation.loop().positions()[i]));
    }
  });
  EXPECT_TRUE(simulation.run_until(simulation.end()));
  return largest;
}

TEST(Plans, AroundObstaclesAreExecutedWithoutTouchingThem) {
  for (const char* engine : {"mujoco", "ode"}) {
    const PreparedScenario prepared =
        prepare("ur5-obstacles", {std::string("engine=") + engine, "link.delay=10ms"});
    const Json result = run_to_end(prepared);
    EXPECT_EQ(result["contact_steps"], 0) << engine << result["first_contact"];
    EXPECT_EQ(result["stable"], true) << engine;
    EXPECT_FALSE(result.contains("first_contact_s"));
    // it did move, with the lag of a loop that is fed no velocity: v / K, of at most π rad/s
    const double lag = largest_lag(prepared);
    EXPECT_GT(lag, 0.01) << engine;
    EXPECT_LT(lag, 3.2 / 5.0) << engine;
  }
}

TEST(Plans, ThatRunStraightIntoAnObstacleAreRefused) {
  try {
    prepare("ur5-obstacles", {"task.path=joint"});
    FAIL() << "the way is free";
  } catch (const InputError& problem) {
    // the table is under it, the wall at its back: what is in the way is the post
    EXPECT_THAT(problem.what(), HasSubstr("ur5-obstacles.yaml:17:3: error: the task cannot be "
                                          "planned: "));
    EXPECT_THAT(problem.what(), HasSubstr("'forearm_link' and 'post' overlap"));
    EXPECT_THAT(problem.what(), HasSubstr("hint: move the waypoints, or change task.path"));
  }
}

TEST(Plans, ThatRunIntoAnObstacleRunIfNobodyLooksAndSayWhatTheyTouch) {
  for (const char* engine : {"mujoco", "ode"}) {
    const Json result =
        run_to_end(prepare("ur5-obstacles", {std::string("engine=") + engine, "task.path=joint",
                                             "task.check_collisions=false"}));
    EXPECT_GT(result["contact_steps"], 0) << engine;
    EXPECT_GT(result["first_contact_s"], 0.0) << engine;
    EXPECT_THAT(result["first_contact"].get<std::string>(), HasSubstr("forearm_link and post"))
        << engine;
  }
}

TEST(Plans, OfAnEmptyWorldAreNotRefused) {
  // the same straight way, but nothing is there
  const Json result =
      run_to_end(prepare("ur5-waypoints", {"task.path=joint",
                                           "task.poses_m_deg=[[0.45, 0.4, 0.15, 180, 0, -90], "
                                           "[0.55, -0.45, 0.15, 180, 0, -90]]"}));
  EXPECT_EQ(result["contact_steps"], 0);
}

}  // namespace
}  // namespace longarm::actors
