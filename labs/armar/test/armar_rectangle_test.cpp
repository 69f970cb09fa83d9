// SPDX-License-Identifier: Apache-2.0
// The ready scenario armar-rectangle, cut short: its arm moves, its loop has two and four calls,
// and its load is the one it was written for.
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "labs/test/scenario_fixture.h"

namespace longarm::armar {
namespace {

using labs::load_text;
using labs::run_to_end;

using Json = nlohmann::ordered_json;

Json run_armar(std::vector<std::string> changes) {
  return run_to_end(cell::load_scenario("armar-rectangle", {.overrides = std::move(changes)},
                                        labs::built_in_plugins()));
}

const std::vector<std::string> kShort{
    "length=1s", "actors.RectangleStatechart.states.Waiting.transitions.start.after=500ms"};

TEST(ArmarRectangle, HasCyclesOfTwoAndOfFourCallsAndTheLoadItWasWrittenFor) {
  const Json results = run_armar(kShort)["armarx"];
  EXPECT_GT(results["components"].get<int>(), 50);
  EXPECT_EQ(results["failed_calls"], 0);
  EXPECT_EQ(results["cycles_by_calls"].size(), 2U);
  const double idle_s = results["cycles_by_calls"]["2"]["mean_s"].get<double>();
  const double active_s = results["cycles_by_calls"]["4"]["mean_s"].get<double>();
  EXPECT_GT(active_s, idle_s);
  // Krauß et al. 2018: 550 000 events per second, 69 of them for a call
  EXPECT_NEAR(results["calls_per_s"].get<double>(), 8000.0, 800.0);
}

TEST(ArmarRectangle, IsFasterOnOneHost) {
  std::vector<std::string> together = kShort;
  together.push_back("placement=together");
  const Json near = run_armar(together)["armarx"];
  EXPECT_LT(near["cycle_time_mean_s"].get<double>(),
            0.7 * run_armar(kShort)["armarx"]["cycle_time_mean_s"].get<double>());
  EXPECT_EQ(near["bandwidth_bit_s"], 0.0);
}

// the hand starts 70 mm from the first corner and moves at 0.1 m/s
TEST(ArmarRectangle, BringsTheHandToThePathAndKeepsItThere) {
  std::vector<std::string> moving{
      "length=3s", "placement=together",
      "actors.RectangleStatechart.states.Waiting.transitions.start.after=0s"};
  const Json results = run_armar(moving)["arm"];
  ASSERT_TRUE(results["path_deviation_max_m"].is_number());
  EXPECT_LT(results["path_deviation_max_m"].get<double>(), 6e-3);
}

TEST(ArmarRectangle, RepeatsItselfBitByBit) {
  const Json first = run_armar(kShort);
  const Json second = run_armar(kShort);
  EXPECT_EQ(first["traffic_hash"], second["traffic_hash"]);
  EXPECT_EQ(first["state_hash"], second["state_hash"]);
}

}  // namespace
}  // namespace longarm::armar
