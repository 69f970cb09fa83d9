// SPDX-License-Identifier: Apache-2.0
// Keeps the sockets of programs, and who is to be called for them.
#include "longarm/robots/ur/sockets.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::robots {

using protocols::Call;
using protocols::ConnectionId;

Result<std::uint64_t> UrSockets::call(const std::string& socket, const std::string& host,
                                      std::int64_t port) {
  hang_up(socket);
  sockets_.erase(socket);
  if (port < 1 || port > 65535) {
    return Error{fmt::format("a port is a number from 1 to 65535, not {}", port)};
  }
  if (host.empty()) {
    return Error{"the address is empty"};
  }
  if (sockets_.size() >= kMaxSockets) {
    return Error{fmt::format("more than {} sockets", kMaxSockets)};
  }
  sockets_[socket].number = ++calls_;
  waiting_.push_back({socket, {host, static_cast<std::uint16_t>(port)}});
  return calls_;
}

std::uint64_t UrSockets::call_number(const std::string& socket) const {
  const auto found = sockets_.find(socket);
  return found == sockets_.end() ? 0 : found->second.number;
}

UrSockets::State UrSockets::state(const std::string& socket) const {
  const auto found = sockets_.find(socket);
  return found == sockets_.end() ? State::kClosed : found->second.state;
}

std::string_view UrSockets::received(const std::string& socket) const {
  const auto found = sockets_.find(socket);
  return found == sockets_.end() ? std::string_view() : found->second.input;
}

void UrSockets::consume(const std::string& socket, std::size_t bytes) {
  if (const auto found = sockets_.find(socket); found != sockets_.end()) {
    found->second.input.erase(0, bytes);
  }
}

bool UrSockets::send(const std::string& socket, std::string_view bytes) {
  const auto found = sockets_.find(socket);
  if (found == sockets_.end() || found->second.state != State::kOpen ||
      found->second.output.size() + bytes.size() > kMaxBytes) {
    return false;
  }
  found->second.output += bytes;
  return true;
}

void UrSockets::hang_up(const std::string& socket) {
  const auto found = sockets_.find(socket);
  if (found == sockets_.end()) {
    return;
  }
  if (found->second.connection) {
    leaving_[*found->second.connection] = std::move(found->second.output);
  }
  if (called_ == socket) {
    called_.clear();
  }
  std::erase_if(waiting_, [&](const WaitingCall& each) { return each.socket == socket; });
  sockets_.erase(found);
}

void UrSockets::hang_up_all() {
  while (!sockets_.empty()) {
    hang_up(std::string(sockets_.begin()->first));
  }
}

UrSockets::Socket* UrSockets::find(ConnectionId client) {
  return const_cast<Socket*>(std::as_const(*this).find(client));
}

const UrSockets::Socket* UrSockets::find(ConnectionId client) const {
  for (const auto& [name, socket] : sockets_) {
    if (socket.connection == client) {
      return &socket;
    }
  }
  return nullptr;
}

std::optional<Call> UrSockets::do_take_call() {
  if (is_calling_ || waiting_.empty()) {
    return std::nullopt;
  }
  WaitingCall next = std::move(waiting_.front());
  waiting_.pop_front();
  is_calling_ = true;
  called_ = next.socket;
  return next.call;
}

void UrSockets::do_open(ConnectionId client, Time) {
  if (!is_calling_) {
    leaving_[client] = {};  // nobody calls here
    return;
  }
  is_calling_ = false;
  const auto found = sockets_.find(std::exchange(called_, {}));
  if (found == sockets_.end()) {
    leaving_[client] = {};
    return;
  }
  found->second.connection = client;
  found->second.state = State::kOpen;
}

void UrSockets::do_call_failed(Time) {
  if (std::exchange(is_calling_, false)) {
    sockets_.erase(std::exchange(called_, {}));
  }
}

void UrSockets::do_receive(ConnectionId client, std::string_view bytes, Time) {
  Socket* socket = find(client);
  if (socket == nullptr) {
    return;
  }
  if (socket->input.size() + bytes.size() > kMaxBytes) {
    leaving_[client] = {};
    socket->connection.reset();
    socket->state = State::kClosed;
    return;
  }
  socket->input += bytes;
}

bool UrSockets::do_has_room(ConnectionId client) const {
  const Socket* socket = find(client);
  return socket == nullptr || socket->input.size() < kRoomBytes;
}

void UrSockets::do_close(ConnectionId client, Time) {
  leaving_.erase(client);
  if (Socket* socket = find(client)) {
    socket->connection.reset();
    socket->output.clear();
    socket->state = State::kClosed;
  }
}

std::string UrSockets::do_take_output(ConnectionId client) {
  if (const auto left = leaving_.find(client); left != leaving_.end()) {
    return std::exchange(left->second, {});
  }
  Socket* socket = find(client);
  return socket == nullptr ? std::string() : std::exchange(socket->output, {});
}

bool UrSockets::do_is_over(ConnectionId client) const {
  return leaving_.contains(client);
}

}  // namespace longarm::robots
