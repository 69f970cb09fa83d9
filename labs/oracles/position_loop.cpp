// SPDX-License-Identifier: Apache-2.0
// Oracles of the position loop with whole ticks of delay: where it becomes unstable, how fast it
// swings and grows.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "labs/oracles/closed_forms.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kPositionGroup = "position-loop";
constexpr double kPeriod_s = 1e-3;
constexpr const char* kPositionSearch =
    "the search ends at steps below 1e-8 of the gain; modes that decay e-fold per delay are waited "
    "out for 25 delays";

/// Long enough for all modes but the slowest to vanish, and then a few swings.
Settings loop(double gain, int states_ticks, int commands_ticks) {
  const int ticks = states_ticks + commands_ticks;
  return {fmt::format("gain={:.17g}", gain), "link.states.delay=" + in_ms(states_ticks),
          "link.commands.delay=" + in_ms(commands_ticks),
          "task.hold=" + in_ms(35.0 * (ticks + 1) + 60.0)};
}

/// The slowest mode of such a run, per tick.
Mode mode_of(const Recording& run, int ticks) {
  const auto from = static_cast<std::size_t>(25 * (ticks + 1));
  if (ticks == 0) {
    // a single real root: the ratio of neighbours
    const double ratio = run.position[from + 1] / run.position[from];
    return {std::log(std::abs(ratio)), ratio < 0.0 ? std::numbers::pi : 0.0};
  }
  return fit_oscillation(run.position, from, static_cast<std::size_t>(ticks / 2 + 1));
}

double critical_gain(int states_ticks, int commands_ticks, const Settings& more = {}) {
  const int ticks = states_ticks + commands_ticks;
  return find_zero_growth(sampled_limit(ticks) / kPeriod_s, [&](double gain) {
    Settings settings = loop(gain, states_ticks, commands_ticks);
    settings.insert(settings.end(), more.begin(), more.end());
    return mode_of(record("one-joint", settings), ticks).growth;
  });
}

Comparison compare_limit(int states_ticks, int commands_ticks, const Settings& more = {}) {
  const double expected = sampled_limit(states_ticks + commands_ticks) / kPeriod_s;
  return {expected, critical_gain(states_ticks, commands_ticks, more), 1e-7 * expected,
          kPositionSearch};
}

void add_limits(std::vector<Oracle>& all) {
  struct Case {
    int states;
    int commands;
  };
  for (const Case c : {Case{0, 0}, {1, 0}, {1, 1}, {2, 3}, {5, 5}, {10, 10}}) {
    all.push_back({fmt::format("p-loop-limit-n{}", c.states + c.commands), kPositionGroup,
                   fmt::format("the gain at which a P loop with {} + {} ticks of delay neither "
                               "grows nor decays is 2 sin(π/(2(2n+1)))/h",
                               c.states, c.commands),
                   "1/s", [c] { return compare_limit(c.states, c.commands); }});
  }
  all.push_back({"p-loop-limit-states-only", kPositionGroup,
                 "five ticks on the states alone have the limit of five ticks", "1/s",
                 [] { return compare_limit(5, 0); }});
  all.push_back({"p-loop-limit-commands-only", kPositionGroup,
                 "five ticks on the commands alone have the limit of five ticks", "1/s",
                 [] { return compare_limit(0, 5); }});
  for (const char* engine : {"ode", "kinematic"}) {
    all.push_back({fmt::format("p-loop-limit-n5-{}", engine), kPositionGroup,
                   fmt::format("the limit with 2 + 3 ticks on engine {}", engine), "1/s",
                   [engine] { return compare_limit(2, 3, {fmt::format("engine={}", engine)}); }});
  }
  all.push_back({"p-loop-limit-derivative", kPositionGroup,
                 "an undelayed loop with derivative part D = 0.2 is stable up to K h = 2 (1 - D)",
                 "1/s", [] {
                   // v[k+1] = -K x[k] - D v[k]: z² + (D - 1 + K h) z - D = 0 has z = -1 at K h = 2
                   // (1 - D)
                   const double expected = 2.0 * (1.0 - 0.2) / kPeriod_s;
                   const double found = find_zero_growth(expected, [](double gain) {
                     Settings settings = loop(gain, 0, 0);
                     settings.push_back("gains.d=0.2");
                     return mode_of(record("one-joint", settings), 0).growth;
                   });
                   return Comparison{expected, found, 1e-7 * expected, kPositionSearch};
                 }});
}

