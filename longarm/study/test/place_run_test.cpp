// SPDX-License-Identifier: Apache-2.0
// Placements of a small system, from the scenario's file to the best one's.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "labs/labs.h"
#include "longarm/core/diagnostic.h"
#include "longarm/study/place/place.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// Loop calls Near a hundred times a second, which matters; Camera sends Screen a lot, which does
/// not. Sending or receiving over the network takes 100 us each, within a host 1 us each way.
constexpr const char* kSystem = R"(
engine: kinematic
length: 200ms
network:
  star: {hosts: 4}
  host_defaults: {stack_send: 100us, stack_receive: 100us, loopback: 1us}
placement: separate
actors:
  system: {kind: middleware, settle: 20ms, measure: Loop}
  Loop: {kind: component, period: 10ms, calls: {get: {to: Near, request_bytes: 100}}}
  Camera: {kind: component, period: 5ms, phase: 1ms, calls: {show: {to: Screen, request_bytes: 20000}}}
  Near: {kind: component, serves: {get: {reply_bytes: 100}}}
  Screen: {kind: component, serves: {show: {reply_bytes: 10}}}
)";

class PlaceRun : public ::testing::Test {
 protected:
  PlaceRun() {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_);
    write(kSystem);
    question_.scenario = (folder_ / "system.yaml").string();
    question_.hosts = 2;
    question_.words.is_balanced = true;
    question_.budget = 20;
    question_.threads = 1;
  }
  ~PlaceRun() override { fs::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(folder_ / "system.yaml") << text; }
  PlacementProfile profile() const {
    return profile_scenario(question_.scenario, question_.load, plugins_);
  }
  PlaceResult place_it() const { return place(question_, profile(), plugins_, {}); }
  std::string complaint() const {
    try {
      place_it();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  cell::Plugins plugins_ = labs::built_in_plugins();
  fs::path folder_;
  PlaceQuestion question_;
};

TEST_F(PlaceRun, TheProfileKnowsWhoTalksToWhom) {
  const components::CommunicationGraph graph = profile().graph;
  EXPECT_EQ(graph.components, (std::vector<std::string>{"Loop", "Camera", "Near", "Screen"}));
  ASSERT_EQ(graph.edges.size(), 2U);
  // in 180 ms from 20 ms on, cycles begin at 20, 30, … 190 ms: 18, and at 21, 26, … 196 ms: 36
  EXPECT_NEAR(graph.edges[0].calls_per_s, 18.0 / 0.18, 1e-9);
  EXPECT_NEAR(graph.edges[1].calls_per_s, 36.0 / 0.18, 1e-9);
}

TEST_F(PlaceRun, LooksThroughTheThreeBalancedPlacementsOfFourOnTwo) {
  const PlaceResult result = place_it();
  EXPECT_EQ(result.ended, "exhausted");
  EXPECT_EQ(result.history.size(), 3U);  // C(4,2) / 2
  // those who talk are together, by cut and by cycle time; a call takes 1 us each way
  EXPECT_EQ(result.winner().trial.placement, (Placement{0, 1, 0, 1}));
  EXPECT_EQ(result.best, 0U);
  EXPECT_NEAR(result.winner().metrics["cycle_time_mean_ms"].get<double>(), 0.002, 1e-9);
  EXPECT_EQ(result.gain(), 0.0);
  // otherwise four times 100 us, because nothing else takes time
  for (const PlaceFigures& each : result.history) {
    const Placement& at = each.trial.placement;
    EXPECT_NEAR(each.metrics["cycle_time_mean_ms"].get<double>(), at[0] == at[2] ? 0.002 : 0.4,
                1e-9);
  }
}

TEST_F(PlaceRun, TheSearchLeavesTheCutWhereTheCycleTimeWantsIt) {
  // both calls go to Near, and three do not fit on a host: the cut keeps the bytes together,
  // the search the loop. 0.4 ms → 0.002 ms.
  std::string text = kSystem;
  text.replace(text.find("{to: Screen"), 11, "{to: Near  ");
  text.replace(text.find("get: {reply_bytes: 100}"), 23, "get: {}, show: {}      ");
  write(text);
  const PlaceResult result = place_it();
  EXPECT_NEAR(result.start().metrics["cycle_time_mean_ms"].get<double>(), 0.4, 1e-9);
  EXPECT_NEAR(result.winner().metrics["cycle_time_mean_ms"].get<double>(), 0.002, 1e-9);
  EXPECT_NEAR(result.gain(), 0.995, 1e-9);
}

TEST_F(PlaceRun, TheBestAsAScenarioRepeatsItsNumbers) {
  const PlaceResult result = place_it();
  write(result.best_yaml);
  const PlacementProfile again = profile();
  EXPECT_EQ(again.metrics["cycle_time_mean_s"].get<double>(), *result.winner().trial.value);
  EXPECT_EQ(again.metrics["hosts_used"], 2);
}

TEST_F(PlaceRun, ResultsDoNotDependOnTheNumberOfThreads) {
  question_.words.is_balanced = false;
  question_.hosts = 3;  // 1 + 7 + 6 placements; the budget is for fewer
  question_.budget = 12;
  const std::string alone = to_json(place_it()).dump();
  question_.threads = 3;
  EXPECT_EQ(to_json(place_it()).dump(), alone);
}

TEST_F(PlaceRun, MinimisesAnyNumberOfTheMetrics) {
  question_.minimise = "bandwidth";
  const PlaceResult least = place_it();
  // what is left when those who talk are together: looking each other up, once
  EXPECT_EQ(least.winner().trial.placement, (Placement{0, 1, 0, 1}));
  // Camera's requests alone: 40 cycles of 20 kB in 200 ms are 32 Mbit/s
  for (const PlaceFigures& each : least.history) {
    const Placement& at = each.trial.placement;
    EXPECT_EQ(*each.trial.value > 32e6, at[1] != at[3]);
    EXPECT_GE(*each.trial.value, *least.winner().trial.value);
  }
  question_.minimise = "cycle_time_max_s";
  EXPECT_NEAR(*place_it().winner().trial.value, 2e-6, 1e-12);
}

TEST_F(PlaceRun, RefusesWhatMakesNoSense) {
  question_.hosts = 0;
  EXPECT_EQ(complaint(),
            "--hosts 0: error: at least one host is needed\n"
            "  hint: between 1 and 4");
  question_.hosts = 5;
  EXPECT_THAT(complaint(), HasSubstr("there are only 4 components to place"));
  question_.hosts = 2;
  question_.budget = 0;
  EXPECT_THAT(complaint(),
              HasSubstr("--budget 0: error: the METIS cut alone needs one simulation"));
  question_.budget = 5;
  question_.minimise = "cycle_time_meen_s";
  EXPECT_THAT(complaint(), HasSubstr("did you mean 'cycle_time_mean_s'?"));
  question_.minimise = "path-deviation";
  EXPECT_THAT(complaint(), HasSubstr("runs of this scenario do not measure path-deviation"));
  question_.minimise = "calls_per_s";
  EXPECT_THAT(complaint(), HasSubstr("'calls_per_s' cannot be minimised: more is better"));
  question_.minimise = "seed";
  EXPECT_THAT(complaint(),
              HasSubstr("'seed' cannot be minimised: it does not depend on the placement"));
  EXPECT_THAT(complaint(), Not(HasSubstr("simulated_s")));
  question_.minimise = "cycle-time";
  question_.load.overrides = {"actors.system.measure=Near"};
  EXPECT_THAT(complaint(), HasSubstr("'Near' has no cycles to measure"));
  question_.load.overrides = {};
  question_.words.pins = {"Lop=pc1"};
  EXPECT_THAT(complaint(), HasSubstr("unknown component 'Lop'\n  hint: did you mean 'Loop'?"));
  question_.words.pins = {};
  question_.scenario = "one-joint";
  EXPECT_THAT(complaint(), HasSubstr("'one-joint' has no components"));
  question_.scenario = "belt-bench";
  EXPECT_THAT(complaint(), HasSubstr("'belt-bench' has no components"));
}

TEST_F(PlaceRun, ARunThatHangsOrFailsHasFailures) {
  const nlohmann::ordered_json well{{"simulated_s", 10.0}, {"calls_per_s", 100.0}};
  EXPECT_EQ(failures_of(well, well), 0.0);
  EXPECT_EQ(failures_of({{"simulated_s", 10.0}, {"calls_per_s", 99.9}}, well), 0.0);
  EXPECT_EQ(failures_of({{"simulated_s", 10.0}, {"calls_per_s", 50.0}}, well), 500.0);
  EXPECT_EQ(failures_of({{"simulated_s", 10.0}, {"calls_per_s", 100.0}, {"failed_calls", 2}}, well),
            2.0);
}

TEST_F(PlaceRun, DoesNotBeginWhenItIsInterruptedAtOnce) {
  const auto yes = [] { return true; };
  EXPECT_TRUE(profile_scenario(question_.scenario, question_.load, plugins_, yes).is_interrupted);
  PlaceOptions options;
  options.is_interrupted = yes;
  EXPECT_TRUE(place(question_, profile(), plugins_, options).is_empty());
}

TEST_F(PlaceRun, KeepsWhatItHasWhenItIsInterrupted) {
  question_.words.is_balanced = false;
  question_.hosts = 3;
  bool is_interrupted = false;
  PlaceOptions options;
  options.is_interrupted = [&] { return is_interrupted; };
  options.progress = [&](const PlaceResult&) { is_interrupted = true; };
  const PlaceResult result = place(question_, profile(), plugins_, options);
  EXPECT_EQ(result.ended, "interrupted");
  EXPECT_EQ(result.history.size(), 1U);
  EXPECT_THAT(result.best_yaml, HasSubstr("Loop:"));
}

}  // namespace
}  // namespace longarm::study
