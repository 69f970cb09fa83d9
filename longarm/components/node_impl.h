// SPDX-License-Identifier: Apache-2.0
// The parts of a node put together: what the transport says is handed to the part it concerns.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "longarm/components/calls.h"
#include "longarm/components/node_core.h"
#include "longarm/components/parameters.h"
#include "longarm/components/peers.h"
#include "longarm/components/server.h"
#include "longarm/components/topics.h"

namespace longarm::components {

class Node::Impl final : public TransportEvents {
 public:
  Impl(sim::Kernel& kernel, Transport& transport, Processor& processor, NodeSetup setup);

  void connected(ConnectionId connection) override;
  void received(ConnectionId connection, Bytes bytes) override;
  void closed(ConnectionId connection, const std::string& why) override;

  void tell(Peer& peer, std::string_view method, const Bytes& message);
  /// Tells the name service, now and whenever it has to be told again.
  void register_with_names(std::string_view method, Bytes message);
  sim::Task<Result<Bytes>> ask_names(std::string_view method, Bytes request);
  /// Makes a node with parameters answer calls for them.
  void serve_parameters();
  void watch(std::string_view name, std::function<void(const Parameter&)> changed);

  // tasks go first when this is destroyed: they use what stands above them
  NodeCore core;
  Waits waits;
  Peers peers;
  Calls calls;
  Server server;
  Topics topics;
  NodeParameters parameters;
  // for the name service only
  std::function<void(ConnectionId)> connection_closed;
  std::function<void(const Frame&, Bytes)> broker;

  Roots roots;

 private:
  static sim::Task<void> look_up(Impl* node, Peer* peer);
  static sim::Task<void> register_again(Impl* node);
  void serve_own_methods();
  void parameter_changed(const Bytes& bytes);

  std::vector<std::pair<std::string, Bytes>> registrations_;
  bool is_registering_again_ = false;
  bool serves_parameters_ = false;
  std::map<std::string, std::vector<std::function<void(const Parameter&)>>> watchers_;
};

/// A handler that needs no time.
sim::Task<Result<Bytes>> ready_answer(Result<Bytes> answer);

}  // namespace longarm::components
