// SPDX-License-Identifier: Apache-2.0
// Every kind of interval that the program shows, 400 times where the truth is known: how often it
// has that within. 95 % of 400 is 380; fewer than 369 are too few by 2.5 standard deviations.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "labs/labs.h"
#include "labs/oracles/experiment.h"
#include "labs/oracles/link_trial.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"
#include "longarm/core/random.h"
#include "longarm/core/statistics.h"

namespace longarm {
namespace {

using nlohmann::ordered_json;

constexpr int kRuns = 400;
constexpr int kFewest = 369;

struct Interval {
  double middle = 0.0;
  double half_width = 0.0;
};

/// What became of a kind's 400 intervals.
struct Tally {
  int covered = 0;
  int missing = 0;  ///< runs without an interval
  int stable = 0;   ///< verdicts, where there are some
  int unstable = 0;
};

/// Calls `work` for 1 … kRuns on all cores.
void for_each_run(const std::function<void(int run)>& work) {
  std::atomic<int> next = 1;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back([&] {
      for (int run = next++; run <= kRuns; run = next++) {
        work(run);
      }
    });
  }
}

bool is_within(const Interval& interval, double truth) {
  return std::abs(interval.middle - truth) <= interval.half_width;
}

bool print(const std::string& what, double truth, const Tally& tally) {
  const int runs = kRuns - tally.missing;
  // of fewer intervals the same share, less 2.5 standard deviations
  const double fewest = 0.95 * runs - 2.5 * std::sqrt(0.95 * 0.05 * runs);
  const bool is_enough = runs == kRuns ? tally.covered >= kFewest : tally.covered >= fewest;
  fmt::print("{:<58} {:>12.6g}  {:>3} of {:>3}{}{}\n", what, truth, tally.covered, runs,
             tally.stable + tally.unstable > 0
                 ? fmt::format("  {} stable, {} unstable", tally.stable, tally.unstable)
                 : "",
             is_enough ? "" : "  TOO FEW");
  std::fflush(stdout);
  return is_enough;
}

// --- growth and verdict of a loop over a link with chance
// -----------------------------------------

/// A joint whose states cross a link of 5 ms that loses some, alone or in bursts.
struct LossyLoop {
  const char* name;
  const char* netem;
  double loss;      ///< chance to begin a burst, or to lose a message
  double recovery;  ///< chance to end it; 0: messages are lost one by one
  double gain;
  double hold_s;
};

/// The exponent of q' = q - h K q(n + lost in a row ago) with nothing of the program in it, over a
/// million times as many steps as there are in a swing.
double exponent_of(const LossyLoop& loop) {
  constexpr int kDelay = 5;
  constexpr int kMost = 1024;
  constexpr std::int64_t kSteps = 40'000'000;
  constexpr double kPeriod_s = 1e-3;
  RandomStream stream(4711, "truth");
  std::vector<double> states(kMost, 1.0);
  int now = 0;
  int lost = 0;
  bool is_bad = false;
  double sum = 0.0;
  for (std::int64_t k = 1; k <= kSteps; ++k) {
    const double draw = stream.uniform();
    is_bad = loop.recovery > 0.0 && is_bad ? draw >= loop.recovery : draw < loop.loss;
    lost = is_bad ? lost + 1 : 0;
    const int then = (now + kMost - std::min(kDelay + lost, kMost - 1)) % kMost;
    const double next = states[static_cast<std::size_t>(now)] -
                        kPeriod_s * loop.gain * states[static_cast<std::size_t>(then)];
    now = (now + 1) % kMost;
    states[static_cast<std::size_t>(now)] = next;
    if (k % 4000 == 0) {
      double size = 0.0;
      for (const double state : states) {
        size = std::max(size, std::abs(state));
      }
      for (double& state : states) {
        state /= size;
      }
      sum += std::log(size);
    }
  }
  return sum / (static_cast<double>(kSteps) * kPeriod_s);
}

bool cover_growth() {
  bool is_enough = true;
  for (const LossyLoop& loop : {
           LossyLoop{"loss 30%, 2 s", "delay 5ms loss 30%", 0.3, 0.0, 262.0, 2.0},
           LossyLoop{"loss 30%, 2 s", "delay 5ms loss 30%", 0.3, 0.0, 269.1, 2.0},
           LossyLoop{"loss 30%, 10 s", "delay 5ms loss 30%", 0.3, 0.0, 269.1, 10.0},
           LossyLoop{"loss 30%, 2 s", "delay 5ms loss 30%", 0.3, 0.0, 276.0, 2.0},
           LossyLoop{"loss 60%, 10 s", "delay 5ms loss 60%", 0.6, 0.0, 240.5, 10.0},
           LossyLoop{"bursts of 5, 2 s", "delay 5ms loss gemodel 4% 20%", 0.04, 0.2, 245.0, 2.0},
       }) {
    const double truth = exponent_of(loop);
    Tally tally;
    std::mutex mutex;
    for_each_run([&](int run) {
      const ordered_json results =
          oracles::record("one-joint",
                          {fmt::format("seed={}", run), fmt::format("gain={}", loop.gain),
                           fmt::format("link.states.netem={}", loop.netem), "engine=kinematic",
                           fmt::format("task.hold={}s", loop.hold_s)})
              .results;
      const ordered_json& error = results["growth_standard_error_per_s"];
      const std::lock_guard lock(mutex);
      tally.missing += error.is_null() ? 1 : 0;
      tally.covered += !error.is_null() && is_within({results["growth_per_s"].get<double>(),
                                                      2.0 * error.get<double>()},
                                                     truth)
                           ? 1
                           : 0;
      tally.stable += results["stable"] == true ? 1 : 0;
      tally.unstable += results["stable"] == false ? 1 : 0;
    });
    is_enough =
        print(fmt::format("growth in 1/s, {}, gain {:g}", loop.name, loop.gain), truth, tally) &&
        is_enough;
  }
  return is_enough;
}

// --- cycle times over a link whose jitter remembers
// -----------------------------------------------

std::string components(const std::string& link, int seed) {
  return fmt::format(
      "title: a client and a server\nlength: 12s\nseed: {}\nengine: kinematic\n"
      "physics: {{period: 20ms}}\n"
      "network:\n  hosts: [a, b]\n  links: {{cable: {{between: [a, b], framing: none, {}}}}}\n"
      "  flows: udp\n"
      "actors:\n  system: {{kind: middleware, settle: 2s}}\n"
      "  Client: {{kind: component, host: a, period: 10ms, "
      "calls: {{ask: {{to: Server, request_bytes: 100}}}}}}\n"
      "  Server: {{kind: component, host: b, serves: {{ask: {{reply_bytes: 100, execution: "
      "200us}}}}}}\n",
      seed, link);
}

/// What the middleware measured; the cell has no arm, so that no oracle records it.
ordered_json measured(const std::string& link, int seed) {
  static const cell::Plugins kPlugins = labs::built_in_plugins();
  const cell::PreparedScenario prepared =
      cell::load_scenario_text(components(link, seed), "components.yaml", {}, kPlugins);
  cell::Run run(prepared);
  run.run_until(run.end());
  return run.results()["system"];
}

bool cover_cycle_times() {
  bool is_enough = true;
  for (const auto& [name, jitter] : {std::pair{"independent jitter", "delay 2ms 1ms"},
                                     std::pair{"jitter correlated by 75 %", "delay 2ms 1ms 75%"},
                                     std::pair{"jitter correlated by 95 %", "delay 2ms 1ms 95%"}}) {
    const double truth = measured("netem: delay 2ms", 1)["cycle_time_mean_s"].get<double>();
    Tally tally;
    std::mutex mutex;
    for_each_run([&](int run) {
      const ordered_json results = measured(fmt::format("netem: {}", jitter), run);
      const Interval interval{results["cycle_time_mean_s"].get<double>(),
                              results["cycle_time_ci95_s"].get<double>()};
      const std::lock_guard lock(mutex);
      tally.covered += is_within(interval, truth) ? 1 : 0;
    });
    is_enough = print(fmt::format("cycle time in s, {}", name), truth, tally) && is_enough;
  }
  return is_enough;
}

// --- studies: means over seeds
// --------------------------------------------------------------------

bool cover_seeds() {
  // age of states that are lost by chance p: d + h (1 + p)/(2 (1 - p))
  const double truth = 5e-3 + 1e-3 * 1.3 / (2.0 * 0.7);
  bool is_enough = true;
  for (const int seeds : {2, 5, 20}) {
    Tally tally;
    std::mutex mutex;
    for_each_run([&](int run) {
      Scatter scatter;
      for (int i = 0; i < seeds; ++i) {
        scatter.add(oracles::record("one-joint", {fmt::format("seed={}", run * seeds + i),
                                                  "link.states.netem=delay 5ms loss 30%",
                                                  "engine=kinematic", "task.hold=500ms"})
                        .results["link"]["states"]["age_mean_s"]
                        .get<double>());
      }
      const Interval interval{scatter.mean(), ConfidenceInterval().half_width(scatter).value()};
      const std::lock_guard lock(mutex);
      tally.covered += is_within(interval, truth) ? 1 : 0;
    });
    is_enough = print(fmt::format("mean of {} seeds, age of states in s", seeds), truth, tally) &&
                is_enough;
  }
  return is_enough;
}

// --- oracles: means of waits in a queue
// -----------------------------------------------------------

bool cover_batch_means() {
  // M/M/1, ρ = 1/2, μ = 1: a mean wait of 1, each by Lindley's recursion from the one before
  Tally tally;
  std::mutex mutex;
  for_each_run([&](int run) {
    RandomStream stream(static_cast<std::uint64_t>(run), "queue");
    std::vector<double> waits;
    double wait = 0.0;
    for (int i = 0; i < 200'000; ++i) {
      waits.push_back(wait);
      const double service = -std::log1p(-stream.uniform());
      const double gap = -2.0 * std::log1p(-stream.uniform());
      wait = std::max(0.0, wait + service - gap);
    }
    const oracles::Estimate found = oracles::batch_means(waits);
    const std::lock_guard lock(mutex);
    tally.covered += is_within({found.mean, 1.984 * found.standard_error}, 1.0) ? 1 : 0;
  });
  return print("standard errors of oracles, wait of M/M/1", 1.0, tally);
}

int cover() {
  fmt::print("{:<58} {:>12}  truth within\n", "interval (95 %)", "truth");
  const auto begin = std::chrono::steady_clock::now();
  const bool has_growth = cover_growth();
  const bool has_cycles = cover_cycle_times();
  const bool has_seeds = cover_seeds();
  const bool has_batches = cover_batch_means();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  fmt::print("\nat least {} of {} each; {:.0f} s\n", kFewest, kRuns, taken.count());
  return has_growth && has_cycles && has_seeds && has_batches ? 0 : 1;
}

}  // namespace
}  // namespace longarm

int main() {
  return longarm::cover();
}
