// SPDX-License-Identifier: Apache-2.0
// What the built-in network costs: calls across a star in lock-steps of 1 ms, beside plain ns-3
// where it was built, a component system's load, many hosts, and milliseconds without traffic.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <time.h>

#include "longarm/network/backend.h"
#include "longarm/network/network.h"
#include "longarm/sim/kernel.h"

namespace {

using namespace longarm;
using namespace longarm::network;
using namespace std::chrono_literals;

constexpr std::uint32_t kMessageBytes = 200;
constexpr Duration kOffset{7301};  // of one pair after the other, off the grid

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Load {
  int hosts = 8;
  int calls_per_ms = 1;  ///< of each pair
  Duration length{2'000'000'000};
  Transport transport = Transport::kUdp;
  bool has_queues_that_decide = false;  ///< CoDel and two priorities on every cable
  int udp_calls_per_ms = 0;             ///< of each pair, beside the others
};

struct Cost {
  double cpu_s = 0.0;
  double calls = 0.0;
  double events = 0.0;
};

Topology star(const Load& load) {
  Topology topology;
  for (int i = 0; i < load.hosts; ++i) {
    topology.nodes.push_back({"h" + std::to_string(i)});
    Cable cable;
    cable.name = "c" + std::to_string(i);
    cable.ends[0] = NodeId{static_cast<std::uint32_t>(i)};
    cable.ends[1] = NodeId{static_cast<std::uint32_t>(load.hosts)};
    cable.rate_bit_s = 1e9;
    cable.propagation = 1us;
    cable.framing = Framing::kPpp;
    if (load.has_queues_that_decide) {
      cable.queue.kind = QueueKind::kCoDel;
      cable.queue.priorities = 2;
    }
    topology.cables.push_back(std::move(cable));
  }
  topology.nodes.push_back({"hub", true});
  return topology;
}

FlowRequest request_of(int pair, Transport transport) {
  FlowRequest request;
  request.opener = NodeId{static_cast<std::uint32_t>(2 * pair)};
  request.peer = NodeId{static_cast<std::uint32_t>(2 * pair + 1)};
  request.options.transport = transport;
  return request;
}

/// The backend alone, as another simulator would be driven.
Cost drive_backend(const Load& load) {
  const std::unique_ptr<Backend> backend = make_builtin_backend(star(load), {});
  const int pairs = load.hosts / 2;
  std::vector<FlowId> flows;
  std::vector<FlowId> udp_flows;
  for (int pair = 0; pair < pairs; ++pair) {
    flows.push_back(*backend->open(request_of(pair, load.transport), Time{}));
    udp_flows.push_back(*backend->open(request_of(pair, Transport::kUdp), Time{}));
  }
  std::vector<Delivery> out;
  std::uint64_t message = 0;
  Cost cost;
  const double start_s = cpu_s();
  for (Time step = Time(10ms); step < Time(10ms) + load.length; step += 1ms) {
    const auto call = [&](const std::vector<FlowId>& on, int calls, Duration shift) {
      for (int i = 0; i < calls; ++i) {
        const Time begin = step + shift + i * (1ms / std::max(calls, 1));
        for (int pair = 0; pair < pairs; ++pair) {
          backend->send(on[static_cast<std::size_t>(pair)], Side::kOpener, MessageId{++message},
                        kMessageBytes, begin + pair * kOffset % 900us);
        }
      }
    };
    call(flows, load.calls_per_ms, 0ns);
    call(udp_flows, load.udp_calls_per_ms, 411ns);
    const Time end = step + 1ms;
    while (backend->next_event() < end) {
      out.clear();
      (void)backend->advance(end, out);
      for (const Delivery& each : out) {
        if (each.fate == Fate::kDelivered && each.side == Side::kPeer) {
          backend->send(each.flow, Side::kPeer, MessageId{++message}, kMessageBytes, each.time);
        } else if (each.fate == Fate::kDelivered) {
          cost.calls += 1.0;
        }
      }
    }
  }
  cost.cpu_s = cpu_s() - start_s;
  cost.events = static_cast<double>(backend->figures().events);
  return cost;
}

/// With everything: on the kernel, between hosts whose stacks take times drawn from a distribution.
Cost drive_programs(const Load& load) {
  const Topology topology = star(load);
  std::vector<double> times_s;
  for (int i = 0; i < 1000; ++i) {
    times_s.push_back(5e-6 + 1e-8 * i);
  }
  const auto distribution = std::make_shared<const std::vector<double>>(times_s);
  std::vector<Host> hosts;
  for (const Node& node : topology.nodes) {
    Host& host = hosts.emplace_back();
    host.name = node.name;
    host.stack_send.sorted_s = distribution;
    host.stack_receive.sorted_s = distribution;
  }
  sim::Kernel kernel;
  Network network(kernel, make_builtin_backend(topology, {}), std::move(hosts), 1);
  const sim::SourceId source = kernel.add_source("callers");
  Cost cost;
  for (int pair = 0; pair < load.hosts / 2; ++pair) {
    auto flow = std::make_shared<FlowId>();
    FlowEvents events;
    events.delivered = [&network, &cost, flow](Side side, MessageId) {
      if (side == Side::kPeer) {
        network.send(*flow, Side::kPeer, kMessageBytes);
      } else {
        cost.calls += 1.0;
      }
    };
    *flow = *network.open(request_of(pair, load.transport), std::move(events));
    kernel.every(1ms, Time(10ms) + pair * kOffset, sim::Phase::kControl, source,
                 [&network, flow](Time) { network.send(*flow, Side::kOpener, kMessageBytes); });
  }
  const double start_s = cpu_s();
  (void)kernel.run_until(Time(10ms) + load.length);
  cost.cpu_s = cpu_s() - start_s;
  cost.events = static_cast<double>(network.backend().figures().events);
  return cost;
}

/// A millisecond in which nothing happens, with flows open: on the kernel that steps.
double idle_ms_us() {
  Load load;
  sim::Kernel kernel;
  const Topology topology = star(load);
  std::vector<Host> hosts(topology.nodes.size());
  Network network(kernel, make_builtin_backend(topology, {}), std::move(hosts), 1);
  for (int pair = 0; pair < load.hosts / 2; ++pair) {
    (void)network.open(request_of(pair, Transport::kTcp), {});
  }
  (void)kernel.run_until(Time(1s));
  constexpr int kSteps = 1'000'000;
  const double start_s = cpu_s();
  for (int i = 1; i <= kSteps; ++i) {
    (void)kernel.run_until(Time(1s) + i * 1ms);
  }
  return 1e6 * (cpu_s() - start_s) / kSteps;
}

Cost best_of(int times, const std::function<Cost()>& run) {
  Cost best = run();
  for (int i = 1; i < times; ++i) {
    const Cost cost = run();
    best = cost.cpu_s < best.cpu_s ? cost : best;
  }
  return best;
}

/// One line of figures from plain ns-3, if its program stands beside ours.
std::string ask_ns3() {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ns3_network_bench";
  if (!std::filesystem::exists(program)) {
    return {};
  }
  FILE* pipe = popen(("'" + program.string() + "' 2000 8").c_str(), "r");
  if (pipe == nullptr) {
    return {};
  }
  std::string text;
  std::array<char, 512> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
    text += buffer.data();
  }
  return pclose(pipe) == 0 ? text : "";
}

std::optional<double> number_after(const std::string& text, const std::string& key) {
  const std::size_t place = text.find("\"" + key + "\":");
  if (place == std::string::npos) {
    return std::nullopt;
  }
  return std::strtod(text.c_str() + place + key.size() + 3, nullptr);
}

void print(const char* what, const Cost& cost, std::optional<double> ns3_call_us) {
  const double call_us = 1e6 * cost.cpu_s / cost.calls;
  std::printf("%-44s %8.3f us/call %6.1f events/call %7.1f M events/s", what, call_us,
              cost.events / cost.calls, 1e-6 * cost.events / cost.cpu_s);
  if (ns3_call_us) {
    std::printf("  ns-3 %7.2f us: %5.0f x", *ns3_call_us, *ns3_call_us / call_us);
  }
  std::printf("\n");
}

void compare(Transport transport, const std::string& word, const std::string& ns3) {
  const std::optional<double> ns3_call_us = number_after(ns3, word + "_call_us");
  Load load;
  load.transport = transport;
  print((word + " calls, 8 hosts").c_str(), best_of(5, [&] { return drive_backend(load); }),
        ns3_call_us);
  load.has_queues_that_decide = true;
  print((word + ", CoDel and two priorities").c_str(),
        best_of(5, [&] { return drive_backend(load); }), ns3_call_us);
  print((word + ", that, kernel and drawn stack times").c_str(),
        best_of(5, [&] { return drive_programs(load); }), ns3_call_us);
}

void print_load(const char* what, const Load& load, double target_ms) {
  const Cost cost = best_of(5, [&] { return drive_backend(load); });
  const double seconds = to_seconds(load.length);
  std::printf("%-44s %8.1f ms per simulated second (at most %.0f), %.0f calls, %.0f events\n", what,
              1e3 * cost.cpu_s / seconds, target_ms, cost.calls / seconds, cost.events / seconds);
}

}  // namespace

int main() {
  const std::string ns3 = ask_ns3();
  if (ns3.empty()) {
    std::printf("ns3_network_bench is not there: no comparison\n");
  }
  compare(Transport::kUdp, "udp", ns3);
  compare(Transport::kTcp, "tcp", ns3);

  // the load of Krauß et al. 2018: 8000 TCP calls, then as much UDP beside them as makes 550 000
  // events
  Load load;
  load.transport = Transport::kTcp;
  load.calls_per_ms = 2;
  print_load("8000 TCP calls a second", load, 60.0);
  load.udp_calls_per_ms = 21;
  print_load("and more than 550 000 events", load, 60.0);

  Load many;
  many.hosts = 128;
  many.transport = Transport::kTcp;
  print_load("128 hosts, 64 pairs at 1 kHz, TCP", many, 100.0);
  std::printf("%-44s %8.3f us (at most 1)\n", "a millisecond without traffic", idle_ms_us());
  return 0;
}
