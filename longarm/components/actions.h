// SPDX-License-Identifier: Apache-2.0
// Goals that take their time: with feedback on the way, and a newer goal or a cancel to end them
// early.
//
// A goal is a call whose reply is the result; feedback and cancel travel on the same connection, so
// feedback never comes after the result, and a client that dies cancels its goal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "longarm/components/node.h"

namespace longarm::components {

enum class ActionStatus : std::uint8_t {
  kSucceeded,
  kCancelled,  ///< the client asked for it
  kPreempted   ///< by a newer goal; the outcome is what was reached until then
};

/// What the reply carries.
struct ActionReply {
  static constexpr std::string_view kTypeName = "longarm/ActionReply";
  std::uint8_t status = 0;
  std::vector<std::uint8_t> outcome;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("status", self.status);
    visitor("outcome", self.outcome);
  }
};

template <typename Outcome>
struct ActionResult {
  ActionStatus status = ActionStatus::kSucceeded;
  Outcome outcome;
};

/// What a running goal may say and ask.
template <typename Feedback>
class ActionGoal {
 public:
  ActionGoal(ServedCall call, std::shared_ptr<const bool> is_preempted)
      : call_(call), is_preempted_(std::move(is_preempted)) {}

  void feedback(const Feedback& feedback) const { call_.progress(encode(feedback)); }
  /// It is time to come to an end: cancelled, preempted, or the client is gone.
  bool must_end() const { return *is_preempted_ || call_.is_cancelled(); }

 private:
  ServedCall call_;
  std::shared_ptr<const bool> is_preempted_;  // shared: the server sets it while the goal runs
};

/// One goal at a time. A newer one asks the running one to end and begins when it has; of those
/// that wait only the newest is kept. Outlives the node's tasks.
template <typename Goal, typename Feedback, typename Outcome>
class ActionServer {
 public:
  /// Returns a task made by a function, not by a lambda that captures (task.h).
  using Run = std::function<sim::Task<Outcome>(Goal goal, ActionGoal<Feedback> running)>;

  ActionServer(Node& node, std::string_view action, Run run) : run_(std::move(run)) {
    node.serve_call(
        action,
        [this](Bytes bytes, ServedCall call) { return execute(this, std::move(bytes), call); },
        false);
  }
  ActionServer(const ActionServer&) = delete;
  ActionServer& operator=(const ActionServer&) = delete;

  bool is_running() const { return is_preempted_ != nullptr; }

 private:
  using Turn = sim::Mailbox<bool>;  // true: begin; false: a newer goal has come

  static sim::Task<Result<Bytes>> execute(ActionServer* server, Bytes bytes, ServedCall call) {
    Result<Goal> goal = decode<Goal>(bytes);
    if (!goal) {
      co_return goal.error();
    }
    Turn turn;
    if (server->is_running()) {
      *server->is_preempted_ = true;
      if (server->waiting_ != nullptr) {
        server->waiting_->push(false);
      }
      server->waiting_ = &turn;
      if (!co_await turn.receive()) {
        co_return reply(ActionStatus::kPreempted, Outcome{});
      }
    }
    auto is_preempted = std::make_shared<bool>(false);
    server->is_preempted_ = is_preempted;
    const Outcome outcome =
        co_await server->run_(std::move(goal).value(), ActionGoal<Feedback>(call, is_preempted));
    server->is_preempted_ = nullptr;
    if (server->waiting_ != nullptr) {
      std::exchange(server->waiting_, nullptr)->push(true);
    }
    const ActionStatus end = call.is_cancelled() ? ActionStatus::kCancelled
                             : *is_preempted     ? ActionStatus::kPreempted
                                                 : ActionStatus::kSucceeded;
    co_return reply(end, outcome);
  }

  static Result<Bytes> reply(ActionStatus status, const Outcome& outcome) {
    ActionReply message{.status = static_cast<std::uint8_t>(status), .outcome = {}};
    message.outcome.resize(wire_size(outcome));
    internal::Writer writer{reinterpret_cast<std::byte*>(message.outcome.data())};
    Outcome::list_fields(outcome, writer);
    return encode(message);
  }

  Run run_;
  std::shared_ptr<bool> is_preempted_;  // of the goal that runs; null: none does
  Turn* waiting_ = nullptr;             // in the frame of the goal that waits
};

/// Sends goals to one server. Outlives the calls.
template <typename Goal, typename Feedback, typename Outcome>
class ActionClient {
 public:
  ActionClient(Node& node, std::string server, std::string action)
      : node_(node), server_(std::move(server)), action_(std::move(action)) {}
  ActionClient(const ActionClient&) = delete;
  ActionClient& operator=(const ActionClient&) = delete;

  /// To the end of the goal, however it ends.
  sim::Task<Result<ActionResult<Outcome>>> run(Goal goal,
                                               std::function<void(const Feedback&)> feedback = {}) {
    CallOptions options;
    options.ticket = &ticket_;
    if (feedback) {
      options.progress = [this, feedback](const Bytes& bytes) {
        const Result<Feedback> message = decode<Feedback>(bytes);
        message ? feedback(*message) : node_.complain(message.error().message);
      };
    }
    const Result<Bytes> bytes =
        co_await node_.call_raw(server_, action_, encode(goal), std::move(options));
    co_return bytes ? read(*bytes) : Result<ActionResult<Outcome>>(bytes.error());
  }

  /// The goal sent last.
  void cancel() { ticket_.cancel(); }

 private:
  static Result<ActionResult<Outcome>> read(const Bytes& bytes) {
    const Result<ActionReply> reply = decode<ActionReply>(bytes);
    if (!reply) {
      return reply.error();
    }
    Result<Outcome> outcome = decode<Outcome>(std::as_bytes(std::span(reply->outcome)));
    if (!outcome) {
      return outcome.error();
    }
    return ActionResult<Outcome>{static_cast<ActionStatus>(reply->status),
                                 std::move(outcome).value()};
  }

  Node& node_;
  std::string server_;
  std::string action_;
  CallTicket ticket_;
};

}  // namespace longarm::components
