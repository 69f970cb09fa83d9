// SPDX-License-Identifier: Apache-2.0
// Sockets do their work between kernel events; whatever the component must hear becomes one.
#include "longarm/components/real/socket_transport.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>

#include "longarm/core/check.h"

namespace longarm::components {
namespace {

constexpr Duration kRetryEvery{20'000'000};
constexpr std::size_t kLargestDatagram = 65'535;

Bytes with_length(const Bytes& message) {
  Bytes framed(kLengthBytes + message.size());
  write_length(message.size(), framed);
  std::copy(message.begin(), message.end(), framed.begin() + kLengthBytes);
  return framed;
}

bool is_only_later() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Result<std::unique_ptr<SocketTransport>> SocketTransport::make(RealTimeLoop& loop,
                                                               SocketOptions options) {
  Result<system::Descriptor> tcp = system::bind_socket(options.listen, SOCK_STREAM);
  if (!tcp) {
    return tcp.error();
  }
  Result<system::Descriptor> udp = system::bind_socket(
      {options.listen.host, system::local_address(tcp->number()).port}, SOCK_DGRAM);
  if (!udp) {
    return udp.error();
  }
  return std::unique_ptr<SocketTransport>(new SocketTransport(
      loop, std::move(options), std::move(tcp).value(), std::move(udp).value()));
}

SocketTransport::SocketTransport(RealTimeLoop& loop, SocketOptions options, system::Descriptor tcp,
                                 system::Descriptor udp)
    : loop_(loop),
      options_(std::move(options)),
      source_(loop.kernel().add_source("sockets")),
      tcp_(std::move(tcp)),
      udp_(std::move(udp)) {}

SocketTransport::~SocketTransport() {
  *is_alive_ = false;
  loop_.forget(tcp_.number());
  loop_.forget(udp_.number());
  for (const auto& [id, connection] : connections_) {
    if (connection.socket.is_open()) {
      loop_.forget(connection.socket.number());
    }
  }
}

void SocketTransport::start(TransportEvents& events) {
  check(events_ == nullptr, "a transport is started once");
  events_ = &events;
  loop_.watch(tcp_.number(), EPOLLIN, [this](std::uint32_t) { accept_streams(); });
  loop_.watch(udp_.number(), EPOLLIN, [this](std::uint32_t) { read_new_datagrams(); });
}

SocketTransport::Connection* SocketTransport::find(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : &found->second;
}

ConnectionId SocketTransport::add(Connection connection) {
  const ConnectionId id{next_id_++};
  connections_.emplace(id, std::move(connection));
  return id;
}

// --- what the component asks for

ConnectionId SocketTransport::connect(const Address& to, const network::FlowOptions& options) {
  Connection connection;
  connection.is_tcp = options.transport != network::Transport::kUdp;
  connection.is_nodelay = options.tcp.is_nodelay;
  connection.retry_until = loop_.stamp() + options_.retry_for;
  const ConnectionId id = add(std::move(connection));
  const Result<system::SocketAddress> peer = system::resolve(to);
  if (!peer) {
    give_up(id, peer.error().message);
    return id;
  }
  find(id)->peer = *peer;
  begin(id);
  return id;
}

void SocketTransport::begin(ConnectionId id) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;  // closed meanwhile
  }
  Result<system::Descriptor> socket =
      system::begin_connect(connection->peer, connection->is_tcp ? SOCK_STREAM : SOCK_DGRAM);
  if (!socket) {
    give_up(id, socket.error().message);
    return;
  }
  connection->socket = std::move(socket).value();
  if (!connection->is_tcp) {
    settle(id);
    return;
  }
  watch(id);
}

void SocketTransport::settle(ConnectionId id) {
  Connection& connection = *find(id);
  const std::string problem = system::connect_error(connection.socket.number());
  if (problem.empty()) {
    connection.is_up = true;
    if (connection.is_tcp) {
      system::set_nodelay(connection.socket.number(), connection.is_nodelay);
    }
    say_connected(id);
    flush(id);
    return;
  }
  if (loop_.stamp() + kRetryEvery > connection.retry_until) {
    give_up(id, problem);
    return;
  }
  loop_.forget(connection.socket.number());
  connection.socket.reset();
  loop_.kernel().deliver(loop_.stamp() + kRetryEvery, source_,
                         [this, id, is_alive = is_alive_](Time) {
                           if (*is_alive) {
                             begin(id);
                           }
                         });
}

void SocketTransport::send(ConnectionId id, Bytes message) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;
  }
  check(message.size() <= kLargestMessage, "a message is too large for its length field");
  bytes_sent_ += message.size();
  if (!connection->is_tcp) {
    send_datagram(*connection, message);
    return;
  }
  connection->out.push_back(with_length(message));
  if (connection->is_up && connection->out.size() == 1) {
    flush(id);
  }
}

void SocketTransport::send_datagram(Connection& connection, const Bytes& message) {
  // a datagram that finds no room is lost, as datagrams may be
  if (connection.socket.is_open()) {
    (void)::send(connection.socket.number(), message.data(), message.size(), MSG_NOSIGNAL);
    return;
  }
  (void)::sendto(udp_.number(), message.data(), message.size(), MSG_NOSIGNAL,
                 connection.peer.generic(), connection.peer.length);
}

void SocketTransport::close(ConnectionId id) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;
  }
  if (connection->socket.is_open()) {
    loop_.forget(connection->socket.number());
  } else {
    udp_peers_.erase(std::string(connection->peer.bytes()));
  }
  connections_.erase(id);
}

