// SPDX-License-Identifier: Apache-2.0
// Margins found by simulation against those that can be computed by hand, and a search that is
// neither fooled nor in a hurry.
#include "longarm/study/margin/margin.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/study/margin/margin_swing.h"

namespace longarm::study {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

MarginResult search(const std::string& scenario, const std::vector<std::string>& overrides,
                    const std::string& cut, Direction direction, const MarginConfig& config = {},
                    RunCache* cache = nullptr) {
  return find_margin({scenario, {overrides, {}, {}}, cut, direction}, config,
                     labs::built_in_plugins(), cache);
}

std::string problem_of(const std::string& scenario, const std::vector<std::string>& overrides,
                       const MarginConfig& config = {}) {
  try {
    search(scenario, overrides, "", Direction::kBoth, config);
  } catch (const InputError& problem) {
    return problem.what();
  }
  return "";
}

// --- one joint -----------------------------------------------------------------------------------

/// The largest n with K·h < 2 sin(π/(2(2n+1))), solved for n.
int largest_ticks(double gain, double h_s) {
  return static_cast<int>(std::floor(std::numbers::pi / (4.0 * std::asin(gain * h_s / 2.0)) - 0.5));
}

struct Rates {
  int control_ms = 1;
  int physics_ms = 1;
};

class OneJoint : public testing::TestWithParam<std::tuple<int, Rates, Direction>> {};

TEST_P(OneJoint, IsStableToWithinATickOfTheClosedForm) {
  const auto& [gain, rates, direction] = GetParam();
  const MarginResult result = search(
      "one-joint",
      {"gain=" + std::to_string(gain), "control.period=" + std::to_string(rates.control_ms) + "ms",
       "physics.period=" + std::to_string(rates.physics_ms) + "ms"},
      "", direction);
  // In whole ticks of loop delay; both ways have half of them each.
  const double h_s = rates.control_ms * 1e-3;
  const double ways = direction == Direction::kBoth ? 2.0 : 1.0;
  const double expected_s = std::floor(largest_ticks(gain, h_s) / ways) * h_s;
  ASSERT_TRUE(result.critical && result.unstable);
  EXPECT_NEAR(to_seconds(*result.critical), expected_s, 1e-9);
  EXPECT_NEAR(to_seconds(*result.unstable), expected_s + h_s, 1e-9);
  EXPECT_EQ(result.difference_ticks(), 0.0);
  EXPECT_EQ(result.beyond->first_joint(), "joint");

  // the swing one tick too far is the characteristic equation's, in period and in growth
  ASSERT_TRUE(result.predicted_swing && result.beyond->period_s && result.beyond->growth_per_s);
  EXPECT_NEAR(*result.beyond->period_s, result.predicted_swing->period_s,
              0.01 * result.predicted_swing->period_s);
  EXPECT_NEAR(*result.beyond->growth_per_s, result.predicted_swing->growth_per_s,
              0.02 * result.predicted_swing->growth_per_s +
                  2.0 * *result.beyond->growth_standard_error_per_s);
}

INSTANTIATE_TEST_SUITE_P(
    Margin, OneJoint,
    testing::Combine(testing::Values(5, 10, 40, 100),
                     testing::Values(Rates{1, 1}, Rates{4, 1}, Rates{4, 4}),
                     testing::Values(Direction::kStates, Direction::kCommands, Direction::kBoth)),
    [](const auto& test) {
      const Rates rates = std::get<1>(test.param);
      return "gain" + std::to_string(std::get<0>(test.param)) + "_control" +
             std::to_string(rates.control_ms) + "ms_physics" + std::to_string(rates.physics_ms) +
             "ms_" + direction_names()[static_cast<std::size_t>(std::get<2>(test.param))];
    });

TEST(Margin, OfOneJointIsWhatOneComputesByHand) {
  // π/(4 asin(Kh/2)) − 1/2 at 1 kHz: 313.66, 156.58, 38.76, 15.20
  EXPECT_EQ(largest_ticks(5.0, 1e-3), 313);
  EXPECT_EQ(largest_ticks(10.0, 1e-3), 156);
  EXPECT_EQ(largest_ticks(40.0, 1e-3), 38);
  EXPECT_EQ(largest_ticks(100.0, 1e-3), 15);
}

TEST(Margin, IsFoundBetweenControlTicksIfAsked) {
  // h = 4 ms, K = 100: at 13 ms n = 3, f = 0.25, at 14 ms f = 0.5. With f = 1/2 the equation
  // halves evenly: (n + 1/2 + 1/2)θ = π/2, Kh = 2 tan(θ/2) = 2 tan(π/16) = 0.3978 < 0.4: unstable.
  MarginConfig config;
  config.resolution = 1ms;
  const MarginResult result =
      search("one-joint", {"gain=100", "control.period=4ms"}, "", Direction::kCommands, config);
  EXPECT_EQ(result.critical, Duration(13ms));
  EXPECT_EQ(result.unstable, Duration(14ms));
  EXPECT_EQ(result.prediction.at_goal.critical, Duration(13ms));
}

TEST(Margin, OfADeadbeatServoIsNoTickAtAll) {
  // λ·h = 1, and with one tick of delay the limit is exactly 1
  const MarginResult result =
      search("one-joint", {"gain=10", "servo=ideal"}, "effort", Direction::kCommands);
  EXPECT_EQ(result.critical, Duration(0ms));
  EXPECT_EQ(result.prediction.at_goal.critical, Duration(0ms));
}

TEST(Margin, IsNoneWhereTheLoopNeedsNoLatencyToFail) {
  // K·h = 3 > 2
  const MarginResult result = search("one-joint", {"gain=3000"}, "", Direction::kBoth);
  EXPECT_EQ(result.critical, std::nullopt);
  EXPECT_EQ(result.unstable, Duration(0ms));
  const Json json = to_json(result);
  EXPECT_TRUE(json.at("critical_s").is_null());
  // period and growth would be no margin's
  EXPECT_TRUE(json.at("closed_form_period_s").is_null());
  EXPECT_TRUE(json.at("closed_form_growth_per_s").is_null());
}

// A servo too quick for its sampling: closed form, simulation and remarks say the same.
TEST(Margin, OfAnArmThatIsUnstableWithoutLatencySaysOneThing) {
  MarginQuestion question{"ur5-waypoints", {}, "effort", Direction::kBoth};
  question.load.overrides = {"servo.p=[1500]"};
  question.load.allow = {"servo-step"};
  MarginConfig config;
  config.up_to = 4ms;
  config.hold_limit = 2s;
  const MarginResult result = find_margin(question, config, labs::built_in_plugins());
  EXPECT_EQ(result.unstable, Duration(0ms));
  EXPECT_EQ(result.prediction.at_goal.critical, std::nullopt);
  EXPECT_EQ(result.prediction.at_goal.joint, result.beyond->first_joint());
  EXPECT_THAT(remarks_on({result}), testing::ElementsAre("cut effort, both: unstable without any "
                                                         "latency"));
}

// --- the search ----------------------------------------------------------------------------------

TEST(Margin, DoesNotDependOnTheNumberOfThreads) {
  MarginConfig one;
  one.threads = 1;
  MarginConfig five;
  five.threads = 5;
  const MarginResult a = search("one-joint", {"gain=40"}, "", Direction::kBoth, one);
  const MarginResult b = search("one-joint", {"gain=40"}, "", Direction::kBoth, five);
  EXPECT_EQ(to_json(a).dump(), to_json(b).dump());
}

/// Keeps everything, and counts.
class Memory final : public RunCache {
 public:
  std::optional<Json> find(const std::string& identity) override {
    const auto found = known_.find(identity);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(const std::string& identity, const Json& result) override {
    ++stored;
    known_[identity] = result;
  }
  int stored = 0;

 private:
  std::map<std::string, Json> known_;
};

TEST(Margin, RunsNothingTwiceWhereItMayRemember) {
  Memory memory;
  const MarginResult first = search("one-joint", {"gain=40"}, "", Direction::kBoth, {}, &memory);
  const int stored = memory.stored;
  EXPECT_EQ(stored, first.runs());
  const MarginResult again = search("one-joint", {"gain=40"}, "", Direction::kBoth, {}, &memory);
  EXPECT_EQ(memory.stored, stored);
  EXPECT_EQ(to_json(first).dump(), to_json(again).dump());
}

TEST(Margin, SaysUndecidedRatherThanWrongWhereHoldsMayNotGrow) {
  // A swing of 1.26 s in a hold of 4 s: nothing near the border can be told. What is told is true.
  MarginConfig config;
  config.hold_limit = 4s;
  const MarginResult result =
      search("one-joint", {"gain=5", "task.hold=4s"}, "", Direction::kStates, config);
  const Json json = to_json(result);
  EXPECT_FALSE(json.at("undecided_s").empty());
  EXPECT_LE(result.critical.value_or(0ms), Duration(313ms));
  EXPECT_GE(result.unstable.value_or(1s), Duration(314ms));
}

TEST(Margin, HoldsLongerWhereASlowSwingNeedsIt) {
  const MarginResult result =
      search("one-joint", {"gain=10", "task.hold=500ms"}, "", Direction::kStates);
  EXPECT_EQ(result.critical, Duration(156ms));
  ASSERT_TRUE(result.beyond && result.beyond->period_s);
  EXPECT_GT(result.beyond->runs, 1);
  EXPECT_GE(to_seconds(result.beyond->hold), 64.0 * *result.beyond->period_s);
}

TEST(Margin, HasNoLimitWhereTheLinkIsOutsideOfAllLoops) {
  MarginConfig config;
  config.up_to = 200ms;
  const MarginResult result = search("one-joint", {}, "position", Direction::kBoth, config);
  EXPECT_TRUE(result.prediction.at_goal.is_unlimited);
  EXPECT_EQ(result.critical, Duration(200ms));
  EXPECT_EQ(result.unstable, std::nullopt);
  const Json json = to_json(result);
  EXPECT_TRUE(json.at("closed_form_s").is_null());
  EXPECT_EQ(json.at("closed_form_has_limit"), false);
  EXPECT_EQ(json.at("critical_s"), 0.2);
  EXPECT_EQ(json.at("is_at_limit"), true);
}

// --- in words ------------------------------------------------------------------------------------

MarginResult result_of(const std::vector<std::pair<Duration, record::Verdict>>& trials) {
  MarginResult result;
  result.cut = "velocity";
  result.settings = {"gain=10"};
  result.control_period = result.physics_period = result.resolution = 1ms;
  result.searched_up_to = trials.back().first;
  for (const auto& [latency, verdict] : trials) {
    MarginTrial trial;
    trial.latency = latency;
    trial.verdict = verdict;
    trial.reason = "too short";
    result.tried.push_back(trial);
  }
  return result;
}

TEST(Margin, SaysWhichSettingsABandOfUndecidedLatenciesBelongsTo) {
  using record::Verdict;
  MarginResult result = result_of({{70ms, Verdict::kStable},
                                   {78ms, Verdict::kUndecided},
                                   {90ms, Verdict::kUndecided},
                                   {99ms, Verdict::kUnstable}});
  result.critical = 70ms;
  result.unstable = 99ms;
  result.prediction.at_goal.critical = 78ms;
  EXPECT_EQ(remarks_on({result}),
            std::vector<std::string>{
                "cut velocity, both, gain=10: undecided from 78ms to 90ms: too short"});
  // it lies within the band, and how far from the margin nobody knows
  EXPECT_EQ(remark_on_difference(result), "");
  EXPECT_EQ(result.difference_ticks(), std::nullopt);
}

TEST(Margin, SaysLoudlyWhereSimulationAndClosedFormDiffer) {
  using record::Verdict;
  MarginResult result = result_of({{79ms, Verdict::kStable}, {80ms, Verdict::kUnstable}});
  result.critical = 79ms;
  result.unstable = 80ms;
  result.prediction.at_goal.critical = 78ms;
  EXPECT_EQ(remark_on_difference(result), "");  // a tick
  result.prediction.at_goal.critical = 77ms;
  EXPECT_EQ(
      remark_on_difference(result),
      "SIMULATION AND CLOSED FORM DIFFER: stable at 79ms, where the closed form says stable up "
      "to 77ms");
  result.prediction.at_goal.critical = 81ms;
  EXPECT_EQ(
      remark_on_difference(result),
      "SIMULATION AND CLOSED FORM DIFFER: unstable at 80ms, where the closed form says stable "
      "up to 81ms");
}

TEST(Margin, NamesAllJointsThatFailTogether) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("ur5-waypoints", {}, labs::built_in_plugins());
  // gains 10, 10, 10, 5, 5, 5
  EXPECT_EQ(predict_margin(actors::arm_of(prepared), Direction::kBoth).at_goal.tied_joints,
            (std::vector<std::string>{"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"}));
}

// --- a whole arm ---------------------------------------------------------------------------------

struct ArmCase {
  const char* cut;
  Direction direction;
  int first_ms;  ///< closed form and simulation agree on these
  const char* joint;
};

class Ur5 : public testing::TestWithParam<ArmCase> {};

TEST_P(Ur5, IsStableAsLongAsBothLoopsTogetherAre) {
  const auto& [cut, direction, expected_ms, joint] = GetParam();
  const MarginResult result = search("ur5-waypoints", {}, cut, direction);
  EXPECT_EQ(result.critical, std::chrono::milliseconds(expected_ms));
  EXPECT_EQ(result.prediction.at_goal.critical, result.critical);
  EXPECT_EQ(result.beyond->first_joint(), joint);
  EXPECT_EQ(result.prediction.at_goal.joint, joint);
}

// Wrist 3: 50 N·m·s/rad on 0.35 kg·m² of rotor and next to no link, λ = 143/s less a little: 10
// ticks, as 2 sin(π/42) = 0.149 > 0.143 > 2 sin(π/46) = 0.136. The lift's servo lags by inertia /
// gain, which takes 21 of the 156 ticks that the position loop would survive on a perfect servo.
INSTANTIATE_TEST_SUITE_P(
    Margin, Ur5,
    testing::Values(ArmCase{"effort", Direction::kBoth, 5, "wrist_3_joint"},
                    ArmCase{"stale-servo", Direction::kStates, 10, "wrist_3_joint"},
                    ArmCase{"stale-servo", Direction::kCommands, 135, "shoulder_lift_joint"}),
    [](const auto& test) {
      std::string name = test.param.cut;
      std::replace(name.begin(), name.end(), '-', '_');
      return name + "_" + direction_names()[static_cast<std::size_t>(test.param.direction)];
    });

TEST(Margin, CountsGravityThatIsCompensatedLate) {
  // With a weak servo the change of gravity's efforts since the states were sampled matters:
  // without it the loops would survive 51 ms.
  const MarginResult result =
      search("ur5-waypoints", {"servo.p=[10, 10, 10, 5, 5, 5]", "servo.rotor_inertia_kg_m2=0.7"},
             "stale-servo", Direction::kBoth);
  EXPECT_EQ(result.critical, result.prediction.at_goal.critical);
  const cell::PreparedScenario prepared = cell::load_scenario(
      "ur5-waypoints",
      {{"cut=stale-servo", "servo.p=[10, 10, 10, 5, 5, 5]", "servo.rotor_inertia_kg_m2=0.7"},
       {},
       {}},
      labs::built_in_plugins());
  NestedLoops weightless =
      ArmLoops(actors::arm_of(prepared)).nested(Direction::kBoth, *result.unstable);
  EXPECT_FALSE(weightless.equation().is_stable());
  weightless.gravity_per_s2.setZero();
  EXPECT_TRUE(weightless.equation().is_stable());
}

TEST(Margin, OfAnOuterLoopCutIsFarFromTenMilliseconds) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("ur5-waypoints", {}, labs::built_in_plugins());
  // gain 10 at 1 kHz: 156 ticks in the loop, 78 each way
  EXPECT_EQ(predict_margin(actors::arm_of(prepared), Direction::kStates).at_goal.critical,
            Duration(156ms));
  EXPECT_EQ(predict_margin(actors::arm_of(prepared), Direction::kBoth).at_goal.critical,
            Duration(78ms));
}

