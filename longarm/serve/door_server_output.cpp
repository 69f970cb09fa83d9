// SPDX-License-Identifier: Apache-2.0
// What goes out of a server's sockets: answers, streams, calls, goodbyes.
#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "longarm/serve/door_server.h"

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kIgnoredBytes = 16 * 1024;
// how long a client may take to say goodbye, and how many may take that long
constexpr auto kLinger = 1s;
constexpr std::size_t kMaxLingering = 256;
// Answers are likely to come soon after questions. For so long we look for them by ourselves, as
// waking us is a burden on the thread that steps.
constexpr auto kLookFor = 5ms;

/// Bytes that the system has taken from us but not put on their way: the client does not read.
int unsent_bytes(int socket) {
  int bytes = 0;
  return ioctl(socket, SIOCOUTQNSD, &bytes) == 0 ? bytes : 0;
}

}  // namespace

void DoorServer::send(ConnectionId client, std::string bytes) {
  add_order({OrderKind::kSend, client, std::move(bytes)});
}

void DoorServer::send_cyclic(ConnectionId client, std::string bytes) {
  add_order({OrderKind::kCyclic, client, std::move(bytes)});
}

void DoorServer::end(ConnectionId client) {
  add_order({OrderKind::kEnd, client});
}

bool DoorServer::call(std::size_t door, const protocols::Call& whom) {
  add_order({OrderKind::kCall, {}, whom.host, door, whom.port});
  return true;
}

void DoorServer::add_order(Order order) {
  bool is_asleep = false;
  {
    const std::lock_guard lock(mutex_);
    // our own thread is far behind; better a client that is cut off than memory without end
    if (orders_bytes_ + order.bytes.size() > config_.max_output) {
      if (order.kind == OrderKind::kCyclic) {
        ++cyclic_skipped_;
        return;
      }
      order = {order.kind == OrderKind::kCall ? OrderKind::kCall : OrderKind::kEnd, order.client};
    }
    is_asleep = orders_.empty() && !is_looking_;
    orders_bytes_ += order.bytes.size();
    orders_.push_back(std::move(order));
  }
  if (is_asleep) {
    reactor_->wake();
  }
}

void DoorServer::follow_orders() {
  std::vector<Order> orders;
  {
    const std::lock_guard lock(mutex_);
    orders.swap(orders_);
    orders_bytes_ = 0;
    is_looking_ = config_.looks_for_answers && Clock::now() - last_heard_ < kLookFor;
  }
  find_newest(orders);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    Order& order = orders[i];
    if (order.kind == OrderKind::kCall) {
      caller_.begin(order.door, {std::move(order.bytes), order.port});
      continue;
    }
    const auto found = connections_.find(order.client);
    if (found == connections_.end()) {
      continue;
    }
    Connection& connection = found->second;
    if (is_left_out(order, i, connection)) {
      ++cyclic_skipped_;
      continue;
    }
    if (order.bytes.size() > config_.max_client_output) {
      drop(order.client, &dropped_);
      continue;
    }
    connection.is_ending = connection.is_ending || order.kind == OrderKind::kEnd;
    connection.output += order.bytes;
    output_bytes_ += order.bytes.size();
    settle(order.client);
  }
}

/// We may have been away for more than one packet of a stream.
void DoorServer::find_newest(const std::vector<Order>& orders) {
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i].kind != OrderKind::kCyclic) {
      continue;
    }
    const auto found = connections_.find(orders[i].client);
    if (found != connections_.end()) {
      found->second.newest = i;
    }
  }
}

bool DoorServer::is_left_out(const Order& order, std::size_t number, const Connection& connection) {
  if (order.kind != OrderKind::kCyclic) {
    return false;
  }
  if (number < connection.newest || !connection.output.empty() ||
      unsent_bytes(connection.socket.number()) > 0) {
    return true;
  }
  ++cyclic_sent_;
  return false;
}

void DoorServer::take_calls() {
  for (Caller::Outcome& outcome : caller_.take_outcomes()) {
    if (outcome.problem.empty() && clients_of_[outcome.door] >= config_.max_clients) {
      outcome.problem = "too many connections";
    }
    if (!outcome.problem.empty()) {
      inbox_.push({DoorEventKind::kCallFailed, outcome.door, {}, std::move(outcome.problem)});
      continue;
    }
    ++called_;
    begin(std::move(outcome.socket), outcome.door);
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
  watch(connection);
}

bool DoorServer::flush(Connection& connection) {
  std::size_t sent = 0;
  while (sent < connection.output.size()) {
    const ssize_t size = ::send(connection.socket.number(), connection.output.data() + sent,
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

/// Says goodbye and waits a little for the client's: closing at once would take back what it has
/// not read.
void DoorServer::part(ConnectionId id) {
  Connection& connection = connections_.at(id);
  connection.is_ending = true;
  shutdown(connection.socket.number(), SHUT_WR);
  reactor_->forget(connection.watch);
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
    std::array<char, kIgnoredBytes> ignored{};
    const ssize_t size = recv(each.socket.number(), ignored.data(), ignored.size(), 0);
    const bool is_gone = size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
    return is_all || is_gone || now > each.until;
  });
}

}  // namespace longarm::serve
