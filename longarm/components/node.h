// SPDX-License-Identifier: Apache-2.0
// A component at run time: calls and serves, publishes and subscribes, waits and computes. The same
// code runs in a simulation and as a process of its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longarm/components/message.h"
#include "longarm/components/names.h"
#include "longarm/components/transport.h"
#include "longarm/sim/task.h"

namespace longarm::components {

/// One remote call, as its phases went (S003 § 3.2): request routed, executed, reply routed.
struct CallRecord {
  std::string caller;
  std::string server;
  std::string method;
  std::size_t request_bytes = 0;
  std::size_t reply_bytes = 0;
  Time called{};
  Time request_arrived{};  ///< as the server's program had it; zero where only the caller is known
  Time executed{};
  Time reply_arrived{};
  bool is_remote = false;  ///< the two were on different hosts
  bool has_failed = false;
};

/// Hears of what nodes do. Shared by the nodes of a simulation.
class NodeObserver {
 public:
  virtual ~NodeObserver() = default;
  virtual void called(const CallRecord&) {}
  virtual void published(const std::string& /*publisher*/, const std::string& /*topic*/,
                         const std::string& /*subscriber*/, std::size_t /*bytes*/, Time /*sent*/,
                         Time /*arrived*/) {}
};

struct NodeSetup {
  std::string name;  ///< global: "/left/TCPControlUnit"; "TCPControlUnit" is "/TCPControlUnit"
  std::map<std::string, std::string> remap;  ///< local names to others, as at launch
  Address name_service;                      ///< of the component that knows where the others are
  NodeObserver* observer = nullptr;
  network::FlowOptions calls;  ///< how requests and replies travel
  std::int64_t threads = 0;    ///< requests executed at once; 0: any number
};

struct CallOptions {
  std::optional<Duration> timeout;
};

struct TopicOptions {
  network::FlowOptions flow;    ///< TCP or UDP
  bool through_broker = false;  ///< to the broker and on from there, instead of peer to peer
};

class Node {
 public:
  using RawHandler = std::function<sim::Task<Bytes>(Bytes request)>;
  using RawReceiver = std::function<void(const Bytes& message)>;

  Node(sim::Kernel& kernel, Transport& transport, Processor& processor, NodeSetup setup);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const;
  Time now() const;
  sim::TaskContext context() const;
  /// Starts a task that lives as long as the node, at most.
  sim::TaskId spawn(sim::Task<void> task);

  sim::SleepAwaiter sleep_until(Time when) { return sim::sleep_until(context(), when); }
  sim::SleepAwaiter sleep_for(Duration span) { return sim::sleep_for(context(), span); }
  /// `co_await node.compute(200us)`
  sim::Task<void> compute(Duration work);

  // --- remote procedure calls: methods have names like "RobotState/getJoints"

  void serve_raw(std::string_view method, RawHandler handler);
  /// Resolves the server's name and connects when first needed. `server` is a component's name.
  sim::Task<Result<Bytes>> call_raw(std::string server, std::string method, Bytes request,
                                    CallOptions options = {});

  template <typename Request, typename Reply>
  void serve(std::string_view method, std::function<sim::Task<Reply>(Request request)> handler);
  template <typename Reply, typename Request>
  sim::Task<Result<Reply>> call(std::string server, std::string method, Request request,
                                CallOptions options = {});

  // --- topics

  void advertise_raw(std::string_view topic, std::string_view type, TopicOptions options = {});
  void publish_raw(std::string_view topic, Bytes message);
  void subscribe_raw(std::string_view topic, std::string_view type, RawReceiver receiver,
                     TopicOptions options = {});

  template <typename Message>
  void advertise(std::string_view topic, TopicOptions options = {}) {
    advertise_raw(topic, Message::kTypeName, options);
  }
  template <typename Message>
  void publish(std::string_view topic, const Message& message) {
    publish_raw(topic, encode(message));
  }
  template <typename Message>
  void subscribe(std::string_view topic, std::function<void(const Message&)> receiver,
                 TopicOptions options = {});

  // --- parameters, kept by the name service; see names.h for values

  sim::Task<Result<Parameter>> parameter(std::string name);
  sim::Task<Result<bool>> set_parameter(std::string name, Parameter value);
  /// Called with the value it has, and with each it gets later.
  void watch_parameter(std::string_view name, std::function<void(const Parameter&)> changed);

  /// What went wrong that nobody asked about (bytes that are no message, a peer gone), newest last.
  const std::vector<std::string>& complaints() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longarm::components

#include "longarm/components/node_typed.h"
