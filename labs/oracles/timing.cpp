// SPDX-License-Identifier: Apache-2.0
// Oracles of when something happens: dead times, rounding, shifts of a whole motion, watchdogs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kTimingGroup = "timing";
constexpr const char* kWholeNanoseconds = "time is counted in whole nanoseconds";

/// Start of the first step, in ms, in which `signal` leaves the value it has at `from`.
double first_change_ms(const Recording& run, const std::vector<double>& signal, std::size_t from) {
  for (std::size_t k = from + 1; k < signal.size(); ++k) {
    if (signal[k] != signal[from]) {
      return 1e3 * run.period_s * static_cast<double>(k - 1);
    }
  }
  throw std::runtime_error("nothing changes");
}

void add_dead_times(std::vector<Oracle>& all) {
  struct Case {
    const char* name;
    const char* what;
    double expected_ms;
    Settings settings;
  };
  const std::vector<Case> starts = {
      {"dead-time-none", "without a link the arm moves in the first step", 0.0, {}},
      {"dead-time-commands",
       "the arm stands still for exactly the commands' delay",
       7.0,
       {"link.states.delay=3ms", "link.commands.delay=7ms"}},
      {"dead-time-rounds-up",
       "a command that arrives within a step acts from the next one on",
       8.0,
       {"link.commands.delay=7001us"}},
      {"dead-time-phase",
       "a controller with a phase of 2 ms first speaks at 2 ms",
       2.0,
       {"control.period=4ms", "control.phase=2ms"}},
      {"dead-time-netem",
       "netem with delay 7 ms delays as a delay of 7 ms does",
       7.0,
       {"link.commands.netem=delay 7ms"}},
  };
  for (const Case& c : starts) {
    all.push_back({c.name, kTimingGroup, c.what, "ms", [c] {
                     Settings settings = c.settings;
                     settings.push_back("task.hold=100ms");
                     const Recording run = record("one-joint", settings);
                     return Comparison{c.expected_ms, first_change_ms(run, run.position, 0), 0.0,
                                       kWholeNanoseconds};
                   }});
  }
  all.push_back(
      {"first-correction", kTimingGroup,
       "the arm's speed first changes when news of its first step has gone there and "
       "back: d_c + h + d_s + d_c",
       "ms", [] {
         // it moves from 7 ms on; the state of 8 ms is at the controller at 11 ms, and
         // the command made of it acts at 18 ms. The speed has been set in the step from
         // 7 to 8 ms, which is entry 8.
         const Recording run = record(
             "one-joint", {"link.states.delay=3ms", "link.commands.delay=7ms", "task.hold=100ms"});
         return Comparison{18.0, first_change_ms(run, run.applied, 8), 0.0, kWholeNanoseconds};
       }});
}

/// How many steps later, at the least difference, `late` does what `early` did.
double shift_ms(const Recording& early, const Recording& late) {
  double best = std::numeric_limits<double>::infinity();
  int best_shift = 0;
  for (int shift = -30; shift <= 30; ++shift) {
    double worst = 0.0;
    for (int k = 30; k + 30 < static_cast<int>(early.position.size()); ++k) {
      worst = std::max(worst, std::abs(late.position.at(static_cast<std::size_t>(k + shift)) -
                                       early.position.at(static_cast<std::size_t>(k))));
    }
    if (worst < best) {
      best = worst;
      best_shift = shift;
    }
  }
  if (best > 1e-12) {
    throw std::runtime_error(fmt::format("no shift: {} rad are left", best));
  }
  return 1e3 * early.period_s * best_shift;
}

void add_shifts(std::vector<Oracle>& all) {
  struct Case {
    const char* name;
    const char* what;
    const char* cut;
    double expected_ms;
    Settings settings;
  };
  const std::vector<Case> cases = {
      {"shift-position-cut",
       "positions that arrive 7 ms late: the same motion, 7 ms later",
       "position",
       7.0,
       {"link.commands.delay=7ms"}},
      {"shift-trajectory-cut",
       "a plan that arrives 7 ms late: the same motion, 7 ms later",
       "trajectory",
       7.0,
       {"link.states.delay=3ms", "link.commands.delay=7ms"}},
      {"shift-position-cut-states",
       "states that come late do not shift a position cut",
       "position",
       0.0,
       {"link.states.delay=7ms"}},
      {"shift-queue",
       "a queue of 7 commands at 1 kHz: the same motion, 7 ms later",
       "position",
       7.0,
       {"link.commands.slots=7"}},
  };
  for (const Case& c : cases) {
    all.push_back({c.name, kTimingGroup, c.what, "ms", [c] {
                     const Settings plan = {"task.path=joint", "task.joints_rad=[[0.6]]", "gain=20",
                                            "task.hold=500ms", std::string("cut=") + c.cut};
                     Settings late = plan;
                     late.insert(late.end(), c.settings.begin(), c.settings.end());
                     return Comparison{
                         c.expected_ms,
                         shift_ms(record("one-joint", plan), record("one-joint", late)), 0.0,
                         "motions are compared to 1e-12 rad, shifts in whole "
                         "steps"};
                   }});
  }
}

void add_watchdogs(std::vector<Oracle>& all) {
  struct Case {
    const char* name;
    const char* what;
    const char* watchdog;
    double expected_s;
  };
  // the last command arrives at 0.499 s; from 0.5 s on all are lost
  for (const Case& c :
       {Case{"watchdog-ur", "a UR stops 20 ms after the last command, which came at 0.499 s", "ur",
             0.519},
        Case{"watchdog-franka", "a Franka stops at the 20th cycle without a command", "franka",
             0.519}}) {
    all.push_back(
        {c.name, kTimingGroup, c.what, "s", [c] {
           const Recording run = record(
               "one-joint", {"link.commands.phases=[\"500ms\", \"10s loss 100%\"]",
                             fmt::format("link.commands.watchdog={}", c.watchdog), "task.hold=1s"});
           return Comparison{c.expected_s, run.results["watchdog"]["tripped_at_s"].get<double>(),
                             1e-12, "rounding of one number"};
         }});
  }
  all.push_back(
      {"silence-holds", kTimingGroup,
       "commands that stop after 0.1 s leave the arm with the last velocity for ever", "rad", [] {
         // the command of 99 ms says −K x(99), x(k) = 0.1 · 0.99^k, and acts from then on
         const Recording run = record(
             "one-joint",
             {"gain=10", "link.commands.phases=[\"100ms\", \"10s loss 100%\"]", "task.hold=300ms"});
         const double there = 0.1 * std::pow(0.99, 99);
         return Comparison{there * (1.0 - 10.0 * 0.001 * 201), run.position.at(300), 1e-13,
                           "rounding of 300 steps"};
       }});
}

}  // namespace

void add_timing_oracles(std::vector<Oracle>& all) {
  add_dead_times(all);
  add_shifts(all);
  add_watchdogs(all);
}

}  // namespace longarm::oracles
