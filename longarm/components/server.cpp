// SPDX-License-Identifier: Apache-2.0
// Executes requests as tasks, as many at once as there are threads, and sends the replies back.
#include "longarm/components/server.h"

#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::components {

void Server::serve(std::string_view method, Node::RawHandler handler) {
  methods_[std::string(method)] = {.raw = std::move(handler), .call = {}, .takes_thread = true};
}

void Server::serve(std::string_view method, Node::CallHandler handler, bool takes_thread) {
  methods_[std::string(method)] = {
      .raw = {}, .call = std::move(handler), .takes_thread = takes_thread};
}

void Server::received(ConnectionId connection, const Frame& frame, Bytes bytes) {
  // frames of requests that are over: none of them is running now
  for (const std::uint32_t slot : finished_) {
    executions_[slot].task.reset();
    free_.push_back(slot);
  }
  finished_.clear();

  const auto method = methods_.find(frame.name);
  if (method == methods_.end()) {
    refuse(connection, frame);
    return;
  }
  const std::uint32_t slot = take_slot();
  Execution& execution = executions_[slot];
  execution.id = frame.id;
  execution.connection = connection;
  execution.method = &method->second;
  execution.name = method->first;
  execution.wants_reply = frame.kind == FrameKind::kRequest;
  execution.is_cancelled = false;
  execution.is_connected = true;
  execution.reached_host = core_.transport.reached_host();
  execution.arrived = core_.now();
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(frame.payload_at));
  execution.request = std::move(bytes);

  if (!execution.method->takes_thread || core_.setup.threads <= 0) {
    start(slot);
    return;
  }
  waiting_.push_back(slot);
  start_waiting();
}

std::uint32_t Server::take_slot() {
  if (free_.empty()) {
    executions_.emplace_back();
    return static_cast<std::uint32_t>(executions_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Server::start_waiting() {
  if (is_starting_) {
    return;  // the loop below goes on: handlers that need no time must not pile up on the stack
  }
  is_starting_ = true;
  while (!waiting_.empty() && threads_taken_ < core_.setup.threads) {
    const std::uint32_t slot = waiting_.front();
    waiting_.pop_front();
    ++threads_taken_;
    start(slot);
  }
  is_starting_ = false;
}

void Server::start(std::uint32_t slot) {
  Execution& execution = executions_[slot];
  execution.started = core_.now();
  execution.core_wait = Duration(0);
  execution.task.emplace(execute(this, slot));
  Duration* const before = std::exchange(
      core_.core_wait, core_.setup.reports_executions ? &execution.core_wait : nullptr);
  execution.task->start();
  core_.core_wait = before;
}

sim::Task<void> Server::execute(Server* server, std::uint32_t slot) {
  Execution& execution = server->executions_[slot];
  const Method& method = *execution.method;
  Bytes request = std::move(execution.request);
  if (method.raw) {
    server->finish(slot, co_await method.raw(std::move(request)));
    co_return;
  }
  const ServedCall call(*server, slot, execution.generation);
  Result<Bytes> answer = co_await method.call(std::move(request), call);
  server->finish(slot, std::move(answer));
}

void Server::finish(std::uint32_t slot, Result<Bytes> answer) {
  Execution& execution = executions_[slot];
  if (core_.setup.reports_executions && core_.setup.observer != nullptr) {
    report(execution);
  }
  if (execution.wants_reply && execution.is_connected) {
    Frame frame{.kind = FrameKind::kReply,
                .id = execution.id,
                .first = execution.arrived,
                .second = core_.now()};
    if (answer) {
      core_.transport.send(execution.connection, write_frame(frame, *answer));
    } else {
      frame.kind = FrameKind::kError;
      core_.transport.send(execution.connection,
                           write_frame(frame, std::as_bytes(std::span(answer.error().message))));
    }
  }
  const bool frees_thread = execution.method->takes_thread && core_.setup.threads > 0;
  execution.method = nullptr;
  execution.cancelled = nullptr;
  ++execution.generation;
  finished_.push_back(slot);
  if (frees_thread) {
    --threads_taken_;
    start_waiting();
  }
}

void Server::report(const Execution& execution) const {
  core_.setup.observer->executed({.server = core_.name,
                                  .method = execution.name,
                                  .reached_host = execution.reached_host,
                                  .arrived = execution.arrived,
                                  .started = execution.started,
                                  .core_wait = execution.core_wait,
                                  .executed = core_.now()});
}

void Server::refuse(ConnectionId connection, const Frame& frame) {
  std::vector<std::string> names;
  for (const auto& [name, method] : methods_) {
    if (!name.starts_with("longarm/")) {
      names.push_back(name);
    }
  }
  const std::string what =
      fmt::format("'{}' has no method '{}'; {}", core_.name, frame.name,
                  names.empty() ? "it serves none" : suggest(frame.name, names));
  if (frame.kind == FrameKind::kOneWay) {
    core_.complain(what);
    return;
  }
  core_.transport.send(connection, write_frame({.kind = FrameKind::kError, .id = frame.id},
                                               std::as_bytes(std::span(what))));
}

void Server::cancel(ConnectionId connection, std::uint32_t id) {
  for (Execution& execution : executions_) {
    if (execution.method != nullptr && execution.connection == connection && execution.id == id) {
      note_cancelled(execution);
    }
  }
}

void Server::note_cancelled(Execution& execution) const {
  if (!std::exchange(execution.is_cancelled, true) && execution.cancelled) {
    std::exchange(execution.cancelled, nullptr)();
  }
}

void Server::closed(ConnectionId connection) {
  for (Execution& execution : executions_) {
    if (execution.method != nullptr && execution.connection == connection) {
      execution.is_connected = false;
      note_cancelled(execution);
    }
  }
}

const Server::Execution* Server::find(const ServedCall& call) const {
  const Execution& execution = executions_[call.slot_];
  return execution.generation == call.generation_ ? &execution : nullptr;
}

void ServedCall::progress(Bytes message) const {
  const Server::Execution* execution = server_->find(*this);
  if (execution == nullptr || !execution->wants_reply || !execution->is_connected) {
    return;
  }
  server_->core_.transport.send(
      execution->connection,
      write_frame({.kind = FrameKind::kProgress, .id = execution->id}, message));
}

bool ServedCall::is_cancelled() const {
  const Server::Execution* execution = server_->find(*this);
  return execution == nullptr || execution->is_cancelled;
}

void ServedCall::on_cancel(std::function<void()> cancelled) const {
  if (server_->find(*this) != nullptr) {
    server_->executions_[slot_].cancelled = std::move(cancelled);
  }
}

ConnectionId ServedCall::connection() const {
  const Server::Execution* execution = server_->find(*this);
  return execution == nullptr ? ConnectionId{} : execution->connection;
}

}  // namespace longarm::components