void add_periods(std::vector<Oracle>& all) {
  for (const int ticks : {1, 5, 20}) {
    all.push_back({fmt::format("p-loop-period-n{}", ticks), kPositionGroup,
                   fmt::format("at the limit with {} ticks the joint swings with a period of "
                               "2 h (2 n + 1), near four delays",
                               ticks),
                   "ms", [ticks] {
                     const double gain = sampled_limit(ticks) / kPeriod_s;
                     const Recording run = record("one-joint", loop(gain, ticks, 0));
                     const double angle = mode_of(run, ticks).angle;
                     return Comparison{2.0 * (2.0 * ticks + 1.0), 2.0 * std::numbers::pi / angle,
                                       1e-9 * ticks,
                                       "rounding of the record, amplified by the fit of one mode"};
                   }});
  }
}

void add_growth(std::vector<Oracle>& all) {
  struct Case {
    int ticks;
    double part;  // of the limit
  };
  for (const Case c : {Case{3, 0.9}, {5, 1.1}, {20, 0.95}, {20, 1.05}}) {
    all.push_back(
        {fmt::format("p-loop-growth-n{}-{:.0f}", c.ticks, 100.0 * c.part), kPositionGroup,
         fmt::format("with {} ticks at {:.2f} of the limit the swing grows as the dominant root of "
                     "z^(n+1) - z^n + K h",
                     c.ticks, c.part),
         "1/s", [c] {
           const double gain = c.part * sampled_limit(c.ticks) / kPeriod_s;
           const double expected =
               std::log(std::abs(dominant_root(gain * kPeriod_s, c.ticks))) / kPeriod_s;
           const Recording run = record("one-joint", loop(gain, 0, c.ticks));
           return Comparison{expected, mode_of(run, c.ticks).growth / kPeriod_s, 1e-8,
                             "rounding of the record, amplified by the fit of one mode"};
         }});
  }
  all.push_back(
      {"reported-growth", kPositionGroup,
       "growth_per_s of metrics.json is that of the dominant root (20 ticks, 1.02 of the limit)",
       "1/s", [] {
         const double gain = 1.02 * sampled_limit(20) / kPeriod_s;
         const double expected =
             std::log(std::abs(dominant_root(gain * kPeriod_s, 20))) / kPeriod_s;
         Settings settings = loop(gain, 10, 10);
         settings.back() = "task.hold=10s";
         const auto results = record("one-joint", settings).results;
         return Comparison{expected, results["growth_per_s"].get<double>(),
                           3.0 * results["growth_standard_error_per_s"].get<double>(),
                           "three standard errors of the fit, as reported beside it"};
       }});
}

/// Verdicts that are wrong among those one percent below and above the limit.
Comparison count_wrong_verdicts() {
  int wrong = 0;
  for (const int ticks : {0, 1, 2, 5, 10, 20}) {
    for (const double part : {0.99, 1.01}) {
      Settings settings = loop(part * sampled_limit(ticks) / kPeriod_s, ticks, 0);
      settings.back() = "task.hold=10s";
      const auto results = record("one-joint", settings).results;
      wrong += results["stable"] == (part < 1.0) ? 0 : 1;
    }
  }
  return {0.0, static_cast<double>(wrong), 0.0, "a count"};
}

}  // namespace

void add_position_loop_oracles(std::vector<Oracle>& all) {
  add_limits(all);
  add_periods(all);
  add_growth(all);
  all.push_back({"verdicts-around-limit", kPositionGroup,
                 "stable is true 1 % below and false 1 % above the limit, for 0 to 20 ticks",
                 "wrong", count_wrong_verdicts});
}

}  // namespace longarm::oracles
