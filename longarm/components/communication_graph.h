// SPDX-License-Identifier: Apache-2.0
// Who talks to whom, how often and how much: what a placement of components is chosen by.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/components/node.h"
#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::components {

/// Both ways together. Components by number, a < b.
struct CommunicationEdge {
  std::size_t a = 0;
  std::size_t b = 0;
  double calls_per_s = 0.0;  ///< calls, and messages of topics
  double bytes_per_s = 0.0;  ///< of requests, replies and messages, without headers of the network
};

struct CommunicationGraph {
  std::vector<std::string> components;   ///< without the slash in front
  std::vector<CommunicationEdge> edges;  ///< in order of (a, b), each pair once

  /// components.size() if there is none of that name.
  std::size_t find(std::string_view component) const;
  double total_calls_per_s() const;
  double total_bytes_per_s() const;
  /// Bytes per second between components whose entries of `host` differ.
  double cut_bytes_per_s(const std::vector<std::size_t>& host) const;
};

nlohmann::ordered_json to_json(const CommunicationGraph& graph);
Result<CommunicationGraph> graph_from_json(const nlohmann::ordered_json& json);

/// Counts what nodes tell it of. Those that never speak are in the graph, too.
class TrafficCounter final : public NodeObserver {
 public:
  /// `nodes`: the names that they have as nodes, where those differ.
  explicit TrafficCounter(std::vector<std::string> components,
                          const std::vector<std::string>& nodes = {});

  void called(const CallRecord& record) override;
  void published(const std::string& publisher, const std::string& topic,
                 const std::string& subscriber, std::size_t bytes, Time sent,
                 Time arrived) override;

  std::uint64_t calls() const { return calls_; }
  std::uint64_t messages() const { return messages_; }
  /// Averages over `span`, which is longer than nothing.
  CommunicationGraph graph(Duration span) const;

 private:
  struct Traffic {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
  };

  void add(std::string_view a, std::string_view b, std::size_t bytes);

  std::vector<std::string> components_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::map<std::pair<std::size_t, std::size_t>, Traffic> traffic_;
  std::uint64_t calls_ = 0;
  std::uint64_t messages_ = 0;
};

}  // namespace longarm::components
