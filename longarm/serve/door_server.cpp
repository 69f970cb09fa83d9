// SPDX-License-Identifier: Apache-2.0
// The thread that waits for sockets: accepts, reads, and parts with those who misbehave.
#include "longarm/serve/door_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "longarm/protocols/broadcast_door.h"

namespace longarm::serve {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr int kEventsAtOnce = 64;
// new clients a listener may bring before others are looked at again
constexpr int kAcceptAtOnce = 64;
constexpr int kIdleWait_ms = 200;
// while answers are looked for
constexpr timespec kLookEvery{0, 100'000};

// what epoll tells us belongs to whom: the waker, listeners, calls, clients by their number
constexpr std::uint64_t kWaker = 0;
constexpr std::uint64_t kListener = std::uint64_t{1} << 32;
constexpr std::uint64_t kCalls = std::uint64_t{1} << 33;

void watch_descriptor(int poller, int descriptor, std::uint64_t what, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = what;
  epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace

Result<std::unique_ptr<DoorServer>> DoorServer::make(const std::vector<Door*>& doors,
                                                     ServerConfig config, Inbox& inbox) {
  std::unique_ptr<DoorServer> server(new DoorServer(std::move(config), inbox));
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
    watch_descriptor(server->poller_.get(), server->listeners_[i].socket.get(), kListener + i,
                     EPOLLIN);
  }
  server->thread_ = std::thread([&self = *server] { self.run(); });
  return server;
}

DoorServer::DoorServer(ServerConfig config, Inbox& inbox)
    : config_(std::move(config)),
      inbox_(inbox),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      waker_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)),
      caller_(config_.is_open_to_all) {
  watch_descriptor(poller_.get(), waker_.get(), kWaker, EPOLLIN);
  watch_descriptor(poller_.get(), caller_.descriptor(), kCalls, EPOLLIN);
}

DoorServer::~DoorServer() {
  is_stopping_ = true;
  wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

ServerFigures DoorServer::figures() const {
  return {accepted_,    refused_, dropped_,     broken_,
          most_output_, called_,  cyclic_sent_, cyclic_skipped_};
}

void DoorServer::wake() const {
  eventfd_write(waker_.get(), 1);
}

void DoorServer::resume() {
  if (has_paused_) {
    wake();
  }
}

/// How many there are.
int DoorServer::wait_for_events(std::span<epoll_event> events) const {
  int patience_ms = kIdleWait_ms;
  if (is_looking_) {  // written by this thread only
    pollfd any{poller_.get(), POLLIN, 0};
    ppoll(&any, 1, &kLookEvery, nullptr);
    patience_ms = 0;
  }
  return epoll_wait(poller_.get(), events.data(), static_cast<int>(events.size()), patience_ms);
}

void DoorServer::run() {
  std::array<epoll_event, kEventsAtOnce> events{};
  while (!is_stopping_) {
    const int count = wait_for_events(events);
    for (int i = 0; i < count; ++i) {
      handle(events[static_cast<std::size_t>(i)]);
    }
    follow_orders();
    take_calls();
    resume_paused();
    close_lingering(false);
  }
  // what was said last still goes out, if the clients take it at once
  follow_orders();
  close_lingering(true);
}

void DoorServer::handle(const epoll_event& event) {
  const std::uint64_t what = event.data.u64;
  if (what == kWaker) {
    eventfd_t ignored = 0;
    eventfd_read(waker_.get(), &ignored);
    return;
  }
  if (what == kCalls) {
    return;  // looked after in each round
  }
  if (what >= kListener) {
    accept_all(what - kListener);
    return;
  }
  const auto id = static_cast<ConnectionId>(what);
  const auto found = connections_.find(id);
  if (found == connections_.end()) {
    return;
  }
  if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) {
    drop(id, &broken_);
  } else if ((event.events & EPOLLIN) != 0) {
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
    watch(id, connection);
    return;
  }
  std::string bytes(kReadBytes, '\0');
  const ssize_t size = recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (size > 0) {
    bytes.resize(static_cast<std::size_t>(size));
    bytes.shrink_to_fit();
    last_heard_ = Clock::now();
    inbox_.push({DoorEventKind::kData, connection.door, id, std::move(bytes)});
  } else if (size == 0 && broadcasts_.contains(connection.door)) {
    // gone or not: the next packet shows it, as the system of a client that is gone resets
    connection.is_listener = true;
    watch(id, connection);
  } else if (size == 0) {
    // it may still listen: its last question is answered before the socket is closed
    hear_out(id, connection);
    watch(id, connection);
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
    Descriptor socket = accept_client(listener, is_exhausted);
    if (is_exhausted) {
      // otherwise it would stand in the queue and wake us for ever
      spare_.reset();
      accept_client(listener, is_exhausted);
      spare_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
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
void DoorServer::begin(Descriptor socket, std::size_t door) {
  ++clients_of_[door];
  const ConnectionId id = inbox_.new_client();
  Connection& connection = connections_[id];
  connection.socket = std::move(socket);
  connection.door = door;
  inbox_.push({DoorEventKind::kOpen, door, id, {}});
  watch(id, connection, true);
}

void DoorServer::watch(ConnectionId id, const Connection& connection, bool is_new) const {
  epoll_event event{};
  const bool is_read = !connection.is_paused && !connection.is_heard_out &&
                       !connection.is_listener && !connection.is_ending;
  event.events = (is_read ? EPOLLIN : 0U) | (connection.output.empty() ? 0U : EPOLLOUT);
  event.data.u64 = static_cast<std::uint64_t>(id);
  epoll_ctl(poller_.get(), is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, connection.socket.get(), &event);
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
      watch(*id, found->second);
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
  connections_.erase(id);
}

}  // namespace longarm::serve
