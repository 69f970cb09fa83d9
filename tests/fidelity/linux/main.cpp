// SPDX-License-Identifier: Apache-2.0
// Linux's TCP and the built-in one through the same link model, side by side. Exit code 77: this
// machine does not allow it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/fidelity/linux/rpc_trial.h"

namespace longarm::fidelity {
namespace {

constexpr int kSkipped = 77;
constexpr double kP50Limit = 0.01;
constexpr double kP99Limit = 0.05;

struct Case {
  std::string name;
  RpcTrial trial;
  bool has_tail = true;  ///< whether there are enough calls for a p99
};

std::vector<Case> cases(int calls) {
  std::vector<Case> all;
  for (const std::string congestion : {"reno", "cubic"}) {
    RpcTrial lossy;
    lossy.netem = "delay 20ms 5ms loss 1%";
    lossy.congestion = congestion;
    lossy.connections = 4;
    lossy.calls = calls / lossy.connections;
    all.push_back({"200 B + 200 B, 20 ± 5 ms, loss 1 %, " + congestion, lossy, true});
  }
  RpcTrial bulk;
  bulk.netem = "rate 1mbit delay 50ms";
  bulk.request_bytes = 100'000;
  bulk.calls = 1;  // the first of a connection: the window is what it is at the start
  all.push_back({"100 kB + 200 B, 1 Mbit/s, 50 ms, reno", bulk, false});
  return all;
}

double off(double ours, double theirs) {
  return ours / theirs - 1.0;
}

/// Prints a line; whether the two agree.
bool print_comparison(const Case& each, const RpcTimes& linux_times, const RpcTimes& ours) {
  const auto line = [](const char* who, const RpcTimes& times) {
    fmt::print("  {:8} p50 {:8.3f}  p90 {:8.3f}  p99 {:8.3f}  max {:8.1f} ms  ({} calls)\n", who,
               1e3 * times.quantile(0.5), 1e3 * times.quantile(0.9), 1e3 * times.quantile(0.99),
               1e3 * times.seconds.back(), times.seconds.size());
  };
  fmt::print("{}\n", each.name);
  line("Linux", linux_times);
  line("built-in", ours);
  const double p50 = off(ours.quantile(0.5), linux_times.quantile(0.5));
  const double p99 = off(ours.quantile(0.99), linux_times.quantile(0.99));
  const bool is_good = std::abs(p50) <= kP50Limit && (!each.has_tail || std::abs(p99) <= kP99Limit);
  fmt::print("  off by   p50 {:+.2f} %{}   {}\n", 100.0 * p50,
             each.has_tail ? fmt::format("  p99 {:+.2f} %", 100.0 * p99) : "",
             is_good ? "agrees" : "DOES NOT AGREE");
  fmt::print("  relay    late by {:.0f} us on average, {:.1f} ms at most; real-time priority: {}\n",
             1e6 * linux_times.relay.mean_s, 1e3 * linux_times.relay.max_s,
             linux_times.has_real_time ? "yes" : "no");
  return is_good;
}

int compare_all(int calls) {
  bool is_good = true;
  for (const Case& each : cases(calls)) {
    const Result<RpcTimes> ours = simulate(each.trial);
    if (!ours) {
      fmt::print("{}: {}\n", each.name, ours.error().message);
      return 1;
    }
    const Result<RpcTimes> theirs = measure_on_linux(each.trial);
    if (!theirs) {
      fmt::print("skipped: {}\n", theirs.error().message);
      return kSkipped;
    }
    is_good = print_comparison(each, *theirs, *ours) && is_good;
    std::fflush(stdout);
  }
  return is_good ? 0 : 1;
}

/// What must hold on any machine, however busy: calls complete, and none is faster than its link.
int check_mechanics() {
  RpcTrial trial;
  trial.netem = "delay 4ms loss 2%";
  trial.connections = 2;
  trial.calls = 25;
  const Result<RpcTimes> theirs = measure_on_linux(trial);
  if (!theirs) {
    fmt::print("skipped: {}\n", theirs.error().message);
    return kSkipped;
  }
  const Result<RpcTimes> ours = simulate(trial);
  if (!ours) {
    fmt::print("{}\n", ours.error().message);
    return 1;
  }
  fmt::print("fastest call: Linux {:.3f} ms, built-in {:.3f} ms; {} packets, {} dropped\n",
             1e3 * theirs->seconds.front(), 1e3 * ours->seconds.front(), theirs->relay.packets,
             theirs->relay.dropped);
  const bool is_good = theirs->seconds.size() == 50 && ours->seconds.size() == 50 &&
                       theirs->seconds.front() >= 8e-3 && ours->seconds.front() == 8e-3 &&
                       theirs->relay.packets >= 100;
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace longarm::fidelity

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "--mechanics") {
    return longarm::fidelity::check_mechanics();
  }
  if (word == "--calls" && argc > 2 && std::atoi(argv[2]) >= 100) {
    return longarm::fidelity::compare_all(std::atoi(argv[2]));
  }
  fmt::print(stderr,
             "usage: longarm_linux_fidelity --calls N (at least 100) | --mechanics\n"
             "Compares this machine's TCP with the built-in one through the same link model.\n");
  return 2;
}