// --- what is refused -----------------------------------------------------------------------------

TEST(Margin, RefusesWhatItCannotVary) {
  EXPECT_EQ(problem_of("one-joint", {"link.delay=5ms"}),
            "error: --set link.delay=5ms: margin sets the link's delay itself\n"
            "  hint: remove it; use --up-to to set the largest latency");
  EXPECT_EQ(problem_of("one-joint", {"link.netem=delay 5ms loss 1%"}),
            "error: link.states.model is 'netem', but margin sets link.delay itself\n"
            "  hint: use --set link.model=delay; use longarm sweep for other link models");
  EXPECT_EQ(problem_of("one-joint", {"cut=none"}),
            "error: cut 'none' has no link, so latency has no effect\n"
            "  hint: choose another --cut");
}

TEST(Margin, RefusesAResolutionThatNoDelayCanHave) {
  MarginConfig config;
  config.resolution = 1500us;
  EXPECT_EQ(problem_of("one-joint", {}, config),
            "error: a resolution of 1500us is not a whole number of physics steps of 1ms\n"
            "  hint: delays act in whole physics steps: use 1ms or a multiple of it");
  config.resolution = 10ms;
  config.up_to = 5ms;
  EXPECT_EQ(problem_of("one-joint", {}, config),
            "error: --up-to 5ms is less than one step of 10ms\n"
            "  hint: give a larger one, or a finer --resolution");
}

