// SPDX-License-Identifier: Apache-2.0
// Clients by their addresses: who is heard first gets a socket, who is silent for long loses it.
#include "longarm/proxy/udp_relay.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/epoll.h>

namespace longarm::proxy {
namespace {

constexpr std::size_t kUdpHeaderBytes = 8;

/// As an IP packet, which is what a cable's frame carries.
std::size_t wire_bytes(std::size_t datagram_bytes, const SocketAddress& address) {
  return datagram_bytes + kUdpHeaderBytes + (address.family() == AF_INET6 ? 40 : 20);
}

// a conversation of the links: whose, and which way
std::uint64_t upwards(std::uint64_t client) {
  return 2 * client;
}
std::uint64_t downwards(std::uint64_t client) {
  return 2 * client + 1;
}

HandOver outcome(UdpSocket::Sent sent) {
  switch (sent) {
    case UdpSocket::Sent::kSent:
      return HandOver::kSent;
    case UdpSocket::Sent::kRefused:
      return HandOver::kRefused;
    case UdpSocket::Sent::kNoRoom:
      break;
  }
  return HandOver::kLost;
}

}  // namespace

Result<std::unique_ptr<UdpRelay>> UdpRelay::make(system::Reactor& reactor, RelayLinkPair& links,
                                                 Capture* capture, const UdpRelayOptions& options) {
  const Result<SocketAddress> server = system::resolve(options.to);
  if (!server) {
    return server.error();
  }
  Result<UdpSocket> socket = UdpSocket::bind(options.listen);
  if (!socket) {
    return socket.error();
  }
  return std::unique_ptr<UdpRelay>(
      new UdpRelay(reactor, links, capture, options, std::move(socket).value(), *server));
}

UdpRelay::UdpRelay(system::Reactor& reactor, RelayLinkPair& links, Capture* capture,
                   const UdpRelayOptions& options, UdpSocket socket, const SocketAddress& server)
    : reactor_(reactor),
      links_(links),
      capture_(capture),
      options_(options),
      socket_(std::move(socket)),
      address_(system::local_socket_address(socket_.number())),
      server_(server),
      watch_(reactor.watch(socket_.number(), EPOLLIN, [this](std::uint32_t) { hear_clients(); })),
      idle_timer_(reactor.add_timer([this] { forget_idle_clients(); })) {}

UdpRelay::~UdpRelay() {
  count_kernel_losses();
  for (const auto& [id, client] : clients_) {
    reactor_.forget(client.watch);
  }
  reactor_.forget(watch_);
  reactor_.remove_timer(idle_timer_);
}

void UdpRelay::hear_clients() {
  socket_.receive(reactor_, room_, [this](Time came, const SocketAddress& from, auto bytes) {
    const std::uint64_t id = client_at(from);
    if (capture_ != nullptr) {
      capture_->datagram(came, from, address_, bytes);
    }
    if (id == 0) {
      links_.counts().up.received(bytes.size());
      links_.counts().up.refuse();
      return;
    }
    const Time leaves =
        links_.up().offer(came, bytes, wire_bytes(bytes.size(), from), *this, upwards(id));
    Client& client = clients_.at(id);
    client.busy_until = std::max(client.busy_until, leaves);
  });
}

void UdpRelay::hear_server(std::uint64_t id, std::uint32_t happened) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) {
    return;
  }
  Client& client = found->second;
  if ((happened & EPOLLERR) != 0) {
    count_refusals_of(client);
  }
  client.last_heard = reactor_.now();
  client.socket.receive(reactor_, room_, [&](Time came, const SocketAddress&, auto bytes) {
    if (capture_ != nullptr) {
      capture_->datagram(came, server_, client.socket_address, bytes);
    }
    const Time leaves = links_.down().offer(came, bytes, wire_bytes(bytes.size(), client.address),
                                            *this, downwards(id));
    client.busy_until = std::max(client.busy_until, leaves);
  });
}

std::uint64_t UdpRelay::client_at(const SocketAddress& address) {
  if (const auto known = ids_.find(address); known != ids_.end()) {
    clients_.at(known->second).last_heard = reactor_.now();
    return known->second;
  }
  return add_client(address);
}

std::uint64_t UdpRelay::add_client(const SocketAddress& address) {
  if (clients_.size() >= options_.most_clients) {
    ++links_.counts().conversations_refused;
    return 0;
  }
  Result<UdpSocket> socket = UdpSocket::connect(server_);
  if (!socket) {  // no descriptor left, or no way to the server
    ++links_.counts().conversations_refused;
    return 0;
  }
  const std::uint64_t id = next_id_++;
  const int number = socket->number();
  const auto watch = reactor_.watch(
      number, EPOLLIN, [this, id](std::uint32_t happened) { hear_server(id, happened); });
  clients_.emplace(id, Client{address, std::move(socket).value(),
                              system::local_socket_address(number), watch, reactor_.now()});
  ids_.emplace(address, id);
  ++links_.counts().conversations;
  ++links_.counts().conversations_now;
  if (clients_.size() == 1) {
    reactor_.set_timer(idle_timer_, reactor_.now() + options_.idle_after);
  }
  return id;
}

void UdpRelay::forget_idle_clients() {
  const Time now = reactor_.now();
  for (auto each = clients_.begin(); each != clients_.end();) {
    Client& client = each->second;
    if (now - std::max(client.last_heard, client.busy_until) < options_.idle_after) {
      ++each;
      continue;
    }
    count_losses_of(client);
    reactor_.forget(client.watch);
    ids_.erase(client.address);
    each = clients_.erase(each);
    --links_.counts().conversations_now;
  }
  if (!clients_.empty()) {
    reactor_.set_timer(idle_timer_, now + options_.idle_after / 4);
  }
}

HandOver UdpRelay::hand_over(std::uint64_t conversation, std::span<const std::byte> bytes) {
  const auto found = clients_.find(conversation / 2);
  if (found == clients_.end()) {
    return HandOver::kLost;  // forgotten while its datagram was on the link
  }
  found->second.last_heard = reactor_.now();
  const bool is_up = conversation == upwards(found->first);
  return is_up ? send_to_server(found->second, bytes) : send_to_client(found->second, bytes);
}

HandOver UdpRelay::send_to_server(Client& client, std::span<const std::byte> bytes) {
  const HandOver out = outcome(client.socket.send(bytes));
  if (capture_ != nullptr && out == HandOver::kSent) {
    capture_->datagram(reactor_.now(), client.socket_address, server_, bytes);
  }
  return out;
}

HandOver UdpRelay::send_to_client(Client& client, std::span<const std::byte> bytes) {
  const HandOver out = outcome(socket_.send(bytes, &client.address));
  if (capture_ != nullptr && out == HandOver::kSent) {
    capture_->datagram(reactor_.now(), address_, client.address, bytes);
  }
  return out;
}

void UdpRelay::count_kernel_losses() {
  links_.counts().up.lose_in_kernel(socket_.take_kernel_losses());
  for (auto& [id, client] : clients_) {
    count_losses_of(client);
  }
}

void UdpRelay::count_losses_of(Client& client) {
  links_.counts().down.lose_in_kernel(client.socket.take_kernel_losses());
  count_refusals_of(client);
}

void UdpRelay::count_refusals_of(Client& client) {
  const std::uint64_t refusals = client.socket.take_refusals();
  links_.counts().up.refuse(refusals);
  if (refusals > 0 && !std::exchange(has_told_of_refusal_, true) && options_.tell) {
    options_.tell(fmt::format("no program listens at udp {}", to_text(server_)));
  }
}

}  // namespace longarm::proxy
