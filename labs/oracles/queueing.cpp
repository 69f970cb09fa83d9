// SPDX-License-Identifier: Apache-2.0
// Oracles of queues: random traffic on one cable, or at one core of its sender, waits as long as
// queueing theory says.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "labs/labs.h"
#include "labs/oracles/groups.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"

namespace longarm::oracles {
namespace {

constexpr const char* kQueueingGroup = "queueing";
// 1000 bytes at 8 Mbit/s
constexpr double kService_ms = 1.0;
constexpr int kSeeds = 20;
constexpr double kMostError = 0.007;

/// One stream of messages; the first goes first where two wait.
struct Stream {
  double load = 0.0;  ///< part of the cable's rate
  const char* sizes = "fixed";
};

/// Of the first stream, from sending to arrival, in ms.
struct Sojourn {
  double mean_ms = 0.0;
  double error_ms = 0.0;  ///< standard error of the mean
};

/// What a message of 1000 bytes keeps busy for 1 ms, one after the other.
enum class Server { kCable, kCore };

std::string network_of(Server server, std::size_t priorities) {
  if (server == Server::kCore) {
    return "  hosts: {source: {cores: 1, scheduling: fifo, stack_send: {per_byte_ns: 1000}, "
           "stack_uses_cores: true}, sink: {}}\n"
           "  links:\n    cable: {between: [source, sink], framing: none}\n";
  }
  return fmt::format(
      "  hosts: [source, sink]\n  links:\n    cable: {{between: [source, sink], rate: 8Mbit, "
      "framing: none, queue: {{limit_packets: 1000000, priorities: {}}}}}\n",
      priorities);
}

std::string scenario_of(const std::vector<Stream>& streams, Server server, double length_s,
                        int seed) {
  std::string text = fmt::format(
      "title: a queue\nlength: {}ms\nseed: {}\nengine: kinematic\nphysics: {{period: 20ms}}\n"
      "network:\n{}actors:\n",
      std::llround(1e3 * length_s), seed, network_of(server, streams.size()));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    text += fmt::format(
        "  stream_{}: {{kind: traffic, host: source, to: sink, pattern: poisson, rate: {}bit, "
        "size_bytes: 1000, sizes: {}, transport: raw, priority: {}}}\n",
        i, std::llround(8e6 * streams[i].load), streams[i].sizes, i);
  }
  return text;
}

/// Of one of the streams, over seeds; `packets` are of all of them together.
Sojourn simulate(const std::vector<Stream>& streams, Server server, std::size_t which,
                 double packets) {
  static const cell::Plugins kPlugins = labs::built_in_plugins();
  double load = 0.0;
  for (const Stream& stream : streams) {
    load += stream.load;
  }
  const double length_s = packets / kSeeds / (load * 1e3 / kService_ms);
  double sum = 0.0;
  double squares = 0.0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const cell::PreparedScenario prepared = cell::load_scenario_text(
        scenario_of(streams, server, length_s, seed), "queue.yaml", {}, kPlugins);
    cell::Run run(prepared);
    run.run_until(Time(prepared.scenario.cell.length.value()));
    if (run.failure()) {
      throw std::runtime_error(*run.failure());
    }
    const double mean_ms =
        1e3 * run.results()[fmt::format("stream_{}", which)]["delay_mean_s"].get<double>();
    sum += mean_ms;
    squares += mean_ms * mean_ms;
  }
  const double mean_ms = sum / kSeeds;
  const double variance = (squares - kSeeds * mean_ms * mean_ms) / (kSeeds - 1);
  return {mean_ms, std::sqrt(variance / kSeeds)};
}

Comparison compare(double expected_ms, const Sojourn& found) {
  const double part = found.error_ms / expected_ms;
  if (part > kMostError) {
    throw std::runtime_error(fmt::format("a standard error of {:.2f} % says nothing", 100 * part));
  }
  return {expected_ms, found.mean_ms, 3.0 * found.error_ms,
          fmt::format("three standard errors of {:.2f} %, over {} seeds", 100 * part, kSeeds)};
}

void add(std::vector<Oracle>& all, std::string name, std::string what, double expected_ms,
         std::vector<Stream> streams, std::size_t which, double packets,
         Server server = Server::kCable) {
  all.push_back({std::move(name), kQueueingGroup, std::move(what), "ms",
                 [expected_ms, streams = std::move(streams), which, packets, server] {
                   return compare(expected_ms, simulate(streams, server, which, packets));
                 }});
}

}  // namespace

void add_queueing_oracles(std::vector<Oracle>& all) {
  struct Case {
    double load;
    double packets;  ///< so that the standard error is small enough
  };
  for (const Case& c : {Case{0.3, 4e5}, Case{0.6, 1e6}, Case{0.9, 1.4e7}}) {
    const double rho = c.load;
    const std::string load = fmt::format("{:g}", rho);
    add(all, "queue-md1-" + load,
        "messages of one size sent at random: s + ρ·s / (2·(1 − ρ)), ρ = " + load,
        kService_ms * (1.0 + rho / (2.0 * (1.0 - rho))), {{rho, "fixed"}}, 0, c.packets / 2);
    add(all, "queue-mm1-" + load,
        "sizes drawn from an exponential distribution: s / (1 − ρ), ρ = " + load,
        kService_ms / (1.0 - rho), {{rho, "exponential"}}, 0, c.packets);
    add(all, "queue-stack-" + load,
        "network stack on one core, messages of one size: s + ρ·s / (2·(1 − ρ)), ρ = " + load,
        kService_ms * (1.0 + rho / (2.0 * (1.0 - rho))), {{rho, "fixed"}}, 0, c.packets / 2,
        Server::kCore);
    // Cobham: what is being sent is finished, then the first class goes first
    const double residual_ms = rho * kService_ms / 2.0;
    const std::vector<Stream> both{{rho / 2, "fixed"}, {rho / 2, "fixed"}};
    add(all, "queue-first-of-two-" + load,
        "two priorities, half of the load each, the first: s + W₀ / (1 − ρ₁), ρ = " + load,
        kService_ms + residual_ms / (1.0 - rho / 2), both, 0, c.packets / 4);
    add(all, "queue-second-of-two-" + load,
        "and the second: s + W₀ / ((1 − ρ₁)·(1 − ρ)), ρ = " + load,
        kService_ms + residual_ms / ((1.0 - rho / 2) * (1.0 - rho)), both, 1, c.packets);
  }
}

}  // namespace longarm::oracles