// --- what sockets say

void SocketTransport::watch(ConnectionId id) {
  const Connection& connection = *find(id);
  const bool wants_to_write = connection.is_tcp && (!connection.is_up || !connection.out.empty());
  loop_.watch(connection.socket.number(), EPOLLIN | (wants_to_write ? EPOLLOUT : 0U),
              [this, id](std::uint32_t happened) { ready(id, happened); });
}

void SocketTransport::ready(ConnectionId id, std::uint32_t events) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;
  }
  if (!connection->is_tcp) {
    read_datagrams(id);
    return;
  }
  if (!connection->is_up) {
    settle(id);
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    flush(id);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    read_stream(id);
  }
}

void SocketTransport::flush(ConnectionId id) {
  Connection& connection = *find(id);
  while (!connection.out.empty()) {
    const Bytes& first = connection.out.front();
    const ssize_t count = ::send(connection.socket.number(), first.data() + connection.out_sent,
                                 first.size() - connection.out_sent, MSG_NOSIGNAL);
    if (count < 0) {
      if (is_only_later()) {
        break;
      }
      give_up(id, system::last_system_error());
      return;
    }
    connection.out_sent += static_cast<std::size_t>(count);
    if (connection.out_sent == first.size()) {
      connection.out.pop_front();
      connection.out_sent = 0;
    }
  }
  watch(id);
}

void SocketTransport::read_stream(ConnectionId id) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;  // gone while it wrote
  }
  std::array<std::byte, 65'536> buffer;
  const ssize_t count = ::recv(connection->socket.number(), buffer.data(), buffer.size(), 0);
  if (count < 0 && is_only_later()) {
    return;
  }
  if (count <= 0) {
    give_up(id, count == 0 ? "closed by the peer" : system::last_system_error());
    return;
  }
  connection->in.insert(connection->in.end(), buffer.begin(), buffer.begin() + count);
  if (!take_messages(id, *connection)) {
    give_up(id, "the peer announced a message larger than any may be");
  }
}

bool SocketTransport::take_messages(ConnectionId id, Connection& connection) {
  std::size_t taken = 0;
  while (connection.in.size() - taken >= kLengthBytes) {
    const std::size_t length = read_length(std::span(connection.in).subspan(taken));
    if (length > kLargestMessage) {
      return false;
    }
    if (connection.in.size() - taken - kLengthBytes < length) {
      break;
    }
    const auto first = connection.in.begin() + static_cast<std::ptrdiff_t>(taken + kLengthBytes);
    say_received(id, Bytes(first, first + static_cast<std::ptrdiff_t>(length)));
    taken += kLengthBytes + length;
  }
  connection.in.erase(connection.in.begin(),
                      connection.in.begin() + static_cast<std::ptrdiff_t>(taken));
  return true;
}

void SocketTransport::read_datagrams(ConnectionId id) {
  Bytes buffer(kLargestDatagram);
  const ssize_t count = ::recv(find(id)->socket.number(), buffer.data(), buffer.size(), 0);
  if (count >= 0) {
    buffer.resize(static_cast<std::size_t>(count));
    say_received(id, std::move(buffer));
  }
}

void SocketTransport::accept_streams() {
  while (true) {
    system::Descriptor socket(
        ::accept4(tcp_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      return;
    }
    system::set_nodelay(socket.number(), true);
    Connection connection;
    connection.socket = std::move(socket);
    connection.is_up = true;
    const ConnectionId id = add(std::move(connection));
    watch(id);
    say_connected(id);
  }
}

void SocketTransport::read_new_datagrams() {
  Bytes buffer(kLargestDatagram);
  system::SocketAddress from;
  from.length = sizeof(from.storage);
  const ssize_t count = ::recvfrom(udp_.number(), buffer.data(), buffer.size(), 0,
                                   reinterpret_cast<sockaddr*>(&from.storage), &from.length);
  if (count < 0) {
    return;
  }
  buffer.resize(static_cast<std::size_t>(count));
  const auto [found, is_new] = udp_peers_.try_emplace(std::string(from.bytes()));
  if (is_new) {
    Connection connection;
    connection.is_tcp = false;
    connection.is_up = true;
    connection.peer = from;
    found->second = add(std::move(connection));
    say_connected(found->second);
  }
  say_received(found->second, std::move(buffer));
}

// --- what the component hears: never in the middle of its own lines

void SocketTransport::say_connected(ConnectionId id) {
  loop_.kernel().deliver(loop_.stamp(), source_, [this, id, is_alive = is_alive_](Time) {
    if (*is_alive && find(id) != nullptr) {
      events_->connected(id);
    }
  });
}

void SocketTransport::say_received(ConnectionId id, Bytes message) {
  loop_.kernel().deliver(
      loop_.stamp(), source_,
      [this, id, is_alive = is_alive_, message = std::move(message)](Time) mutable {
        if (*is_alive && find(id) != nullptr) {
          events_->received(id, std::move(message));
        }
      });
}

void SocketTransport::give_up(ConnectionId id, const std::string& why) {
  Connection& connection = *find(id);
  if (connection.socket.is_open()) {
    loop_.forget(connection.socket.number());
    connection.socket.reset();
  }
  connection.is_up = false;  // what is sent from now on goes nowhere
  loop_.kernel().deliver(loop_.stamp(), source_, [this, id, why, is_alive = is_alive_](Time) {
    if (*is_alive && find(id) != nullptr) {
      connections_.erase(id);
      events_->closed(id, why);
    }
  });
}

}  // namespace longarm::components