// --- swings --------------------------------------------------------------------------------------

TEST(SwingMeter, MeasuresFullSwingsOfTheHoldBeforeAnyLimit) {
  // 0.25 s until t = 4 s, where a limit is reached; 0.5 s from there on; before 1 s nothing counts
  double t = 0.0;
  sim::Probes probes;
  probes.add(
      {"velocity", {"a", "b"}, [&](std::span<double> out) {
         out[0] = std::sin(2.0 * std::numbers::pi * t / (t < 1.0 ? 0.1 : t < 4.0 ? 0.25 : 0.5));
         out[1] = 1e-9 * std::sin(500.0 * t);
       }});
  probes.add({"limited", {"a", "b"}, [&](std::span<double> out) {
                out[0] = 0.0;
                out[1] = t > 4.0 ? 1.0 : 0.0;
              }});
  SwingMeter meter(probes, 1s);
  for (int i = 1; i <= 10000; ++i) {
    t = i * 1e-3;
    meter.record(Time(i * Duration(1ms)));
  }
  EXPECT_NEAR(meter.period_s(0).value_or(0.0), 0.25, 1e-4);
  EXPECT_EQ(meter.period_s(1), std::nullopt);  // at rest
  EXPECT_EQ(meter.first_limited(), 1U);
}

}  // namespace
}  // namespace longarm::study
