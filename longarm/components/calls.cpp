// SPDX-License-Identifier: Apache-2.0
// Sends requests and wakes their callers when the reply, an error or the time-out comes first.
#include "longarm/components/calls.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::components {

sim::Task<Result<Bytes>> Calls::call(Peer& peer, std::string method, Bytes request,
                                     CallOptions options) {
  Pending pending(*this, peer);
  begin(pending, method, std::move(request), options);
  co_await pending;
  if (core_.setup.observer != nullptr && !peer.name.empty()) {
    report(pending);
  }
  co_return std::move(*pending.answer);
}

void Calls::begin(Pending& pending, const std::string& method, Bytes request,
                  CallOptions& options) {
  pending.id = ++last_id_ == 0 ? ++last_id_ : last_id_;  // 0 is nobody's
  pending.options = &options;
  pending.record.called = core_.now();
  pending.record.method = method;
  pending_.push_back(&pending);

  if (!options.timeout) {
    options.timeout = core_.setup.call_timeout;
  }
  if (options.timeout) {
    const Duration span = std::max(*options.timeout, Duration(1));
    const auto give_up = [this, id = pending.id](Time) {
      Pending* late = find(id);
      const Duration limit = *late->options->timeout;
      end(*late, Error{fmt::format("no answer from {} within {}", late->peer.text(),
                                   format_duration(limit))});
    };
    // in a phase, so that a reply of that very instant still counts
    pending.timer =
        core_.kernel.at(core_.now() + span, sim::Phase::kControl, core_.source, give_up);
  }
  if (options.ticket != nullptr) {
    options.ticket->call_ = pending.id;
    options.ticket->cancel_ = [this, id = pending.id] {
      if (Pending* under_way = find(id)) {
        peers_.send(under_way->peer, 0, write_frame({.kind = FrameKind::kCancel, .id = id}));
      }
    };
  }

  Bytes frame =
      write_frame({.kind = FrameKind::kRequest, .id = pending.id, .name = method}, request);
  pending.record.request_bytes = frame.size();
  peers_.send(pending.peer, pending.id, std::move(frame));
}

void Calls::received(const Frame& frame, Bytes bytes) {
  Pending* pending = find(frame.id);
  if (pending == nullptr) {
    return;  // timed out or cancelled before
  }
  const std::size_t size = bytes.size();
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(frame.payload_at));
  if (frame.kind == FrameKind::kProgress) {
    if (pending->options->progress) {
      pending->options->progress(bytes);
    }
    return;
  }
  pending->record.reply_bytes = size;
  pending->record.request_arrived = frame.first;
  pending->record.executed = frame.second;
  if (frame.kind == FrameKind::kError) {
    end(*pending, Error{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
    return;
  }
  end(*pending, std::move(bytes));
}

void Calls::fail(std::uint32_t id, const std::string& why) {
  if (Pending* pending = find(id)) {
    end(*pending, Error{why});
  }
}

void Calls::fail_all(const Peer& peer, const std::string& why) {
  // by id: those who are woken may call again
  std::vector<std::uint32_t> ids;
  for (const Pending* pending : pending_) {
    if (&pending->peer == &peer) {
      ids.push_back(pending->id);
    }
  }
  for (const std::uint32_t id : ids) {
    fail(id, why);
  }
}

std::vector<OpenCall> Calls::open() const {
  std::vector<OpenCall> out;
  for (const Pending* pending : pending_) {
    if (!pending->peer.name.empty()) {
      out.push_back({pending->peer.name, pending->record.method, pending->record.called});
    }
  }
  return out;
}

Calls::Pending* Calls::find(std::uint32_t id) {
  for (Pending* pending : pending_) {
    if (pending->id == id) {
      return pending;
    }
  }
  return nullptr;
}

void Calls::end(Pending& pending, Result<Bytes> answer) {
  forget(pending);
  pending.answer = std::move(answer);
  if (pending.waiter) {
    pending.waiter.resume();
  }
}

void Calls::forget(Pending& pending) {
  const auto mine = std::find(pending_.begin(), pending_.end(), &pending);
  if (mine == pending_.end()) {
    return;
  }
  pending_.erase(mine);
  core_.kernel.cancel(pending.timer);
  CallTicket* ticket = pending.options->ticket;
  if (ticket != nullptr && ticket->call_ == pending.id) {
    ticket->cancel_ = nullptr;
  }
}

void Calls::report(Pending& pending) {
  CallRecord& record = pending.record;
  record.caller = core_.name;
  record.server = pending.peer.name;
  record.reply_arrived = core_.now();
  record.is_remote = pending.peer.address.host != core_.own_address.host;
  record.has_failed = !pending.answer->has_value();
  if (record.has_failed) {
    record.failure = pending.answer->error().message;
  }
  core_.setup.observer->called(record);
}

}  // namespace longarm::components
