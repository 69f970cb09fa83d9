// SPDX-License-Identifier: Apache-2.0
// Oracles of the velocity loop: a servo with lag inside the position loop, and a servo that is fed
// with old states.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "labs/oracles/closed_forms.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"
#include "longarm/actors/arm.h"

namespace longarm::oracles {
namespace {

constexpr const char* kLagGroup = "servo-lag";
constexpr const char* kInnerGroup = "velocity-loop";

constexpr double kDelay_ms = 20.0;

/// The critical gain with a PID servo of lag J/kv on the 1 kg·m² drum, or an ideal one if there is
/// no lag; control and physics in steps of `period_ms`.
double critical_lagged_gain(double guess, double lag_ms, double period_ms) {
  const auto ticks = static_cast<std::size_t>(std::lround(kDelay_ms / period_ms));
  const double from_ms = 25.0 * (kDelay_ms + lag_ms);
  return find_zero_growth(guess, [&](double gain) {
    Settings settings = {fmt::format("gain={:.17g}", gain), "physics.period=" + in_ms(period_ms),
                         "control.period=" + in_ms(period_ms),
                         "link.commands.delay=" + in_ms(kDelay_ms),
                         "task.hold=" + in_ms(from_ms + 8.0 * (kDelay_ms + lag_ms))};
    if (lag_ms > 0.0) {
      settings.push_back("servo.model=pid");
      settings.push_back(fmt::format("servo.p={:.17g}", 1e3 / lag_ms));
    }
    const Recording run = record("one-joint", settings);
    const auto from = static_cast<std::size_t>(from_ms / period_ms);
    return fit_oscillation(run.position, from, ticks / 2 + 1).growth;
  });
}

/// In steps that become shorter, extrapolated to none.
Comparison compare_continuous(double lag_ms) {
  const double expected = lagged_limit(1e-3 * kDelay_ms, 1e-3 * lag_ms);
  const double coarse = critical_lagged_gain(expected, lag_ms, 1.0);
  const double middle = critical_lagged_gain(expected, lag_ms, 0.5);
  const double fine = critical_lagged_gain(expected, lag_ms, 0.25);
  const double by_line = 2.0 * fine - middle;
  const double by_parabola = (8.0 * fine - 6.0 * middle + coarse) / 3.0;
  return {expected, by_parabola, std::min(std::abs(by_parabola - by_line), 1e-4 * expected),
          "what the third step length (1, 0.5, 0.25 ms) changes about the extrapolation by two"};
}

void add_lags(std::vector<Oracle>& all) {
  for (const double lag_ms : {5.0, 10.0, 20.0, 50.0}) {
    all.push_back(
        {fmt::format("servo-lag-{}ms", lag_ms), kLagGroup,
         fmt::format("largest gain with 20 ms of delay and a velocity servo of lag {} ms, in steps "
                     "of 1 ms",
                     lag_ms),
         "1/s", [lag_ms] {
           const double expected = sampled_lagged_limit(20, 1e-3, 1e-3 * lag_ms);
           return Comparison{expected, critical_lagged_gain(expected, lag_ms, 1.0), 1e-7 * expected,
                             kGainSearch};
         }});
  }
  for (const double lag_ms : {0.0, 5.0, 10.0, 20.0, 50.0}) {
    all.push_back({fmt::format("servo-lag-{}ms-continuous", lag_ms), kLagGroup,
                   fmt::format("the same extrapolated to steps of no length is ω√(1+ω²T²) with "
                               "ωτ + atan(ωT) = π/2 (T = {} ms)",
                               lag_ms),
                   "1/s", [lag_ms] { return compare_continuous(lag_ms); }});
  }
}

/// The J/kv, in ms, at which the velocity loop neither grows nor decays: a plan with full
/// feed-forward and no position gain sets the drum going, then asks it to rest.
double critical_ratio(int ticks, double inertia_kg_m2, const Settings& settings) {
  const double guess = sampled_limit(ticks) * inertia_kg_m2 / 1e-3;
  const double gain = find_zero_growth(guess, [&](double p) {
    Settings all = {"task.path=joint",
                    "task.joints_rad=[[0.2]]",
                    "gain=0",
                    "feed_forward=1",
                    fmt::format("servo.p={:.17g}", p),
                    "task.hold=" + in_ms(40.0 * (ticks + 1) + 60.0)};
    all.insert(all.end(), settings.begin(), settings.end());
    const Recording run = record("one-joint", all);
    const auto hold = static_cast<std::size_t>(
        std::ceil(to_seconds(actors::arm_of(run.prepared).plan().hold_start) / run.period_s));
    return fit_oscillation(run.velocity, hold + static_cast<std::size_t>(27 * (ticks + 1)),
                           static_cast<std::size_t>(ticks / 2 + 1))
        .growth;
  });
  return 1e3 * inertia_kg_m2 / gain;
}

Comparison compare_ratio(int ticks, double inertia_kg_m2, const Settings& settings) {
  const double expected = 1.0 / sampled_limit(ticks);
  return {expected, critical_ratio(ticks, inertia_kg_m2, settings), 1e-7 * expected, kGainSearch};
}

void add_inner_loops(std::vector<Oracle>& all) {
  for (const int ticks : {5, 7, 10, 20}) {
    all.push_back({fmt::format("stale-servo-n{}", ticks), kInnerGroup,
                   fmt::format("smallest J/kv of a servo fed with states {} ticks old", ticks),
                   "ms", [ticks] {
                     return compare_ratio(
                         ticks, 1.0,
                         {"cut=stale-servo", fmt::format("link.states.delay={}ms", ticks)});
                   }});
  }
  all.push_back({"stale-servo-commands-delay", kInnerGroup,
                 "a delay of the commands is not inside a stale servo's loop", "ms", [] {
                   return compare_ratio(
                       5, 1.0,
                       {"cut=stale-servo", "link.states.delay=5ms", "link.commands.delay=9ms"});
                 }});
  all.push_back({"effort-cut-n7", kInnerGroup,
                 "a remote servo has both delays, 3 + 4 ticks, in its velocity loop", "ms", [] {
                   return compare_ratio(
                       7, 1.0, {"cut=effort", "link.states.delay=3ms", "link.commands.delay=4ms"});
                 }});
  for (const char* engine : {"mujoco", "ode"}) {
    all.push_back({fmt::format("rotor-inertia-{}", engine), kInnerGroup,
                   "a rotor of 0.5 kg·m² counts as the drum's 1 kg·m² does", "ms", [engine] {
                     return compare_ratio(
                         5, 1.5,
                         {"cut=stale-servo", "link.states.delay=5ms",
                          "servo.rotor_inertia_kg_m2=0.5", fmt::format("engine={}", engine)});
                   }});
  }
}

}  // namespace

void add_velocity_loop_oracles(std::vector<Oracle>& all) {
  add_lags(all);
  add_inner_loops(all);
}

}  // namespace longarm::oracles
