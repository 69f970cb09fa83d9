// SPDX-License-Identifier: Apache-2.0
// The calling side of remote procedure calls: what has been asked and not been answered yet.
#pragma once

#include <coroutine>
#include <optional>
#include <vector>

#include "longarm/components/frame.h"
#include "longarm/components/peers.h"

namespace longarm::components {

class Calls {
 public:
  Calls(NodeCore& core, Peers& peers) : core_(core), peers_(peers) {}

  /// Asks at once, i.e. when awaited; resumes with the reply, or with what went wrong.
  sim::Task<Result<Bytes>> call(Peer& peer, std::string method, Bytes request, CallOptions options);

  /// Frames of kinds reply, error and progress. Of calls that are over they mean nothing.
  void received(const Frame& frame, Bytes bytes);
  /// One call, or all to a peer, will have no reply.
  void fail(std::uint32_t id, const std::string& why);
  void fail_all(const Peer& peer, const std::string& why);
  /// Those to components, in the order in which they were made.
  std::vector<OpenCall> open() const;

 private:
  struct Pending {
    Pending(Calls& owner, Peer& server) : calls(owner), peer(server) {}
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending() { calls.forget(*this); }

    bool await_ready() const { return answer.has_value(); }
    void await_suspend(std::coroutine_handle<> frame) { waiter = frame; }
    void await_resume() const {}

    Calls& calls;
    Peer& peer;
    std::uint32_t id = 0;
    std::coroutine_handle<> waiter;
    std::optional<Result<Bytes>> answer;
    CallOptions* options = nullptr;
    sim::EventId timer{UINT32_MAX, 0};
    CallRecord record;
  };

  Pending* find(std::uint32_t id);
  void begin(Pending& pending, const std::string& method, Bytes request, CallOptions& options);
  void end(Pending& pending, Result<Bytes> answer);
  void forget(Pending& pending);
  void report(Pending& pending);

  NodeCore& core_;
  Peers& peers_;
  std::uint32_t last_id_ = 0;
  std::vector<Pending*> pending_;  // few at a time; each lives in the frame of its call
};

}  // namespace longarm::components
