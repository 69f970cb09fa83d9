// SPDX-License-Identifier: Apache-2.0
// Routing: fewest cables where no route is given, and every way walked once to see that it ends.
#include "longarm/network/topology.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "longarm/core/index.h"

namespace longarm::network {
namespace {

constexpr CableId kNoCable{UINT32_MAX};
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMaxNamed = 8;  // a topology in pieces has very many pairs

/// The other end of a cable.
NodeId across(const Cable& cable, NodeId node) {
  return cable.ends[0] == node ? cable.ends[1] : cable.ends[0];
}

/// Cables at each node, in the order in which they stand.
std::vector<std::vector<CableId>> cables_by_node(const Topology& topology) {
  std::vector<std::vector<CableId>> cables(topology.nodes.size());
  for (std::size_t i = 0; i < topology.cables.size(); ++i) {
    for (const NodeId end : topology.cables[i].ends) {
      cables[index_of(end)].push_back(CableId(static_cast<std::uint32_t>(i)));
    }
  }
  return cables;
}

/// How many cables it takes from each node to `destination`.
std::vector<std::uint32_t> distances(const Topology& topology,
                                     const std::vector<std::vector<CableId>>& cables,
                                     NodeId destination) {
  std::vector<std::uint32_t> distance(topology.nodes.size(), kFar);
  std::vector<NodeId> reached{destination};
  distance[index_of(destination)] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const NodeId node = reached[i];
    for (const CableId cable : cables[index_of(node)]) {
      const NodeId next = across(topology.cables[static_cast<std::size_t>(cable)], node);
      if (distance[index_of(next)] == kFar) {
        distance[index_of(next)] = distance[index_of(node)] + 1;
        reached.push_back(next);
      }
    }
  }
  return distance;
}

std::string join_some(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxNamed); ++i) {
    text += (i > 0 ? std::string(separator) : "") + parts[i];
  }
  if (parts.size() > kMaxNamed) {
    text += fmt::format("{}and {} more", separator, parts.size() - kMaxNamed);
  }
  return text;
}

/// Walks from `from` to `destination`; says what is wrong with the way, if anything.
std::string walk(const Topology& topology, const RoutingTable& table, NodeId from,
                 NodeId destination) {
  const std::string& from_name = topology.nodes[index_of(from)].name;
  const std::string& to_name = topology.nodes[index_of(destination)].name;
  std::vector<NodeId> way{from};
  while (way.back() != destination) {
    const CableId cable = table.next(way.back(), destination);
    if (cable == kNoCable) {
      return fmt::format("no path from '{}' to '{}'", from_name, to_name);
    }
    const NodeId next = across(topology.cables[static_cast<std::size_t>(cable)], way.back());
    const bool is_circle = std::find(way.begin(), way.end(), next) != way.end();
    way.push_back(next);
    if (is_circle) {
      std::vector<std::string> names;
      for (const NodeId node : way) {
        names.push_back(topology.nodes[index_of(node)].name);
      }
      return fmt::format("the route from '{}' to '{}' is a loop: {}", from_name, to_name,
                         join_some(names, " > "));
    }
  }
  return {};
}

std::string wrong_route(const Topology& topology, const Route& route) {
  const std::size_t nodes = topology.nodes.size();
  if (index_of(route.node) >= nodes || index_of(route.destination) >= nodes ||
      static_cast<std::size_t>(route.cable) >= topology.cables.size()) {
    return "a route names an unknown host, switch or link";
  }
  const Cable& cable = topology.cables[static_cast<std::size_t>(route.cable)];
  if (cable.ends[0] != route.node && cable.ends[1] != route.node) {
    return fmt::format("a route at '{}' leaves by '{}', which does not end there",
                       topology.nodes[index_of(route.node)].name, cable.name);
  }
  return {};
}

}  // namespace

std::optional<NodeId> Topology::find(std::string_view name) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == name) {
      return NodeId(static_cast<std::uint32_t>(i));
    }
  }
  return std::nullopt;
}

Result<RoutingTable> RoutingTable::make(const Topology& topology) {
  RoutingTable table;
  const std::size_t count = topology.nodes.size();
  table.node_count_ = count;
  table.next_.assign(count * count, kNoCable);

  // the nearer neighbour whose cable stands first
  const std::vector<std::vector<CableId>> cables = cables_by_node(topology);
  for (std::size_t to = 0; to < count; ++to) {
    const NodeId destination{static_cast<std::uint32_t>(to)};
    const std::vector<std::uint32_t> distance = distances(topology, cables, destination);
    for (std::size_t at = 0; at < count; ++at) {
      const auto is_nearer = [&](CableId cable) {
        const NodeId next = across(topology.cables[static_cast<std::size_t>(cable)],
                                   NodeId(static_cast<std::uint32_t>(at)));
        return distance[index_of(next)] < distance[at];
      };
      const auto found = std::find_if(cables[at].begin(), cables[at].end(), is_nearer);
      if (found != cables[at].end()) {
        table.next_[at * count + to] = *found;
      }
    }
  }

  // what the user says wins
  std::vector<std::string> mistakes;
  for (const Route& route : topology.routes) {
    if (std::string mistake = wrong_route(topology, route); !mistake.empty()) {
      mistakes.push_back(std::move(mistake));
      continue;
    }
    table.next_[index_of(route.node) * count + index_of(route.destination)] = route.cable;
  }

  for (std::size_t from = 0; from < count; ++from) {
    for (std::size_t to = 0; to < count; ++to) {
      if (from == to || topology.nodes[from].is_switch || topology.nodes[to].is_switch) {
        continue;  // switches only pass on
      }
      std::string mistake = walk(topology, table, NodeId(static_cast<std::uint32_t>(from)),
                                 NodeId(static_cast<std::uint32_t>(to)));
      if (!mistake.empty()) {
        mistakes.push_back(std::move(mistake));
      }
    }
  }
  if (!mistakes.empty()) {
    return Error{join_some(mistakes, "; ")};
  }
  return table;
}

CableId RoutingTable::next(NodeId at, NodeId destination) const {
  return next_[index_of(at) * node_count_ + index_of(destination)];
}

}  // namespace longarm::network
