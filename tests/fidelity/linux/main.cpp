// SPDX-License-Identifier: Apache-2.0
// Linux's TCP and the built-in one through the same link model, side by side. Exit code 77: this
// machine does not allow it.
#include <algorithm>
#include <cmath>
#include <cstdint>
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
constexpr double kMeanLimit = 0.1;
constexpr int kBulkConnections = 8;
constexpr int kBulkRepetitions = 10;  // of the simulation, with other losses each

enum class Claim : std::uint8_t {
  kMedian,
  kMedianAndTail,  ///< where there are enough calls for a p99
  kMean,           ///< of a few long ones; the simulated ones are repeated
};

struct Case {
  std::string name;
  RpcTrial trial;
  Claim claim = Claim::kMedianAndTail;
  double p50_limit = kP50Limit;
  double p99_limit = kP99Limit;
};

/// Transfers that each take about 40 s over 40 ms there and back.
Case lossy_bulk(const std::string& congestion, const std::string& loss, std::uint32_t bytes) {
  RpcTrial bulk;
  // a rate that Linux can really fill: HyStart looks at how fast acknowledgements come
  bulk.netem = "limit 100000 delay 20ms rate 200mbit loss " + loss + "%";
  bulk.congestion = congestion;
  bulk.request_bytes = bytes;
  bulk.connections = kBulkConnections;
  bulk.calls = 1;
  return {fmt::format("{} MB, 20 ms, loss {} %, {}", bytes / 1'000'000, loss, congestion), bulk,
          Claim::kMean};
}

/// A robot's status, 125 times a second for a minute, with 1 % of packets lost. Limits are wider
/// than those of calls: Linux's own way through its stack, 0.2 ms, is in its figures; and where the
/// stream is nearly all that TCP carries, the delay is that of a queue close to saturation.
Case lossy_stream(int latency_ms, double p50_limit, double p99_limit) {
  RpcTrial stream;
  stream.netem = fmt::format("limit 100000 delay {}ms loss 1%", latency_ms);
  stream.congestion = "cubic";
  stream.request_bytes = 1116;
  stream.connections = 32;
  stream.calls = 7500;
  stream.period = std::chrono::milliseconds(8);
  return {fmt::format("stream of 1116 B every 8 ms, {} ms, loss 1 %, cubic", latency_ms), stream,
          Claim::kMedianAndTail, p50_limit, p99_limit};
}

std::vector<Case> cases(int calls) {
  std::vector<Case> all;
  for (const std::string congestion : {"reno", "cubic"}) {
    RpcTrial lossy;
    lossy.netem = "delay 20ms 5ms loss 1%";
    lossy.congestion = congestion;
    lossy.connections = 4;
    lossy.calls = calls / lossy.connections;
    all.push_back({"200 B + 200 B, 20 ± 5 ms, loss 1 %, " + congestion, lossy});
  }
  RpcTrial bulk;
  bulk.netem = "rate 1mbit delay 50ms";
  bulk.request_bytes = 100'000;
  bulk.calls = 1;  // the first of a connection: the window is what it is at the start
  all.push_back({"100 kB + 200 B, 1 Mbit/s, 50 ms, reno", bulk, Claim::kMedian});
  for (const std::string congestion : {"reno", "cubic"}) {
    all.push_back(lossy_bulk(congestion, "0.1", 60'000'000));
    all.push_back(lossy_bulk(congestion, "0.5", 24'000'000));
    all.push_back(lossy_bulk(congestion, "1", 16'000'000));
    all.push_back(lossy_bulk(congestion, "3", 8'000'000));
  }
  all.push_back(lossy_stream(6, 0.05, 0.1));
  all.push_back(lossy_stream(21, 0.05, 0.2));
  all.push_back(lossy_stream(42, 0.5, 1.2));
  return all;
}

double off(double ours, double theirs) {
  return ours / theirs - 1.0;
}

void print_relay(const RpcTimes& times) {
  fmt::print("  relay    late by {:.0f} us on average, {:.1f} ms at most; real-time priority: {}\n",
             1e6 * times.relay.mean_s, 1e3 * times.relay.max_s, times.has_real_time ? "yes" : "no");
}

