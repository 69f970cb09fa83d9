// SPDX-License-Identifier: Apache-2.0
// What a simulated remote procedure call costs: the load of Krauß et al. 2018, 50 components that
// make 8 000 of them a second.
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/components/names.h"
#include "longarm/components/node.h"
#include "longarm/components/periodic.h"
#include "longarm/components/simulation.h"

namespace {

using namespace longarm;
using namespace longarm::components;
using namespace std::chrono_literals;

constexpr int kHosts = 5;
constexpr int kPairs = 25;
constexpr Duration kPeriod = 3125us;  // 25 callers at 320 Hz: 8 000 calls a second
constexpr Duration kSpan = 10s;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Counter final : NodeObserver {
  void called(const CallRecord& record) override {
    ++calls;
    failures += record.has_failed ? 1 : 0;
    sum += record.reply_arrived - record.called;
  }
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  Duration sum{0};
};

struct Component {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Processor> processor;
  std::unique_ptr<Node> node;
  std::unique_ptr<Periodic> loop;
};

sim::Task<Bytes> answer(Node* node, Duration work) {
  co_await node->compute(work);
  co_return Bytes(200);
}
sim::Task<void> ask(Node* node, const std::string* server) {
  Result<Bytes> reply = co_await node->call_raw(*server, "get", Bytes(200));
  (void)reply;
}

network::Topology star() {
  network::Topology topology;
  for (int i = 0; i < kHosts; ++i) {
    topology.nodes.push_back({.name = fmt::format("pc{}", i + 1)});
  }
  topology.nodes.push_back({.name = "switch", .is_switch = true});
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    network::Cable cable;
    cable.name = fmt::format("cable{}", i + 1);
    cable.ends[0] = network::NodeId(i);
    cable.ends[1] = network::NodeId(kHosts);
    cable.rate_bit_s = 1e9;
    cable.propagation = 1us;
    topology.cables.push_back(cable);
  }
  return topology;
}

std::vector<network::Host> hosts_of(const network::Topology& topology, bool has_costs) {
  std::vector<double> measured;
  for (int i = 0; i < 1000; ++i) {
    measured.push_back(2e-6 + 1e-8 * i);  // 2 to 12 µs
  }
  const auto drawn = std::make_shared<const std::vector<double>>(std::move(measured));
  std::vector<network::Host> hosts(topology.nodes.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    network::Host& host = hosts[i];
    host.name = topology.nodes[i].name;
    if (has_costs) {
      host.cores = 4;
      for (network::VaryingTime* time : {&host.stack_send, &host.stack_receive, &host.loopback,
                                         &host.serialise, &host.deserialise}) {
        time->sorted_s = drawn;
      }
    }
  }
  return hosts;
}

/// CPU seconds for kSpan of simulated time.
void measure(const std::string& what, bool is_ideal, bool has_costs, bool is_spread) {
  sim::Kernel kernel;
  const network::Topology topology = star();
  network::Network network(kernel,
                           is_ideal ? network::make_ideal_backend(topology)
                                    : network::make_builtin_backend(topology, {}),
                           hosts_of(topology, has_costs), 1);
  SimulatedHosts hosts(kernel, network, topology, 1);
  Counter counter;
  std::vector<Component> all(2 * kPairs + 1);
  std::vector<std::string> servers;
  Address names_at;
  std::unique_ptr<NameService> names;
  for (int i = 0; i <= 2 * kPairs; ++i) {
    Component& component = all[static_cast<std::size_t>(i)];
    const std::string name = i == 0 ? "names" : fmt::format("Component{}", i);
    const std::string host = is_spread ? fmt::format("pc{}", 1 + i % kHosts) : "pc1";
    component.transport = hosts.make_transport(name, host);
    component.processor = hosts.make_processor(name, host);
    NodeSetup setup;
    setup.name = name;
    setup.name_service = names_at;
    setup.observer = &counter;
    component.node =
        std::make_unique<Node>(kernel, *component.transport, *component.processor, setup);
    if (i == 0) {
      names = std::make_unique<NameService>(*component.node);
      names_at = component.transport->address();
    }
  }
  for (int i = 1; i <= kPairs; ++i) {
    servers.push_back(fmt::format("Component{}", 2 * i));
  }
  for (std::size_t i = 0; i < kPairs; ++i) {
    Node* server = all[2 * i + 2].node.get();
    server->serve_raw("get", [server, has_costs](const Bytes&) {
      return answer(server, has_costs ? Duration(20us) : Duration(0));
    });
    Node* client = all[2 * i + 1].node.get();
    const std::string* name = &servers[i];
    all[2 * i + 1].loop = std::make_unique<Periodic>(
        *client, PeriodicSettings{.period = kPeriod, .phase = 10ms + 7301ns * (i + 1)},
        [client, name] { return ask(client, name); });
  }

  const double start = cpu_s();
  const Result<Time> end = kernel.run_until(Time(kSpan));
  const double used = cpu_s() - start;
  const auto calls = static_cast<double>(counter.calls);
  fmt::print("{:<58} {:>8} {:>9.2f} {:>10.1f} {:>9.0f}\n", what, counter.calls, 1e6 * used / calls,
             1e6 * to_seconds(counter.sum) / calls, to_seconds(kSpan) / used);
  if (!end || counter.failures > 0) {
    fmt::print("  {} failed{}\n", counter.failures, end ? "" : ": " + end.error().message);
  }
}

}  // namespace

int main() {
  fmt::print("{:<58} {:>8} {:>9} {:>10} {:>9}\n",
             "50 components, 8 000 calls of 200 + 200 B a second", "calls", "us CPU", "us each",
             "x real");
  measure("one host, nothing costs anything", true, false, false);
  measure("one host, 4 cores, drawn costs", true, true, false);
  measure("five hosts, TCP over a switch, nothing else costs", false, false, true);
  measure("five hosts, TCP over a switch, 4 cores, drawn costs", false, true, true);
  return 0;
}
