// SPDX-License-Identifier: Apache-2.0
// The kind `kitting`: one gear from the request to its slot, through cameras, plan and CRCL.
#include <algorithm>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"

namespace longarm::kitting {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

Json run_kitting(std::vector<std::string> overrides) {
  cell::LoadOptions options;
  options.overrides = std::move(overrides);
  const cell::PreparedScenario prepared =
      cell::load_scenario("aprs-kitting", options, labs::built_in_plugins());
  cell::Run run(prepared);
  run.run_until(run.end());
  while (!run.is_over()) {
    run.run_until(run.end());
  }
  return run.results();
}

/// What the loader says against a scenario.
std::string kitting_refusal(std::vector<std::string> overrides) {
  cell::LoadOptions options;
  options.overrides = std::move(overrides);
  try {
    cell::load_scenario("aprs-kitting", options, labs::built_in_plugins());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::string> kOneGear{
    "actors.kitting.kits={m2l1: {count: 1, contents: [1 medium_gear]}}", "length=20s"};

TEST(KittingRun, PutsAGearIntoAKitAndEndsWhenTheJudgeIsContent) {
  const Json results = run_kitting(kOneGear);
  const Json& judge = results["judge"];
  const Json& kitting = results["kitting"];
  EXPECT_EQ(judge["kits_completed"], 1);
  EXPECT_EQ(judge["completion"], true);
  EXPECT_EQ(kitting["parts_placed"], 1);
  EXPECT_EQ(kitting["plan_length"], 2);  // a pick and a place
  EXPECT_EQ(results["world"]["arm_contacts"], 0);
  EXPECT_EQ(kitting["drops"], 0);
  EXPECT_EQ(kitting["undone"], Json::array());
  EXPECT_EQ(judge["kits"]["m2l1_kit_1"]["slot_1_medium"]["is_done"], true);
  EXPECT_EQ(judge["makespan_s"], judge["last_kit_s"]);
  EXPECT_DOUBLE_EQ(judge["kits_per_hour"].get<double>(),
                   3600.0 / kitting["worked_s"].get<double>());
  // the judge's second, and no more than the executor's last look besides
  EXPECT_LT(results["simulated_s"].get<double>(), judge["makespan_s"].get<double>() + 1.6);
  EXPECT_GE(results["simulated_s"].get<double>(), judge["makespan_s"].get<double>() + 1.0);
}

TEST(KittingRun, MakesAllItsKitsWithoutForces) {
  // ten gears from vessels, some of them on the belt, by both arms
  const Json results = run_kitting({"engine=kinematic"});
  EXPECT_EQ(results["judge"]["kits_completed"], 3);
  EXPECT_EQ(results["kitting"]["drops"], 0);
  EXPECT_EQ(results["kitting"]["failed_grasps"], 0);
  EXPECT_GT(results["belt"]["encoder_m"].get<double>(), 0.1) << "the belt had to bring something";
}

TEST(KittingRun, SaysWhatIsLeftUndoneWhenTheOnlyArmThatReachesBreaks) {
  std::vector<std::string> overrides = kOneGear;
  overrides.push_back("failures=[\"2s fanuc breaks\"]");
  overrides.push_back("actors.kitting.executor.blocked_kit_timeout=1s");
  const Json results = run_kitting(overrides);
  const Json& judge = results["judge"];
  const Json& kitting = results["kitting"];
  EXPECT_EQ(judge["kits_completed"], 0);
  EXPECT_EQ(judge["completion"], false);
  ASSERT_FALSE(kitting["undone"].empty());
  EXPECT_THAT(kitting["undone"].dump(), HasSubstr("no working robot reaches"));
  EXPECT_THAT(kitting["causes"].dump(), HasSubstr("'fanuc' has broken down"));
  EXPECT_EQ(kitting["undone"].size(), 1U);
  EXPECT_TRUE(judge["makespan_s"].is_null());
  EXPECT_EQ(judge["kits_per_hour"], 0.0);
  // noticed by the next status: within a poll of 50 ms and a step or two
  const double noticed_s = kitting["time_to_notice_s"]["2s fanuc breaks"].get<double>();
  EXPECT_GT(noticed_s, 0.0);
  EXPECT_LT(noticed_s, 0.055);
}

TEST(KittingRun, SaysFirstThatItsCamerasSeeNothing) {
  std::vector<std::string> overrides = kOneGear;
  overrides.push_back("failures=[2s camera_1 blind, 2s camera_2 silent]");
  overrides.push_back("actors.kitting.executor.blocked_kit_timeout=0s");
  overrides.push_back("actors.kitting.executor.camera_timeout=1s");
  const Json results = run_kitting(overrides)["kitting"];
  ASSERT_EQ(results["causes"].size(), 2U) << results["causes"];
  EXPECT_THAT(results["causes"][0].get<std::string>(),
              HasSubstr("camera_1 has seen nothing since"));
  EXPECT_THAT(results["causes"][1].get<std::string>(), HasSubstr("camera_2 has been silent since"));
  EXPECT_THAT(results["undone"].dump(), HasSubstr("m2l1 on m2l1_kit_1: m2l1_kit_1 has not been"));
  EXPECT_EQ(results["setbacks"].dump().find("does not sit"), std::string::npos);
  EXPECT_EQ(results["time_to_notice_s"].size(), 2U);
  for (const auto& [failure, noticed_s] : results["time_to_notice_s"].items()) {
    EXPECT_FALSE(noticed_s.is_null()) << failure;
  }
}

TEST(KittingRun, SaysThatNothingEverCame) {
  std::vector<std::string> overrides = kOneGear;
  overrides.push_back("failures=[0s link executor down]");
  overrides.push_back("actors.kitting.executor.blocked_kit_timeout=0s");
  const Json results = run_kitting(overrides);
  EXPECT_EQ(results["kitting"]["causes"],
            (Json{"camera_1 has not sent any frames", "camera_2 has not sent any frames"}));
}

TEST(KittingRun, FramesThatComeLateAreWaitedForAndCalledLate) {
  std::vector<std::string> overrides = kOneGear;
  overrides.push_back("network.links.camera_1.propagation=2s");
  overrides.push_back("network.links.camera_2.propagation=2s");
  const Json results = run_kitting(overrides);
  EXPECT_EQ(results["judge"]["completion"], true);
  EXPECT_EQ(results["kitting"]["setbacks"], Json::array());
  EXPECT_THAT(results["warnings"].dump(),
              HasSubstr("camera_1 is late: its frames are 2.0 s old on arrival"));
}

TEST(KittingRun, WhatWasSaidBelongsToTheStateOfTheRun) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("aprs-kitting", {.overrides = {"length=1s"}}, labs::built_in_plugins());
  cell::Run run(prepared);
  run.run_until(run.end());
  const Json results = run.results();
  ASSERT_TRUE(results.contains("traffic_hash"));
  EXPECT_FALSE(results["traffic_hash"].get<std::string>().empty());
  EXPECT_NE(results["state_hash"], run.world_hash());
}

TEST(KittingRun, DropsStandInTheTableOfAStudy) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("aprs-kitting", {}, labs::built_in_plugins());
  const std::vector<cell::MetricInfo> metrics = prepared.cell().figures().metrics;
  const auto drops = std::ranges::find(metrics, std::string("kitting.drops"),
                                       [](const auto& each) { return each.name; });
  EXPECT_LT(drops - metrics.begin(), 4);
}

TEST(KittingRun, RefusesToHoldPartsByForceOfTheComputer) {
  EXPECT_THAT(kitting_refusal({"simplify.mode=kludge"}),
              HasSubstr("kits cannot be made with the mode 'kludge'"));
}

TEST(KittingRun, SaysWhichKeyIsWrong) {
  EXPECT_THAT(kitting_refusal({"actors.kitting.ontology=nowhere"}), HasSubstr("nowhere"));
  EXPECT_THAT(kitting_refusal({"actors.kitting.executor.talk.poll=0ms"}),
              HasSubstr("must be at least 1ms"));
  EXPECT_THAT(kitting_refusal({"failures=[\"20s fanuc sings\"]"}),
              HasSubstr("\"20s fanuc sings\": failure 'sings' does not apply to 'fanuc'"));
  EXPECT_THAT(kitting_refusal({"actors.kitting.executor.arms={fnuc: {closes_deg: 90}}"}),
              HasSubstr("the ontology has no robot 'fnuc'"));
}

}  // namespace
}  // namespace longarm::kitting
