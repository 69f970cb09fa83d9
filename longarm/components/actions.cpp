// SPDX-License-Identifier: Apache-2.0
// Runs goals one at a time, and follows them from the client's side.
#include "longarm/components/actions.h"

#include <tuple>

namespace longarm::components {
namespace {

Bytes reply(ActionStatus status, const Bytes& outcome) {
  ActionReply message{.status = static_cast<std::uint8_t>(status), .outcome = {}};
  const auto* const first = reinterpret_cast<const std::uint8_t*>(outcome.data());
  message.outcome.assign(first, first + outcome.size());
  return encode(message);
}

Result<RawActionResult> read_reply(const Bytes& bytes) {
  const Result<ActionReply> message = decode<ActionReply>(bytes);
  if (!message) {
    return message.error();
  }
  const auto content = std::as_bytes(std::span(message->outcome));
  return RawActionResult{static_cast<ActionStatus>(message->status),
                         Bytes(content.begin(), content.end())};
}

}  // namespace

std::string_view name_of(ActionStatus status) {
  switch (status) {
    case ActionStatus::kAccepted:
      return "accepted";
    case ActionStatus::kExecuting:
      return "executing";
    case ActionStatus::kCancelling:
      return "cancelling";
    case ActionStatus::kSucceeded:
      return "succeeded";
    case ActionStatus::kCancelled:
      return "cancelled";
    case ActionStatus::kAborted:
      return "aborted";
    case ActionStatus::kPreempted:
      return "preempted";
    case ActionStatus::kRejected:
      return "rejected";
    case ActionStatus::kLost:
      return "lost";
  }
  return "unknown";  // from the wire
}

void RunningGoal::feedback(const Bytes& feedback) const {
  say(ActionStatus::kExecuting, feedback);
}

void RunningGoal::say(ActionStatus status, const Bytes& feedback) const {
  call_.progress(reply(status, feedback));
}

bool RunningGoal::must_end() const {
  return state_->is_preempted || call_.is_cancelled();
}

void RunningGoal::Sleep::await_suspend(std::coroutine_handle<> frame) {
  is_waiting_ = true;
  wake_up_ = context_.kernel.at(when_, sim::Phase::kControl, context_.source,
                                [frame](Time) { frame.resume(); });
  // a delivery: what woke it is in the middle of something
  goal_.state_->wake = [this, frame] {
    context_.kernel.cancel(wake_up_);
    wake_up_ = context_.kernel.deliver(context_.kernel.now(), context_.source,
                                       [frame](Time) { frame.resume(); });
    goal_.state_->wake = nullptr;
  };
}

RunningGoal::Sleep::~Sleep() {
  context_.kernel.cancel(wake_up_);  // harmless if it has happened
  if (is_waiting_) {
    goal_.state_->wake = nullptr;
  }
}

RawActionServer::RawActionServer(Node& node, std::string_view action, Run run,
                                 ActionOptions options)
    : run_(std::move(run)), options_(std::move(options)) {
  node.serve_call(
      action,
      [this](Bytes bytes, ServedCall call) { return execute(this, std::move(bytes), call); },
      false);
}

sim::Task<Result<Bytes>> RawActionServer::execute(RawActionServer* server, Bytes goal,
                                                  ServedCall call) {
  const Result<bool> is_welcome =
      server->options_.accepts ? server->options_.accepts(goal) : Result<bool>(true);
  if (!is_welcome) {
    co_return is_welcome.error();
  }
  const WhenBusy when_busy = server->options_.when_busy;
  const bool is_busy = server->is_running() || !server->waiting_.empty();
  if (!*is_welcome || (is_busy && when_busy == WhenBusy::kReject)) {
    co_return reply(ActionStatus::kRejected, {});
  }

  RunningGoal running(call);
  Turn turn;
  if (is_busy) {
    running.say(ActionStatus::kAccepted);
    if (when_busy == WhenBusy::kPreempt) {
      server->running_->state_->is_preempted = true;
      server->running_->wake();
      for (Turn* older : std::exchange(server->waiting_, {})) {
        older->push(false);
      }
    }
    server->waiting_.push_back(&turn);
    call.on_cancel([server, &turn] {
      std::erase(server->waiting_, &turn);
      turn.push(false);
    });
    if (!co_await turn.receive()) {
      co_return reply(call.is_cancelled() ? ActionStatus::kCancelled : ActionStatus::kPreempted,
                      {});
    }
  }

  server->running_ = running;
  running.say(ActionStatus::kExecuting);
  call.on_cancel([running] {
    running.say(ActionStatus::kCancelling);
    running.wake();
  });
  sim::Task<Bytes> task = server->run_(std::move(goal), running);
  const Bytes outcome = co_await std::move(task);
  server->running_.reset();
  if (!server->waiting_.empty()) {
    Turn* const next = server->waiting_.front();
    server->waiting_.pop_front();
    next->push(true);
  }
  co_return reply(call.is_cancelled()            ? ActionStatus::kCancelled
                  : running.state_->is_aborted   ? ActionStatus::kAborted
                  : running.state_->is_preempted ? ActionStatus::kPreempted
                                                 : ActionStatus::kSucceeded,
                  outcome);
}

sim::Task<Result<RawActionResult>> RawActionClient::run(Bytes goal, GoalEvents events,
                                                        std::optional<Duration> timeout,
                                                        CallTicket* ticket) {
  GoalRecord record;
  record.client = node_.name();
  std::tie(record.server, record.action) = node_.resolve_service(server_, action_);
  record.sent = node_.now();

  CallOptions options;
  options.timeout = timeout;
  options.ticket = ticket != nullptr ? ticket : &ticket_;
  options.progress = [this, &record, &events](const Bytes& bytes) {
    const Result<RawActionResult> said = read_reply(bytes);
    if (!said) {
      node_.complain(said.error().message);
      return;
    }
    if (said->status == ActionStatus::kExecuting && !record.began) {
      record.began = node_.now();
    }
    const bool is_state = said->outcome.empty();
    if (is_state && events.state) {
      events.state(said->status);
    }
    if (!is_state) {
      ++record.feedback;
      if (events.feedback) {
        events.feedback(said->outcome);
      }
    }
  };
  sim::Task<Result<Bytes>> asked =
      node_.call_raw(server_, action_, std::move(goal), std::move(options));
  const Result<Bytes> bytes = co_await std::move(asked);
  Result<RawActionResult> result =
      bytes ? read_reply(*bytes) : Result<RawActionResult>(bytes.error());
  record.ended = node_.now();
  record.status = name_of(result ? result->status : ActionStatus::kLost);
  node_.report(record);
  co_return result;
}

}  // namespace longarm::components
