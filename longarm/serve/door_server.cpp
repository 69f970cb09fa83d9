// SPDX-License-Identifier: Apache-2.0
// The thread that waits for sockets: accepts, reads, writes, and parts with those who misbehave.
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

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadBytes = 16 * 1024;
constexpr int kEventsAtOnce = 64;
// new clients a listener may bring before others are looked at again
constexpr int kAcceptAtOnce = 64;
// how long a client may take to say goodbye, and how many may take that long
constexpr auto kLinger = 1s;
constexpr std::size_t kMaxLingering = 256;
constexpr int kIdleWait_ms = 200;
// Answers are likely to come soon after questions. For so long we look for them by ourselves, as
// waking us is a burden on the thread that steps.
constexpr auto kLookFor = 5ms;
constexpr timespec kLookEvery{0, 100'000};

// what epoll tells us belongs to whom: the waker, listeners, clients by their number
constexpr std::uint64_t kWaker = 0;
constexpr std::uint64_t kListener = std::uint64_t{1} << 32;

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
  server->clients_of_.resize(server->listeners_.size());
  server->thread_ = std::thread([&self = *server] { self.run(); });
  return server;
}

DoorServer::DoorServer(ServerConfig config, Inbox& inbox)
    : config_(std::move(config)),
      inbox_(inbox),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      waker_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      spare_(open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  watch_descriptor(poller_.get(), waker_.get(), kWaker, EPOLLIN);
}

DoorServer::~DoorServer() {
  is_stopping_ = true;
  wake();
  if (thread_.joinable()) {
    thread_.join();
  }
}

ServerFigures DoorServer::figures() const {
  return {accepted_, refused_, dropped_, broken_, most_output_};
}

void DoorServer::wake() const {
  eventfd_write(waker_.get(), 1);
}

void DoorServer::send(ConnectionId client, std::string bytes) {
  add_order({client, std::move(bytes), false});
}

void DoorServer::end(ConnectionId client) {
  add_order({client, {}, true});
}

void DoorServer::add_order(Order order) {
  bool is_asleep = false;
  {
    const std::lock_guard lock(mutex_);
    // our own thread is far behind; better a client that is cut off than memory without end
    if (orders_bytes_ + order.bytes.size() > config_.max_output) {
      order = {order.client, {}, true};
    }
    is_asleep = orders_.empty() && !is_looking_;
    orders_bytes_ += order.bytes.size();
    orders_.push_back(std::move(order));
  }
  if (is_asleep) {
    wake();
  }
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
      const std::uint64_t what = events[static_cast<std::size_t>(i)].data.u64;
      const std::uint32_t happened = events[static_cast<std::size_t>(i)].events;
      if (what == kWaker) {
        eventfd_t ignored = 0;
        eventfd_read(waker_.get(), &ignored);
        continue;
      }
      if (what >= kListener) {
        accept_all(what - kListener);
        continue;
      }
      const auto id = static_cast<ConnectionId>(what);
      const auto found = connections_.find(id);
      if (found == connections_.end()) {
        continue;
      }
      if ((happened & (EPOLLERR | EPOLLHUP)) != 0) {
        drop(id, &broken_);
      } else if ((happened & EPOLLIN) != 0) {
        read(id, found->second);
      } else {
        settle(id);
      }
    }
    follow_orders();
    resume_paused();
    close_lingering(false);
  }
  // what was said last still goes out, if the clients take it at once
  follow_orders();
  close_lingering(true);
}

void DoorServer::follow_orders() {
  std::vector<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
    orders_bytes_ = 0;
    is_looking_ = config_.looks_for_answers && Clock::now() - last_heard_ < kLookFor;
  }
  for (Order& order : orders) {
    const auto found = connections_.find(order.client);
    if (found == connections_.end()) {
      continue;
    }
    Connection& connection = found->second;
    if (order.bytes.size() > config_.max_client_output) {
      drop(order.client, &dropped_);
      continue;
    }
    connection.is_ending = connection.is_ending || order.is_end;
    connection.output += order.bytes;
    output_bytes_ += order.bytes.size();
    settle(order.client);
  }
}

/// Sends what can be sent, and parts with clients that are done or hopeless.
void DoorServer::settle(ConnectionId id) {
  Connection& connection = connections_.at(id);
  if (!flush(connection)) {
    drop(id, &broken_);
    return;
  }
  most_output_ = std::max<std::uint64_t>(most_output_, output_bytes_);
  if (connection.output.size() > config_.max_client_output || output_bytes_ > config_.max_output) {
    drop(id, &dropped_);
    return;
  }
  if (connection.is_ending && connection.output.empty()) {
    part(id);
    return;
  }
  watch(id, connection);
}

bool DoorServer::flush(Connection& connection) {
  std::size_t sent = 0;
  while (sent < connection.output.size()) {
    const ssize_t size = ::send(connection.socket.get(), connection.output.data() + sent,
                                connection.output.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      break;
    }
    sent += static_cast<std::size_t>(size);
  }
  const bool is_broken = sent < connection.output.size() && errno != EAGAIN;
  connection.output.erase(0, sent);
  if (connection.output.empty()) {
    connection.output.shrink_to_fit();
  }
  output_bytes_ -= sent;
  return !is_broken;
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
    if (clients_of_[number] >= config_.max_clients) {
      ++refused_;
      continue;
    }
    ++accepted_;
    ++clients_of_[number];
    const ConnectionId id = inbox_.new_client();
    Connection& connection = connections_[id];
    connection.socket = std::move(socket);
    connection.door = addresses_[number].door;
    inbox_.push({DoorEventKind::kOpen, connection.door, id, {}});
    watch(id, connection, true);
  }
}

void DoorServer::watch(ConnectionId id, const Connection& connection, bool is_new) const {
  epoll_event event{};
  const bool is_read = !connection.is_paused && !connection.is_heard_out && !connection.is_ending;
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
  if (!connection.is_ending) {
    ++*counter;
  }
  hear_out(id, connection);
  output_bytes_ -= connection.output.size();
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    clients_of_[i] -= addresses_[i].door == connection.door ? 1 : 0;
  }
  connections_.erase(id);
}

/// Says goodbye and waits a little for the client's: closing at once would take back what it has
/// not read.
void DoorServer::part(ConnectionId id) {
  Connection& connection = connections_.at(id);
  connection.is_ending = true;
  shutdown(connection.socket.get(), SHUT_WR);
  epoll_ctl(poller_.get(), EPOLL_CTL_DEL, connection.socket.get(), nullptr);
  if (lingering_.size() < kMaxLingering) {
    lingering_.push_back({std::move(connection.socket), Clock::now() + kLinger});
  }
  drop(id, nullptr);
}

void DoorServer::close_lingering(bool is_all) {
  if (lingering_.empty()) {
    return;
  }
  const Clock::time_point now = Clock::now();
  std::erase_if(lingering_, [&](const Lingering& each) {
    std::array<char, kReadBytes> ignored{};
    const ssize_t size = recv(each.socket.get(), ignored.data(), ignored.size(), 0);
    const bool is_gone = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
    return is_all || is_gone || now > each.until;
  });
}

}  // namespace longarm::serve