/// Prints a line; whether the two agree.
bool print_calls(const Case& each, const RpcTimes& linux_times, const RpcTimes& ours) {
  const auto line = [](const char* who, const RpcTimes& times) {
    fmt::print("  {:8} p50 {:8.3f}  p90 {:8.3f}  p99 {:8.3f}  max {:8.1f} ms  ({} calls)\n", who,
               1e3 * times.quantile(0.5), 1e3 * times.quantile(0.9), 1e3 * times.quantile(0.99),
               1e3 * times.seconds.back(), times.seconds.size());
  };
  line("Linux", linux_times);
  line("built-in", ours);
  const bool has_tail = each.claim == Claim::kMedianAndTail;
  const double p50 = off(ours.quantile(0.5), linux_times.quantile(0.5));
  const double p99 = off(ours.quantile(0.99), linux_times.quantile(0.99));
  const bool is_good =
      std::abs(p50) <= each.p50_limit && (!has_tail || std::abs(p99) <= each.p99_limit);
  fmt::print("  off by   p50 {:+.2f} %{}   {}\n", 100.0 * p50,
             has_tail ? fmt::format("  p99 {:+.2f} %", 100.0 * p99) : "",
             is_good ? "agrees" : "DOES NOT AGREE");
  return is_good;
}

/// The same for transfers whose losses are few, so that even the true mean would be off a little.
bool print_transfers(const Case& each, const RpcTimes& linux_times, const RpcTimes& ours) {
  const double megabits = 8e-6 * each.trial.request_bytes;
  const auto line = [megabits](const char* who, const RpcTimes& times) {
    fmt::print("  {:8} {:7.3f} s +- {:.3f}, {:6.3f} Mbit/s  ({} transfers)\n", who, times.mean(),
               times.standard_error(), megabits / times.mean(), times.seconds.size());
  };
  line("Linux", linux_times);
  line("built-in", ours);
  const double mean = off(ours.mean(), linux_times.mean());
  const double noise = std::hypot(linux_times.standard_error() / linux_times.mean(),
                                  ours.standard_error() / ours.mean());
  const bool is_good = std::abs(mean) <= kMeanLimit + 2.0 * noise;
  fmt::print("  off by   {:+.1f} % +- {:.1f} %   {}\n", 100.0 * mean, 100.0 * noise,
             is_good ? "agrees" : "DOES NOT AGREE");
  return is_good;
}

Result<RpcTimes> simulate_repeatedly(const Case& each) {
  const bool is_repeated = each.claim == Claim::kMean || each.trial.is_stream();
  const int repetitions = is_repeated ? kBulkRepetitions : 1;
  RpcTimes all;
  for (int i = 0; i < repetitions; ++i) {
    RpcTrial trial = each.trial;
    trial.seed += static_cast<std::uint64_t>(i);
    const Result<RpcTimes> times = simulate(trial);
    if (!times) {
      return times;
    }
    all.seconds.insert(all.seconds.end(), times->seconds.begin(), times->seconds.end());
  }
  std::sort(all.seconds.begin(), all.seconds.end());
  return all;
}

int compare_all(int calls, const std::string& only) {
  bool is_good = true;
  for (const Case& each : cases(calls)) {
    if (each.name.find(only) == std::string::npos) {
      continue;
    }
    const Result<RpcTimes> ours = simulate_repeatedly(each);
    if (!ours) {
      fmt::print("{}: {}\n", each.name, ours.error().message);
      return 1;
    }
    const Result<RpcTimes> theirs = measure_on_linux(each.trial);
    if (!theirs) {
      fmt::print("skipped: {}\n", theirs.error().message);
      return kSkipped;
    }
    fmt::print("{}\n", each.name);
    const auto print = each.claim == Claim::kMean ? print_transfers : print_calls;
    is_good = print(each, *theirs, *ours) && is_good;
    print_relay(*theirs);
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
    return longarm::fidelity::compare_all(std::atoi(argv[2]), argc > 3 ? argv[3] : "");
  }
  fmt::print(
      stderr,
      "usage: longarm_linux_fidelity --calls N (at least 100) [PART_OF_A_NAME] | --mechanics\n"
      "Compares this machine's TCP with the built-in one through the same link model.\n");
  return 2;
}
