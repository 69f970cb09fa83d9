// SPDX-License-Identifier: Apache-2.0
// Drivers of UR arms across a network: how well they follow, what stops them, and that runs repeat.
#include <chrono>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "longarm/actors/test/ur_fixture.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

TEST(UrDriver, FollowsItsPlanBySpeedj) {
  const Json results = run_driver();
  EXPECT_LT(results["goal_error_rad"].get<double>(), 1e-3);
  EXPECT_EQ(results["plan_begun_s"], 1.0);
  EXPECT_EQ(results["packets_missed"], 0);
  EXPECT_EQ(results["robot_timeouts"], 0);
  EXPECT_EQ(results["protective_stops"], 0);
  EXPECT_EQ(results["commands_sent"], results["packets_received"]);
  EXPECT_EQ(results["stable"], true);
}

// One joint of gain K under speedj: the velocity ramps over the cycle, so that with n cycles of
// delay z^(n+1)·(z − 1) = −K·h·(z + 1)/2, whose border is K·h = 2·tan(π/(4·(n + 1))). K = 45 and
// h = 8 ms: 0.36 lies between n = 3 (0.398) and n = 4 (0.317). A packet and its answer take 24 ms
// (n = 3) or 32 ms (n = 4). Iterated, the swing changes by a factor e^−2.16 or e^2.25 per second.
// The steps are so small that the ramp of 40 rad/s² is never reached.
TEST(UrDriver, LosesItsLoopWhereTheClosedFormSays) {
  const auto run_with = [&](const std::string& latency, const std::string& step,
                            const std::string& hold) {
    return run_driver({"actors.driver.gain=45", "actors.driver.start=0s",
                       "actors.driver.speedj.acceleration_rad_s2=40",
                       "actors.driver.task.path=step", "actors.driver.task.hold=" + hold,
                       "actors.driver.task.joints_rad=[[" + step +
                           ", -1.5707963267948966, 1.5707963267948966, -1.5707963267948966, "
                           "-1.5707963267948966, 0]]",
                       "network.links.wire.propagation=" + latency});
  };
  const Json stable = run_with("12ms", "0.003", "3s");
  EXPECT_EQ(stable["stable"], true) << stable["verdict_reason"];
  EXPECT_NEAR(stable["growth_per_s"].get<double>(), -2.16, 0.1);
  // 3 s have too few windows for an interval that excludes zero
  const Json unstable = run_with("16ms", "0.0000002", "5s");
  EXPECT_EQ(unstable["stable"], false) << unstable["verdict_reason"];
  EXPECT_NEAR(unstable["growth_per_s"].get<double>(), 2.25, 0.1);
}

// the same controller without a UR controller in between; only the ramp of a cycle is missing
TEST(UrDriver, FollowsNearlyAsTheLoopWithoutAController) {
  const Json whole = run_ur(by_method("ros_control"));
  const Json& loop = whole["driver"];
  const Json driver = run_driver();
  EXPECT_EQ(loop["stable"], true);
  EXPECT_LT(loop["goal_error_rad"].get<double>(), 1e-3);
  const double lag = loop["cumulated_joint_difference_rad_s"].get<double>();
  EXPECT_NEAR(driver["cumulated_joint_difference_rad_s"].get<double>(), lag, 0.06 * lag);
  EXPECT_FALSE(whole.contains("ur5")) << "there is no controller";
}

// frames are what crosses, so that latency makes everything later and nothing worse
TEST(UrDriver, ServesPositionsToAProgramThatCallsBack) {
  const Json whole = run_ur(by_method("servoj"));
  const Json& near = whole["driver"];
  EXPECT_LT(near["goal_error_rad"].get<double>(), 2e-3);
  EXPECT_EQ(near["robot_timeouts"], 0);
  EXPECT_EQ(near["plan_begun_s"], 1.0);
  EXPECT_GT(near["commands_received"].get<int>(), 300);
  EXPECT_EQ(whole["ur5"]["runtime_exceptions"], 0);
  const Json far = run_driver(by_method("servoj", {"network.links.wire.propagation=40ms"}));
  EXPECT_EQ(far["command_delay_min_s"], 0.04);
  EXPECT_EQ(far["path_deviation_max_m"], near["path_deviation_max_m"]);
  EXPECT_GT(far["cumulated_joint_difference_rad_s"].get<double>(),
            near["cumulated_joint_difference_rad_s"].get<double>());
}

// the cable breaks at 2.001 s, in the middle of the motion, for half a second
constexpr const char* kBlackout = "network.links.wire.schedule=[2001ms, 500ms down, 60s]";

// the command of 2.000 s is the last; in the cycle that begins at 2.008 s there is none
TEST(UrDriver, IsStoppedByTheRobotsOwnTimeOut) {
  const Json results = run_driver({kBlackout, "network.links.wire.schedule_repeats=false"});
  EXPECT_EQ(results["first_timeout_s"], 2.008);
  EXPECT_EQ(results["driver_watchdog_trips"], 1);
  EXPECT_GT(results["retransmissions"].get<int>(), 0);
  // it catches up afterwards
  EXPECT_LT(results["goal_error_rad"].get<double>(), 1e-2);
}

TEST(UrDriver, RunsOnBlindlyWhereTheRobotHasNoTimeOut) {
  const Json stops = run_driver({kBlackout, "network.links.wire.schedule_repeats=false"});
  const Json runs = run_driver(
      {kBlackout, "network.links.wire.schedule_repeats=false", "actors.driver.speedj.time=0ms"});
  EXPECT_EQ(runs["speedj_timeouts"], 0);
  EXPECT_GT(runs["path_deviation_max_m"].get<double>(),
            2.0 * stops["path_deviation_max_m"].get<double>());
}

// 100 ms after the last frame the program gives up for good
TEST(UrDriver, LosesItsProgramWhenFramesStayAway) {
  const Json results =
      run_driver(by_method("servoj", {kBlackout, "network.links.wire.schedule_repeats=false",
                                      "actors.driver.servoj.receive_timeout=100ms"}));
  EXPECT_EQ(results["robot_timeouts"], 1);
  EXPECT_NEAR(results["first_timeout_s"].get<double>(), 2.1, 0.0161);
  EXPECT_GT(results["goal_error_rad"].get<double>(), 0.1);
}

TEST(UrDriver, RepeatsItselfBitForBit) {
  for (const char* method : {"speedj", "servoj", "ros_control"}) {
    const std::vector<std::string> changes =
        by_method(method, {"network.links.wire.netem=delay 5ms 2ms loss 2%"});
    Json beside;
    std::thread other([&] { beside = run_ur(changes); });
    const Json results = run_ur(changes);
    other.join();
    EXPECT_EQ(results["state_hash"], beside["state_hash"]) << method;
    EXPECT_EQ(results, beside) << method;
    std::vector<std::string> reseeded = changes;
    reseeded.emplace_back("seed=2");
    EXPECT_NE(run_ur(reseeded)["state_hash"], results["state_hash"]) << method;
  }
}

}  // namespace
}  // namespace longarm::actors
