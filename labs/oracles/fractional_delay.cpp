// SPDX-License-Identifier: Apache-2.0
// Oracles of the position loop with delays that are no whole number of control periods, and with a
// controller that ticks off the beat.
#include <cmath>

#include <fmt/format.h>

#include "labs/oracles/closed_forms.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kFractionalGroup = "fractional-delay";

/// The gain at which a loop with these settings neither grows nor decays. Signals are looked at
/// once per control period, where they are those of a linear recurrence.
double critical_gain(double guess, double delay_ms, int period_ms, const Settings& settings) {
  const double from_ms = 25.0 * (delay_ms + period_ms);
  return find_zero_growth(guess, [&](double gain) {
    Settings all = settings;
    all.push_back(fmt::format("gain={:.17g}", gain));
    all.push_back("task.hold=" + in_ms(1.4 * from_ms + 60.0 * period_ms));
    const Recording run = record("one-joint", all);
    std::vector<double> ticks;
    for (auto k = static_cast<std::size_t>(from_ms); k < run.position.size();
         k += static_cast<std::size_t>(period_ms)) {
      ticks.push_back(run.position[k]);
    }
    const auto stride = static_cast<std::size_t>(delay_ms / period_ms / 2.0 + 1.0);
    return fit_oscillation(ticks, 0, stride).growth;
  });
}

Comparison compare(double delay_ms, int period_ms, const Settings& settings) {
  const double expected = fractional_limit(1e-3 * delay_ms, 1e-3 * period_ms);
  return {expected, critical_gain(expected, delay_ms, period_ms, settings), 1e-7 * expected,
          kGainSearch};
}

void add(std::vector<Oracle>& all, const char* direction, int delay_ms, int period_ms) {
  all.push_back({fmt::format("delay-{}ms-period-{}ms-{}", delay_ms, period_ms, direction),
                 kFractionalGroup,
                 fmt::format("largest gain with {} ms on the {} and a controller of {} ms",
                             delay_ms, direction, period_ms),
                 "1/s", [=] {
                   return compare(delay_ms, period_ms,
                                  {fmt::format("control.period={}ms", period_ms),
                                   fmt::format("link.{}.delay={}ms", direction, delay_ms)});
                 }});
}

}  // namespace

void add_fractional_delay_oracles(std::vector<Oracle>& all) {
  for (const int delay_ms : {5, 10, 20}) {
    for (const int period_ms : {2, 4, 8}) {
      add(all, "commands", delay_ms, period_ms);
    }
  }
  for (const int period_ms : {2, 4, 8}) {
    add(all, "states", 5, period_ms);
  }
  all.push_back(
      {"delay-rounds-up", kFractionalGroup,
       "2.2 ms on the states and 1.3 ms on the commands act as 3 and 2 ticks of 1 ms", "1/s", [] {
         return compare(5.0, 1, {"link.states.delay=2200us", "link.commands.delay=1300us"});
       }});
  all.push_back({"phase-costs-a-tick", kFractionalGroup,
                 "a controller that ticks half a step late has a whole tick more of delay", "1/s",
                 [] {
                   return compare(5.0, 1, {"control.phase=500us", "link.commands.delay=4ms"});
                 }});
}

}  // namespace longarm::oracles
