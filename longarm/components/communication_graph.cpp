// SPDX-License-Identifier: Apache-2.0
// Counts, and turns counts into rates.
#include "longarm/components/communication_graph.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::components {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string_view without_first_slash(std::string_view name) {
  return name.starts_with('/') ? name.substr(1) : name;
}

}  // namespace

std::size_t CommunicationGraph::find(std::string_view component) const {
  const auto it = std::find(components.begin(), components.end(), without_first_slash(component));
  return static_cast<std::size_t>(it - components.begin());
}

double CommunicationGraph::total_calls_per_s() const {
  double sum = 0.0;
  for (const CommunicationEdge& edge : edges) {
    sum += edge.calls_per_s;
  }
  return sum;
}

double CommunicationGraph::total_bytes_per_s() const {
  double sum = 0.0;
  for (const CommunicationEdge& edge : edges) {
    sum += edge.bytes_per_s;
  }
  return sum;
}

double CommunicationGraph::cut_bytes_per_s(const std::vector<std::size_t>& host) const {
  double sum = 0.0;
  for (const CommunicationEdge& edge : edges) {
    sum += host[edge.a] != host[edge.b] ? edge.bytes_per_s : 0.0;
  }
  return sum;
}

OrderedJson to_json(const CommunicationGraph& graph) {
  OrderedJson edges = OrderedJson::array();
  for (const CommunicationEdge& edge : graph.edges) {
    edges.push_back({{"a", graph.components[edge.a]},
                     {"b", graph.components[edge.b]},
                     {"calls_per_s", edge.calls_per_s},
                     {"bytes_per_s", edge.bytes_per_s}});
  }
  return {{"components", graph.components}, {"edges", std::move(edges)}};
}

Result<CommunicationGraph> graph_from_json(const OrderedJson& json) {
  CommunicationGraph graph;
  try {
    graph.components = json.at("components").get<std::vector<std::string>>();
    for (const OrderedJson& each : json.at("edges")) {
      CommunicationEdge edge{
          graph.find(each.at("a").get<std::string>()), graph.find(each.at("b").get<std::string>()),
          each.at("calls_per_s").get<double>(), each.at("bytes_per_s").get<double>()};
      if (edge.a > edge.b) {
        std::swap(edge.a, edge.b);
      }
      if (edge.b >= graph.components.size() || edge.a == edge.b) {
        return Error{"an edge of the graph does not join two of its components"};
      }
      graph.edges.push_back(edge);
    }
  } catch (const OrderedJson::exception& error) {
    return Error{std::string("this is not a communication graph: ") + error.what()};
  }
  return graph;
}

TrafficCounter::TrafficCounter(std::vector<std::string> components,
                               const std::vector<std::string>& nodes)
    : components_(std::move(components)) {
  for (std::size_t i = 0; i < components_.size(); ++i) {
    components_[i] = without_first_slash(components_[i]);
    numbers_.emplace(nodes.empty() ? components_[i] : without_first_slash(nodes[i]), i);
  }
}

void TrafficCounter::add(std::string_view a, std::string_view b, std::size_t bytes) {
  const auto first = numbers_.find(without_first_slash(a));
  const auto second = numbers_.find(without_first_slash(b));
  // the name service and those who are not ours to place have no number
  if (first == numbers_.end() || second == numbers_.end() || first->second == second->second) {
    return;
  }
  Traffic& traffic = traffic_[std::minmax(first->second, second->second)];
  ++traffic.calls;
  traffic.bytes += bytes;
}

void TrafficCounter::called(const CallRecord& record) {
  ++calls_;
  add(record.caller, record.server, record.request_bytes + record.reply_bytes);
}

void TrafficCounter::published(const std::string& publisher, const std::string& /*topic*/,
                               const std::string& subscriber, std::size_t bytes, Time /*sent*/,
                               Time /*arrived*/) {
  ++messages_;
  add(publisher, subscriber, bytes);
}

CommunicationGraph TrafficCounter::graph(Duration span) const {
  check(span > Duration::zero(), "a graph needs a span of time to average over");
  CommunicationGraph graph{components_, {}};
  const double span_s = to_seconds(span);
  for (const auto& [pair, traffic] : traffic_) {
    graph.edges.push_back({pair.first, pair.second, static_cast<double>(traffic.calls) / span_s,
                           static_cast<double>(traffic.bytes) / span_s});
  }
  return graph;
}

}  // namespace longarm::components
