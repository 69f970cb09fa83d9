// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// The topology in ns-3, and what the protocol asks of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/longarm-ns3/cable_channel.h"
#include "apps/longarm-ns3/flow.h"
#include "apps/longarm-ns3/window_simulator.h"

namespace longarm_ns3 {

/// One per process. Everything throws std::exception for what makes no sense or cannot be done; the
/// message says what.
class World {
 public:
  explicit World(const nlohmann::json& build);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void open(const nlohmann::json& command);
  void send(const nlohmann::json& command);
  void close(const nlohmann::json& command);
  void reset(const nlohmann::json& command);
  void change(const nlohmann::json& command);
  void fates(const nlohmann::json& command);
  nlohmann::json advance(const nlohmann::json& command);
  nlohmann::json figures(const nlohmann::json& command) const;

 private:
  struct Node {
    std::string name;
    ns3::Ptr<ns3::Node> node;
    std::int64_t forwarding_ns = 0;
  };
  struct Cable {
    std::string name;
    std::size_t ends[2] = {0, 0};
    std::uint32_t interfaces[2] = {0, 0};
    ns3::Ptr<CableChannel> channel;
  };

  void add_node(const nlohmann::json& node);
  void add_cable(const nlohmann::json& cable, std::uint16_t mtu_bytes);
  void add_routes(const nlohmann::json& next_cable);
  void capture(const std::string& folder);
  void at(const nlohmann::json& command, std::size_t node, std::function<void()> action);
  void schedule_change(std::size_t cable, const nlohmann::json& change);
  std::size_t cable_index(const nlohmann::json& command) const;
  Flow& flow(const nlohmann::json& command);
  nlohmann::json wanted_fates() const;

  ns3::Ptr<WindowSimulator> simulator_;
  std::vector<Node> nodes_;
  std::vector<Cable> cables_;
  std::map<std::int64_t, std::unique_ptr<Flow>> flows_;
  bool is_stopping_at_delivery_ = true;
  nlohmann::json deliveries_ = nlohmann::json::array();
};

}  // namespace longarm_ns3
