// SPDX-License-Identifier: Apache-2.0
// The serving side of remote procedure calls: methods, requests under way, requests that wait for a
// thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longarm/components/frame.h"
#include "longarm/components/node_core.h"

namespace longarm::components {

class Server {
 public:
  explicit Server(NodeCore& core) : core_(core) {}

  void serve(std::string_view method, Node::RawHandler handler);
  void serve(std::string_view method, Node::CallHandler handler, bool takes_thread);

  /// Frames of kinds request and one-way. Only from events, never from within a handler.
  void received(ConnectionId connection, const Frame& frame, Bytes bytes);
  void cancel(ConnectionId connection, std::uint32_t id);
  /// Nobody waits for its replies any more.
  void closed(ConnectionId connection);

 private:
  friend class ServedCall;

  struct Method {
    Node::RawHandler raw;  // one of the two
    Node::CallHandler call;
    bool takes_thread = true;
  };
  struct Execution {
    std::uint32_t generation = 0;
    std::uint32_t id = 0;
    ConnectionId connection{};
    const Method* method = nullptr;  // null: free
    std::string_view name;           // of the method
    bool wants_reply = false;
    bool is_cancelled = false;
    bool is_connected = true;
    std::optional<Time> reached_host;
    Time arrived{};
    Time started{};
    Duration core_wait{};
    Bytes request;
    std::function<void()> cancelled;  // told of it; may be empty
    std::optional<sim::Task<void>> task;
  };

  std::uint32_t take_slot();
  void start(std::uint32_t slot);
  static sim::Task<void> execute(Server* server, std::uint32_t slot);
  void finish(std::uint32_t slot, Result<Bytes> answer);
  void report(const Execution& execution) const;
  void start_waiting();
  void note_cancelled(Execution& execution) const;
  void refuse(ConnectionId connection, const Frame& frame);
  const Execution* find(const ServedCall& call) const;

  NodeCore& core_;
  std::map<std::string, Method, std::less<>> methods_;
  std::deque<Execution> executions_;  // a deque: handlers may make new ones
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> finished_;  // their frames are freed at the next request
  std::deque<std::uint32_t> waiting_;    // for a thread
  std::int64_t threads_taken_ = 0;
  bool is_starting_ = false;
};

}  // namespace longarm::components
