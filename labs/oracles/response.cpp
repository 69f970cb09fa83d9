// SPDX-License-Identifier: Apache-2.0
// Oracles of the position loop's step response, exact at every tick and for every split of a delay.
#include <cmath>

#include <fmt/format.h>

#include "labs/oracles/closed_forms.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kResponseGroup = "step-response";
constexpr double kStart_rad = 0.1;
constexpr const char* kRounding = "rounding of some hundred steps";

void add_undelayed(std::vector<Oracle>& all) {
  for (const int k : {1, 10, 100}) {
    all.push_back({fmt::format("step-tick-{}", k), kResponseGroup,
                   fmt::format("without delay the error after {} ticks is (1 - K h)^k of its start "
                               "(K = 50 1/s, h = 1 ms)",
                               k),
                   "rad", [k] {
                     const Recording run = record("one-joint", {"gain=50", "task.hold=200ms"});
                     return Comparison{kStart_rad * std::pow(0.95, k),
                                       run.position.at(static_cast<std::size_t>(k)), 1e-13,
                                       kRounding};
                   }});
  }
  all.push_back(
      {"step-control-period", kResponseGroup,
       "a controller of 4 ms on physics of 1 ms takes (1 - 4 ms K) of the error per tick", "rad",
       [] {
         const Recording run =
             record("one-joint", {"gain=50", "control.period=4ms", "task.hold=200ms"});
         return Comparison{kStart_rad * std::pow(0.8, 10), run.position.at(40), 1e-13, kRounding};
       }});
  all.push_back({"step-between-ticks", kResponseGroup,
                 "between two ticks of a slow controller the joint moves on in a straight line",
                 "rad", [] {
                   // half way between ticks 2 and 3: the mean of 0.8² and 0.8³
                   const Recording run =
                       record("one-joint", {"gain=50", "control.period=4ms", "task.hold=200ms"});
                   return Comparison{kStart_rad * 0.5 * (0.64 + 0.512), run.position.at(10), 1e-13,
                                     kRounding};
                 }});
  all.push_back(
      {"step-states-period", kResponseGroup,
       "states every 4 ms to a controller of 1 ms: four commands share one state", "rad", [] {
         // each state's error is used for 4 ms, as if the controller ticked every 4 ms
         const Recording run =
             record("one-joint", {"gain=50", "states.period=4ms", "task.hold=200ms"});
         return Comparison{kStart_rad * std::pow(0.8, 10), run.position.at(40), 1e-13, kRounding};
       }});
}

/// x(k) = 0.1 D(k − n_c; n_s + n_c): the arm starts when the first command arrives.
void add_delayed(std::vector<Oracle>& all) {
  struct Case {
    int states;
    int commands;
  };
  for (const Case c : {Case{6, 0}, {0, 6}, {2, 4}, {4, 2}}) {
    all.push_back({fmt::format("step-delay-{}-{}", c.states, c.commands), kResponseGroup,
                   fmt::format("with {} ticks on the states and {} on the commands the error after "
                               "25 ticks is the delayed exponential's",
                               c.states, c.commands),
                   "rad", [c] {
                     const Recording run =
                         record("one-joint",
                                {"gain=100", "link.states.delay=" + in_ms(c.states),
                                 "link.commands.delay=" + in_ms(c.commands), "task.hold=100ms"});
                     const double expected =
                         kStart_rad * delayed_decay(0.1, c.states + c.commands, 25 - c.commands);
                     return Comparison{expected, run.position.at(25), 1e-13, kRounding};
                   }});
  }
}

}  // namespace

void add_response_oracles(std::vector<Oracle>& all) {
  add_undelayed(all);
  add_delayed(all);
}

}  // namespace longarm::oracles
