// SPDX-License-Identifier: Apache-2.0
// Nodes and cables from the topology, who thinks where from the actors.
#include "longarm/view/network_graph.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/network/config/network_config.h"

namespace longarm::view {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPhases = 5000;

std::string rate_text(double bit_s) {
  return bit_s >= 1e9   ? fmt::format("{:g} Gbit/s", bit_s / 1e9)
         : bit_s >= 1e6 ? fmt::format("{:g} Mbit/s", bit_s / 1e6)
                        : fmt::format("{:g} kbit/s", bit_s / 1e3);
}

std::string time_text(Duration time) {
  const auto ns = static_cast<double>(time.count());
  return ns >= 1e6   ? fmt::format("{:g} ms", ns / 1e6)
         : ns >= 1e3 ? fmt::format("{:g} µs", ns / 1e3)
                     : fmt::format("{:g} ns", ns);
}

/// What a cable is like from some instant on.
struct CableState {
  std::optional<double> rate_bit_s;
  Duration propagation{};
  bool is_up = true;
};

std::string cable_text(const network::Cable& cable, const CableState& state) {
  if (!state.is_up) {
    return "down";
  }
  std::string text = state.rate_bit_s ? rate_text(*state.rate_bit_s) : "unlimited rate";
  text += ", " + time_text(state.propagation);
  if (cable.impairment[0] || cable.impairment[1]) {
    text += ", impaired";
  }
  return text;
}

/// Texts with the instants from which they are true, as far as a page needs them.
Json cable_phases(const network::Cable& cable) {
  Json phases = Json::array();
  CableState state{cable.rate_bit_s, cable.propagation};
  for (const network::CableChange& change : cable.changes) {
    if (change.direction) {
      continue;  // one way only: the label is of both
    }
    state.rate_bit_s = change.rate_bit_s ? change.rate_bit_s : state.rate_bit_s;
    state.propagation = change.propagation.value_or(state.propagation);
    state.is_up = change.is_up.value_or(state.is_up);
    phases.push_back(
        {{"t_s", to_seconds(change.at.time_since_epoch())}, {"text", cable_text(cable, state)}});
    if (phases.size() == kMostPhases) {
      phases.push_back({{"t_s", phases.back()["t_s"]}, {"text", "changes over time"}});
      break;
    }
  }
  return phases;
}

/// Names of the nodes on the way, both ends included.
std::vector<std::string> way(const network::Topology& topology, const network::RoutingTable& routes,
                             network::NodeId from, network::NodeId to) {
  const auto name = [&](network::NodeId node) {
    return topology.nodes[static_cast<std::size_t>(node)].name;
  };
  std::vector<std::string> names{name(from)};
  while (from != to) {
    const network::Cable& cable = topology.cables[static_cast<std::size_t>(routes.next(from, to))];
    from = cable.ends[0] == from ? cable.ends[1] : cable.ends[0];
    names.push_back(name(from));
  }
  return names;
}

}  // namespace

Json network_graph(const cell::PreparedScenario& prepared) {
  const network::NetworkConfig& config = prepared.cell().network;
  if (config.is_empty()) {
    return nullptr;
  }
  const network::Topology topology = network::make_topology(config, prepared.length);
  std::map<std::string, Json> actors;
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (!actor.host.empty()) {
      actors[actor.host].push_back(actor.name);
    }
    for (const auto& [key, host] : actor.model->more_hosts()) {
      if (!host.empty()) {
        actors[host].push_back(actor.name + "." + key);
      }
    }
  }
  Json nodes = Json::array();
  for (const network::Node& node : topology.nodes) {
    Json out{{"name", node.name}, {"kind", node.is_switch ? "switch" : "host"}};
    out["actors"] = actors.contains(node.name) ? actors[node.name] : Json::array();
    nodes.push_back(std::move(out));
  }
  Json links = Json::array();
  for (const network::Cable& cable : topology.cables) {
    links.push_back({{"name", cable.name},
                     {"a", topology.nodes[static_cast<std::size_t>(cable.ends[0])].name},
                     {"b", topology.nodes[static_cast<std::size_t>(cable.ends[1])].name},
                     {"text", cable_text(cable, {cable.rate_bit_s, cable.propagation})}});
    if (!cable.changes.empty()) {
      links.back()["phases"] = cable_phases(cable);
    }
  }
  Json ways = Json::array();  // of every pair of hosts, as any two may talk
  if (const auto routes = network::RoutingTable::make(topology)) {
    for (std::size_t a = 0; a < topology.nodes.size(); ++a) {
      for (std::size_t b = 0; b < topology.nodes.size(); ++b) {
        if (a != b && !topology.nodes[a].is_switch && !topology.nodes[b].is_switch) {
          ways.push_back({{"from", topology.nodes[a].name},
                          {"to", topology.nodes[b].name},
                          {"route", way(topology, *routes, static_cast<network::NodeId>(a),
                                        static_cast<network::NodeId>(b))}});
        }
      }
    }
  }
  return {{"backend", config.backend},
          {"nodes", std::move(nodes)},
          {"links", std::move(links)},
          {"flows", std::move(ways)}};
}

}  // namespace longarm::view
