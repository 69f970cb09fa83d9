// SPDX-License-Identifier: Apache-2.0
// Arms that did not do what their driver meant: they must not look like the best ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/actors/test/ur_fixture.h"

namespace longarm::actors {
namespace {

using Json = nlohmann::ordered_json;
using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> warnings_of(const Json& results) {
  return results["warnings"].get<std::vector<std::string>>();
}

// the plan turns the first joint by half a radian, 0.8 m from its axis, and back
constexpr double kMuch_m = 0.1;

void expect_not_completed(const Json& whole) {
  const Json& results = whole["driver"];
  EXPECT_EQ(results["plan_completed"], false);
  EXPECT_EQ(results["stable"], "undecided");
  EXPECT_TRUE(results["overshoot_rad"].is_null());
  EXPECT_GT(number(results, "path_error_max_m"), kMuch_m);
  EXPECT_GT(number(results, "tracking_error_rms_m"),
            3.0 * number(run_driver(), "tracking_error_rms_m"));
  EXPECT_THAT(warnings_of(whole), Contains(HasSubstr("the plan was not completed: joint '")));
}

TEST(UrUnmoved, AGoodRunHasNothingToSay) {
  for (const char* method : {"speedj", "servoj", "ros_control"}) {
    const Json whole = run_ur(by_method(method));
    const Json& results = whole["driver"];
    EXPECT_EQ(results["plan_completed"], true) << method;
    EXPECT_TRUE(whole["warnings"].empty()) << whole["warnings"];
    EXPECT_LT(number(results, "path_error_max_m"), kMuch_m / 2);
    EXPECT_GE(number(results, "path_error_max_m"), number(results, "path_deviation_max_m"));
  }
}

// the handshake and the first packet take 6 s of the run
TEST(UrUnmoved, WithoutACommand) {
  for (const char* method : {"speedj", "ros_control"}) {
    const Json results = run_ur(by_method(method, {"network.links.wire.propagation=3s"}));
    EXPECT_EQ(results["driver"]["commands_received"], 0);
    EXPECT_LT(number(results["driver"], "path_deviation_max_m"), 1e-6);
    expect_not_completed(results);
  }
}

TEST(UrUnmoved, WithoutPower) {
  const Json results = run_ur({"actors.ur5.start=power_off"});
  expect_not_completed(results);
  EXPECT_THAT(
      warnings_of(results),
      Contains(HasSubstr("it is not powered on, or its brakes are engaged (actors.ur5.start: "
                         "power_off)")));
}

TEST(UrUnmoved, WithoutPowerForItsProgram) {
  const Json results = run_ur(by_method("servoj", {"actors.ur5.start=power_off"}));
  expect_not_completed(results);
  EXPECT_THAT(warnings_of(results), Contains(HasSubstr("it is not powered on")));
}

TEST(UrUnmoved, SinceItsProgramEnded) {
  const Json results =
      run_ur(by_method("servoj", {"actors.driver.servoj.receive_timeout=16ms",
                                  "network.links.wire.schedule=[500ms, 300ms down, 60s]",
                                  "network.links.wire.schedule_repeats=false"}));
  expect_not_completed(results);
  EXPECT_THAT(warnings_of(results),
              Contains(HasSubstr("the driver's program at robot 'ur5' ended at 0.5")));
  EXPECT_THAT(results["driver"]["verdict_reason"].get<std::string>(),
              HasSubstr("driver's program"));
}

TEST(UrUnmoved, SinceItStopped) {
  for (const char* stop : {"protective", "emergency"}) {
    const Json results = run_ur({fmt::format("actors.ur5.{}_stop_at=1500ms", stop)});
    expect_not_completed(results);
    EXPECT_THAT(warnings_of(results), Contains(HasSubstr(fmt::format("{} stop at 1.5", stop))));
  }
}

// standing still at a goal that is the start is no motion
TEST(UrUnmoved, ThoughThePlanEndsWhereItBegins) {
  const std::vector<std::string> round{
      "actors.driver.task.joints_rad=[[0.5, -1.5, 1.7, -1.6, -1.5, 0.3], [0, -1.5707963267948966, "
      "1.5707963267948966, -1.5707963267948966, -1.5707963267948966, 0]]"};
  EXPECT_EQ(run_driver(round)["plan_completed"], true);
  std::vector<std::string> dead = round;
  dead.emplace_back("actors.ur5.start=idle");
  const Json results = run_ur(dead);
  EXPECT_LT(number(results["driver"], "goal_error_rad"), 1e-6);
  expect_not_completed(results);
}

TEST(UrUnmoved, TheTerminalShowsWhatTheRobotItselfDid) {
  const cell::PreparedScenario prepared = load_ur(kUrDriven);
  const cell::Figures figures = prepared.cell().figures();
  EXPECT_EQ(figures.outcome, "driver.stable");
  std::vector<std::string> shown;  // beside the outcome
  for (std::size_t i = 0; i + 1 < figures.headline; ++i) {
    shown.push_back(figures.metrics[i].name);
  }
  EXPECT_THAT(shown, testing::ElementsAre("driver.path_error_max_m", "driver.plan_completed",
                                          "driver.robot_timeouts", "driver.first_timeout_s",
                                          "driver.protective_stops"));
}

}  // namespace
}  // namespace longarm::actors
