// SPDX-License-Identifier: Apache-2.0
// From keys to hosts, topology and backend.
#include "longarm/network/config/network_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/network/config/network_schedule.h"
#include "longarm/network/external/external_backend.h"
#include "longarm/network/netem/tc_units.h"

namespace longarm::network {
namespace {

constexpr const char* kStarSwitch = "switch";

std::vector<Host> hosts_of(const NetworkConfig& config) {
  if (config.star.hosts <= 0) {
    return config.hosts;
  }
  std::vector<Host> hosts;
  for (std::int64_t i = 1; i <= config.star.hosts; ++i) {
    const std::string name = fmt::format("pc{}", i);
    const auto own = std::find_if(config.hosts.begin(), config.hosts.end(),
                                  [&](const Host& host) { return host.name == name; });
    hosts.push_back(own != config.hosts.end() ? *own : config.host_defaults);
    hosts.back().name = name;
  }
  return hosts;
}

Cable make_cable(const std::string& name, NodeId first, NodeId second, const CableConfig& config,
                 Duration horizon) {
  Cable cable;
  cable.name = name;
  cable.ends[0] = first;
  cable.ends[1] = second;
  if (!config.rate.empty()) {
    cable.rate_bit_s = static_cast<double>(parse_tc_rate(config.rate).value_or(0));
  }
  cable.propagation = config.propagation;
  cable.framing = config.framing;
  cable.queue = config.queue;
  if (config.forward.model != "none") {
    cable.impairment[0] = config.forward.plugin;
  }
  if (config.backward.model != "none") {
    cable.impairment[1] = config.backward.plugin;
  }
  cable.may_overtake = config.may_overtake;
  if (!config.schedule.empty()) {
    const Result<std::vector<CablePhase>> phases = parse_schedule(config.schedule);
    check(phases.has_value(), "a schedule that load() refused");
    cable.changes = changes_of(*phases, config.schedule_repeats, horizon);
    // what it is at the start is no change
    cable.rate_bit_s = cable.changes.front().rate_bit_s;
    cable.propagation = cable.changes.front().propagation.value_or(Duration(0));
    if (!cable.changes.front().is_up) {
      cable.changes.erase(cable.changes.begin());
    }
  }
  return cable;
}

NodeId node_named(const Topology& topology, const std::string& name) {
  const std::optional<NodeId> node = topology.find(name);
  check(node.has_value(), "a name that load() refused");
  return *node;
}

void add_star(Topology& topology, const NetworkConfig& config, Duration horizon) {
  topology.nodes.push_back({kStarSwitch, true, Duration(0)});
  const auto hub = static_cast<NodeId>(topology.nodes.size() - 1);
  for (std::size_t i = 0; i + 1 < topology.nodes.size(); ++i) {
    topology.cables.push_back(make_cable(fmt::format("cable{}", i + 1), static_cast<NodeId>(i), hub,
                                         config.star.cable, horizon));
  }
}

void add_routes(Topology& topology, const NetworkConfig& config) {
  for (const RouteEntry& route : config.routes) {
    const auto cable =
        std::find_if(topology.cables.begin(), topology.cables.end(),
                     [&](const Cable& candidate) { return candidate.name == route.link; });
    check(cable != topology.cables.end(), "a route that load() refused");
    topology.routes.push_back({node_named(topology, route.at), node_named(topology, route.to),
                               static_cast<CableId>(cable - topology.cables.begin())});
  }
}

Result<std::vector<std::string>> command_of(const NetworkConfig& config) {
  if (config.backend == "external") {
    return split_command(config.command);
  }
  const Result<std::string> program = find_ns3_backend();
  if (!program) {
    return program.error();
  }
  return std::vector<std::string>{*program};
}

}  // namespace

Topology make_topology(const NetworkConfig& config, Duration horizon) {
  Topology topology;
  for (const Host& host : hosts_of(config)) {
    topology.nodes.push_back({host.name, false, Duration(0)});
  }
  if (config.star.hosts > 0) {
    add_star(topology, config, horizon);
    return topology;
  }
  for (const SwitchEntry& each : config.switches) {
    topology.nodes.push_back({each.name, true, each.forwarding});
  }
  for (const LinkEntry& link : config.links) {
    topology.cables.push_back(make_cable(link.name, node_named(topology, link.between.at(0)),
                                         node_named(topology, link.between.at(1)), link, horizon));
  }
  add_routes(topology, config);
  return topology;
}

std::vector<Host> make_hosts(const NetworkConfig& config) {
  std::vector<Host> hosts = hosts_of(config);
  const std::size_t switches = config.star.hosts > 0 ? 1 : config.switches.size();
  for (std::size_t i = 0; i < switches; ++i) {
    hosts.emplace_back().name = config.star.hosts > 0 ? kStarSwitch : config.switches[i].name;
  }
  return hosts;
}

std::unique_ptr<Backend> make_backend(const NetworkConfig& config, const Topology& topology,
                                      const BackendOptions& options) {
  if (config.backend == "ideal") {
    return make_ideal_backend(topology);
  }
  if (config.backend == "builtin") {
    return make_builtin_backend(topology, options);
  }
  ExternalOptions external;
  external.name = config.backend;
  external.patience = config.answer_timeout;
  const Result<std::vector<std::string>> command = command_of(config);
  if (!command) {
    throw InputError(Diagnostic{
        {}, fmt::format("network.backend {}: {}", config.backend, command.error().message), ""});
  }
  external.command = *command;
  return make_external_backend(topology, options, external);
}

}  // namespace longarm::network
