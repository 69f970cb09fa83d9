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
#include "longarm/components/parameters.h"
#include "longarm/components/transport.h"
#include "longarm/sim/task.h"

namespace longarm::components {

/// One remote call, as its phases went (Krauß et al. 2018, § 3.2): request routed, executed, reply
/// routed.
struct CallRecord {
  std::string caller;
  std::string server;
  std::string method;
  std::size_t request_bytes = 0;  ///< as handed to the transport, with the frame around the payload
  std::size_t reply_bytes = 0;
  Time called{};
  Time request_arrived{};  ///< by the server's clock, when its program had it; 0 after a failure
  Time executed{};         ///< by the server's clock; from here on the reply was on its way
  Time reply_arrived{};
  bool is_remote = false;  ///< the two were on different hosts
  bool has_failed = false;
  std::string failure{};  ///< why
};

/// What the server saw of a call that it executed, by its own clock.
struct ExecutionRecord {
  std::string_view server;
  std::string_view method;
  std::optional<Time> reached_host{};  ///< before it was read; nothing: not known
  Time arrived{};                      ///< when its program had the request
  Time started{};                      ///< a thread took it
  /// Computing that it did before it first waited for anything else took so much longer than on a
  /// core of its own: in line for one, or shared with others, as the host's scheduling says.
  Duration core_wait{};
  Time executed{};
};

/// A goal that has ended, as its client saw it.
struct GoalRecord {
  std::string client;
  std::string server;
  std::string action;
  std::string_view status;  ///< "succeeded", …: see actions.h
  Time sent{};
  std::optional<Time> began{};  ///< the client heard that it runs; nothing: it never did
  Time ended{};
  std::uint64_t feedback = 0;  ///< messages
};

/// Hears of what nodes do. Shared by the nodes of a simulation.
class NodeObserver {
 public:
  virtual ~NodeObserver() = default;
  virtual void called(const CallRecord&) {}
  /// Before the reply leaves; only of nodes with NodeSetup::reports_executions.
  virtual void executed(const ExecutionRecord&) {}
  virtual void published(const std::string& /*publisher*/, const std::string& /*topic*/,
                         const std::string& /*subscriber*/, std::size_t /*bytes*/, Time /*sent*/,
                         Time /*arrived*/) {}
  virtual void goal_ended(const GoalRecord&) {}
};

struct NodeSetup {
  std::string name{};  ///< global: "/left/TCPControlUnit"; "TCPControlUnit" is "/TCPControlUnit"
  std::map<std::string, std::string> remap{};  ///< local names to others, as at launch
  Address name_service{};                      ///< of the component that knows where the others are
  NodeObserver* observer = nullptr;
  bool reports_executions = false;
  network::FlowOptions calls{};  ///< how requests and replies travel
  std::int64_t threads = 0;      ///< requests executed at once; 0: any number
  bool is_known = false;         ///< NameService::add() was told of it: it need not register itself
  std::optional<Duration> call_timeout{};  ///< of calls that have none of their own
};

/// A call that has had no answer yet.
struct OpenCall {
  std::string server;
  std::string method;
  Time called{};
};

/// Lets a caller give up on a call that is under way. Outlives the call.
class CallTicket {
 public:
  /// Tells the server; the reply says what came of it. Nothing happens if no call is under way.
  void cancel() const {
    if (cancel_) {
      cancel_();
    }
  }
  bool is_under_way() const { return static_cast<bool>(cancel_); }

 private:
  friend class Calls;
  std::uint32_t call_ = 0;
  std::function<void()> cancel_;
};

struct CallOptions {
  std::optional<Duration> timeout{};
  /// Hears what the server says before its reply (ServedCall::progress).
  std::function<void(const Bytes& message)> progress{};
  CallTicket* ticket = nullptr;
};

class Server;

/// A request being executed, for handlers that take long. Harmless once it is over.
class ServedCall {
 public:
  /// To the caller, ahead of the reply.
  void progress(Bytes message) const;
  /// The caller asked for it, or is gone.
  bool is_cancelled() const;
  /// By which the request came.
  ConnectionId connection() const;
  /// Calls this once when is_cancelled() becomes true, unless the request is over by then.
  void on_cancel(std::function<void()> cancelled) const;

 private:
  friend class Server;
  ServedCall(Server& server, std::uint32_t slot, std::uint32_t generation)
      : server_(&server), slot_(slot), generation_(generation) {}

  Server* server_;
  std::uint32_t slot_;
  std::uint32_t generation_;
};

struct TopicOptions {
  /// TCP or UDP: the subscriber's word counts, as it makes the connection. A publisher's is how it
  /// reaches the broker.
  network::FlowOptions flow{};
  bool through_broker = false;  ///< to the broker and on from there, instead of peer to peer
};

class Node {
 public:
  using RawHandler = std::function<sim::Task<Bytes>(Bytes request)>;
  using RawReceiver = std::function<void(const Bytes& message)>;
  using CallHandler = std::function<sim::Task<Result<Bytes>>(Bytes request, ServedCall call)>;

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
  /// Calls to components that are still under way, oldest first.
  std::vector<OpenCall> open_calls() const;
  /// How requests and replies travel.
  const network::FlowOptions& call_flow() const;
  /// A handler that may refuse, report progress and be cancelled. Handlers that wait for long
  /// should leave the threads to others.
  void serve_call(std::string_view method, CallHandler handler, bool takes_thread = true);
  /// A call without a reply: nobody hears whether it was understood.
  void tell_raw(const std::string& server, std::string_view method, Bytes message);

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

  // --- parameters of the node itself, which others read and set by calls of it (parameters.h)

  /// The value is the default; it must be of the type.
  void declare_parameter(ParameterDeclaration declaration);
  const std::vector<ParameterDeclaration>& own_parameters() const;
  /// Null if it is not declared.
  const Parameter* own_parameter(std::string_view name) const;
  /// Without a call: by the node's own program, or whoever runs the simulation.
  Result<bool> set_own_parameter(const std::string& name, const Parameter& value);
  /// Called with each later value.
  void follow_parameter(std::string_view name, std::function<void(const Parameter&)> changed);
  sim::Task<Result<Parameter>> parameter_of(std::string node, std::string name);
  /// Refused if it is not declared there, or of another type.
  sim::Task<Result<bool>> set_parameter_of(std::string node, std::string name, Parameter value);

  // --- parameters for all, kept by the name service; see names.h for values

  sim::Task<Result<Parameter>> parameter(std::string name);
  sim::Task<Result<bool>> set_parameter(std::string name, Parameter value);
  /// Called with the value it has, and with each it gets later.
  void watch_parameter(std::string_view name, std::function<void(const Parameter&)> changed);

  /// What went wrong that nobody asked about (bytes that are no message, a peer gone), newest last.
  const std::vector<std::string>& complaints() const;
  /// Told to the observer, if there is one.
  void report(const GoalRecord& record) const;
  /// The full name of one that it uses, resolved and remapped.
  std::string resolve(std::string_view name) const;
  /// The full names of a component and a method that it calls, resolved and remapped.
  std::pair<std::string, std::string> resolve_service(std::string_view server,
                                                      std::string_view method) const;
  void complain(std::string what);

 private:
  friend class NameService;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longarm::components

#include "longarm/components/node_typed.h"
