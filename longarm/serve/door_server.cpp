// SPDX-License-Identifier: Apache-2.0
// The thread that waits for sockets: accepts, reads, and parts with those who misbehave.
#include "longarm/serve/door_server.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "longarm/protocols/broadcast_door.h"
#include "longarm/system/socket.h"

namespace longarm::serve {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
// new clients a listener may bring before others are looked at again
constexpr int kAcceptAtOnce = 64;
constexpr Duration kIdleWait = std::chrono::milliseconds(200);
// while answers are looked for
constexpr Duration kLookEvery = std::chrono::microseconds(100);

}  // namespace

Result<std::unique_ptr<DoorServer>> DoorServer::make(const std::vector<Door*>& doors,
                                                     ServerConfig config, Inbox& inbox) {
  Result<std::unique_ptr<system::Reactor>> reactor = system::Reactor::make();
  if (!reactor) {
    return reactor.error();
  }
  std::unique_ptr<DoorServer> server(
      new DoorServer(std::move(config), inbox, std::move(reactor).value()));
  for (std::size_t i = 0; i < doors.size(); ++i) {
    if (dynamic_cast<const protocols::BroadcastDoor*>(doors[i]) != nullptr) {
      server->broadcasts_.insert(i);
    }
    const auto own = doors[i]->port();
    if (!own) {
      continue;
    }
    const auto wanted = server->config_.ports.find(doors[i]->name());
    auto listener = listen_at(server->config_.is_open_to_all,
                              wanted == server->config_.ports.end() ? *own : wanted->second);
    if (!listener) {
      return Error{fmt::format("{}: {}", doors[i]->name(), listener.error().message)};
    }
    server->addresses_.push_back({i, listener->host, listener->port});
    server->listeners_.push_back(std::move(listener).value());
  }
  for (std::size_t i = 0; i < server->listeners_.size(); ++i) {
    server->reactor_->watch(server->listeners_[i].socket.number(), EPOLLIN,
                            [&self = *server, i](std::uint32_t) { self.accept_all(i); });
  }
  server->thread_ = std::thread([&self = *server] { self.run(); });
  return server;
}

DoorServer::DoorServer(ServerConfig config, Inbox& inbox, std::unique_ptr<system::Reactor> reactor)
    : config_(std::move(config)),
      inbox_(inbox),
      reactor_(std::move(reactor)),
      spare_(system::open_spare()),
      caller_(*reactor_, config_.is_open_to_all) {}

DoorServer::~DoorServer() {
  is_stopping_ = true;
  reactor_->wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

ServerFigures DoorServer::figures() const {
  return {accepted_,    refused_, dropped_,     broken_,
          most_output_, called_,  cyclic_sent_, cyclic_skipped_};
}

void DoorServer::resume() {
  if (has_paused_) {
    reactor_->wake();
  }
}

void DoorServer::run() {
  while (!is_stopping_) {
    // is_looking_ is written by this thread only
    reactor_->run_once(reactor_->now() + (is_looking_ ? kLookEvery : kIdleWait));
    follow_orders();
    take_calls();
    resume_paused();
    close_lingering(false);
  }
  // what was said last still goes out, if the clients take it at once
  follow_orders();
  close_lingering(true);
}

void DoorServer::handle(ConnectionId id, std::uint32_t happened) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) {
    return;
  }
  if ((happened & (EPOLLERR | EPOLLHUP)) != 0) {
    drop(id, &broken_);
  } else if ((happened & EPOLLIN) != 0) {
    read(id, found->second);
  } else {
    settle(id);
  }
}

void DoorServer::read(ConnectionId id, Connection& connection) {
  if (!inbox_.has_room(id)) {
    connection.is_paused = true;
    paused_.insert(id);
    has_paused_ = true;
    watch(connection);
    return;
  }
  std::string bytes(kReadBytes, '\0');
  const ssize_t size = recv(connection.socket.number(), bytes.data(), bytes.size(), 0);
  if (size > 0) {
    system::acknowledge_now(connection.socket.number());
    bytes.resize(static_cast<std::size_t>(size));
    bytes.shrink_to_fit();
    last_heard_ = Clock::now();
    inbox_.push({DoorEventKind::kData, connection.door, id, std::move(bytes)});
  } else if (size == 0 && broadcasts_.contains(connection.door)) {
    // gone or not: the next packet shows it, as the system of a client that is gone resets
    connection.is_listener = true;
    watch(connection);
  } else if (size == 0) {
    // it may still listen: its last question is answered before the socket is closed
    hear_out(id, connection);
    watch(connection);
  } else if (errno != EAGAIN && errno != EINTR) {
    drop(id, &broken_);
  }
}

void DoorServer::hear_out(ConnectionId id, Connection& connection) {
  if (!std::exchange(connection.is_heard_out, true)) {
    inbox_.push({DoorEventKind::kClose, connection.door, id, {}});
  }
}

void DoorServer::accept_all(std::size_t number) {
  const Listener& listener = listeners_[number];
  for (int i = 0; i < kAcceptAtOnce; ++i) {
    bool is_exhausted = false;
    system::Descriptor socket = accept_client(listener, is_exhausted);
    if (is_exhausted) {
      spare_.reset();
      accept_client(listener, is_exhausted);
      spare_ = system::open_spare();
      ++refused_;
      continue;
    }
    if (!socket.is_open()) {
      return;
    }
    if (clients_of_[addresses_[number].door] >= config_.max_clients) {
      ++refused_;
      continue;
    }
    ++accepted_;
    begin(std::move(socket), addresses_[number].door);
  }
}

/// A conversation, whoever called whom.
void DoorServer::begin(system::Descriptor socket, std::size_t door) {
  ++clients_of_[door];
  const ConnectionId id = inbox_.new_client();
  Connection& connection = connections_[id];
  connection.socket = std::move(socket);
  connection.door = door;
  inbox_.push({DoorEventKind::kOpen, door, id, {}});
  connection.watch = reactor_->watch(connection.socket.number(), EPOLLIN,
                                     [this, id](std::uint32_t happened) { handle(id, happened); });
}

void DoorServer::watch(const Connection& connection) {
  const bool is_read = !connection.is_paused && !connection.is_heard_out &&
                       !connection.is_listener && !connection.is_ending;
  reactor_->change(connection.watch,
                   (is_read ? EPOLLIN : 0U) | (connection.output.empty() ? 0U : EPOLLOUT));
}

void DoorServer::resume_paused() {
  for (auto id = paused_.begin(); id != paused_.end();) {
    const auto found = connections_.find(*id);
    if (found != connections_.end() && !inbox_.has_room(*id)) {
      ++id;
      continue;
    }
    if (found != connections_.end()) {
      found->second.is_paused = false;
      watch(found->second);
    }
    id = paused_.erase(id);
  }
  has_paused_ = !paused_.empty();
}

/// At once, with whatever has not been sent.
void DoorServer::drop(ConnectionId id, std::atomic<std::uint64_t>* counter) {
  Connection& connection = connections_.at(id);
  // a listener had said goodbye
  if (!connection.is_ending && !(connection.is_listener && counter == &broken_)) {
    ++*counter;
  }
  hear_out(id, connection);
  output_bytes_ -= connection.output.size();
  --clients_of_[connection.door];
  reactor_->forget(connection.watch);
  connections_.erase(id);
}

}  // namespace longarm::serve
