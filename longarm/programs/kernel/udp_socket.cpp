// SPDX-License-Identifier: Apache-2.0
// Datagrams to one, to a group and to all of a subnet; what overflows is lost.
#include "longarm/programs/kernel/udp_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>

namespace longarm::programs {
namespace {

constexpr std::size_t kLargest = 65'507;
/// What a datagram takes of the buffer beside its bytes, about as in Linux.
constexpr std::size_t kOverhead = 768;

}  // namespace

int UdpSocket::protocol() const {
  return IPPROTO_UDP;
}

std::uint32_t UdpSocket::readiness() const {
  std::uint32_t ready = POLLOUT | POLLWRNORM;
  if (error() != 0) {
    ready |= POLLERR;
  }
  if (!arrived_.empty() || reads_nothing_) {
    ready |= POLLIN | POLLRDNORM;
  }
  if (reads_nothing_) {
    ready |= POLLRDHUP | (writes_nothing_ ? POLLHUP : 0U);
  }
  return ready;
}

std::int64_t UdpSocket::connect(Thread&, const SocketName& name) {
  sa_family_t given = AF_UNSPEC;
  std::memcpy(&given, name.data(), std::min(name.size(), sizeof(given)));
  if (given == AF_UNSPEC && name.size() >= sizeof(given)) {
    peer_.reset();
    return 0;
  }
  int problem = 0;
  std::optional<InetAddress> to = parse_inet(family(), name, problem);
  if (!to) {
    return problem;
  }
  Host* there = nullptr;
  if (!to->is_multicast() && !Internet::is_broadcast(host(), to->address)) {
    if (const std::int64_t wrong = resolve(*to, there); wrong < 0) {
      return wrong;
    }
  } else if (!to->is_multicast() && !may_broadcast()) {
    return -EACCES;
  }
  if (const std::int64_t wrong = bind_anywhere(); wrong < 0) {
    return wrong;
  }
  if (local_.is_any()) {
    local_.address = source_towards(*to);
  }
  peer_ = *to;
  return 0;
}

std::int64_t UdpSocket::send(Outgoing& message) {
  if (error() != 0) {
    return -take_error();
  }
  if (writes_nothing_) {
    return -EPIPE;
  }
  std::optional<InetAddress> to = peer_;
  if (!message.to.empty()) {
    int problem = 0;
    to = parse_inet(family(), message.to, problem);
    if (!to) {
      return problem;
    }
  }
  if (!to) {
    return -EDESTADDRREQ;
  }
  if (to->port == 0) {
    return -EINVAL;
  }
  if (message.bytes.size() > kLargest) {
    return -EMSGSIZE;
  }
  if (const std::int64_t wrong = bind_anywhere(); wrong < 0) {
    return wrong;
  }
  if (kernel().streams() == nullptr) {
    return -ENETUNREACH;
  }
  Internet& internet = kernel().state<Internet>();
  const auto size = static_cast<std::int64_t>(message.bytes.size());
  const auto send_to = [&](Host& there) {
    internet.ports(kernel(), there);
    return kernel().streams()->send_datagram({host().node, local_.port}, {there.node, to->port},
                                             label_of(source_towards(*to), to->address),
                                             message.bytes, priority_);
  };
  const bool is_broadcast = Internet::is_broadcast(host(), to->address);
  if (is_broadcast && !may_broadcast()) {
    return -EACCES;
  }
  if (!is_broadcast && !to->is_multicast()) {
    Host* there = nullptr;
    if (const std::int64_t wrong = resolve(*to, there); wrong < 0) {
      return wrong;
    }
    return send_to(*there) ? size : -ENOBUFS;
  }
  // one copy for each host that has an ear for it: switches know who has joined
  for (const std::unique_ptr<Host>& there : kernel().hosts()) {
    const bool is_us = there.get() == &host();
    if (is_us && to->is_multicast() && !hears_itself_) {
      continue;
    }
    const std::vector<InetSocket*>& ears =
        internet.ports(kernel(), *there).at(SOCK_DGRAM, to->port);
    const bool is_heard = std::any_of(ears.begin(), ears.end(), [&](InetSocket* socket) {
      return static_cast<UdpSocket*>(socket)->wants({source_towards(*to), local_.port},
                                                    to->address);
    });
    if (is_heard) {
      send_to(*there);
    }
  }
  return size;
}

bool UdpSocket::wants(const InetAddress& from, std::uint32_t destination) const {
  const InetAddress there{destination, 0};
  if (there.is_multicast()) {
    return groups_.contains(destination) && (local_.is_any() || local_.address == destination);
  }
  if (Internet::is_broadcast(host(), destination)) {
    return local_.is_any() || local_.address == destination;
  }
  if (!hears(destination)) {
    return false;
  }
  return !peer_ || (peer_->port == from.port && peer_->address == from.address);
}

void UdpSocket::arrived(const InetAddress& from, std::uint32_t destination,
                        std::span<const std::byte> bytes) {
  const std::size_t weight = bytes.size() + kOverhead;
  if (reads_nothing_ || arrived_bytes_ + weight > static_cast<std::size_t>(receive_buffer())) {
    return;
  }
  arrived_bytes_ += weight;
  arrived_.push_back({from, destination,
                      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                      kernel().now()});
  changed();
}

void UdpSocket::unreachable(const InetAddress&) {
  set_error(ECONNREFUSED);
  changed();
}

std::int64_t UdpSocket::receive(Incoming& message) {
  if (error() != 0) {
    return -take_error();
  }
  if (arrived_.empty()) {
    return reads_nothing_ ? 0 : -EAGAIN;
  }
  const Datagram& next = arrived_.front();
  const std::size_t count = std::min(message.room.size(), next.bytes.size());
  std::memcpy(message.room.data(), next.bytes.data(), count);
  message.from = format_inet(family(), next.from);
  if (count < next.bytes.size()) {
    message.result_flags |= MSG_TRUNC;
  }
  if (tells_destination_ && family() == AF_INET) {
    in_pktinfo info{};
    info.ipi_ifindex = InetAddress{next.destination, 0}.is_loopback() ? 1 : 2;
    info.ipi_spec_dst.s_addr = htonl(host().address);
    info.ipi_addr.s_addr = htonl(next.destination);
    message.control.push_back({{IPPROTO_IP, IP_PKTINFO},
                               std::string(reinterpret_cast<const char*>(&info), sizeof(info))});
  }
  const auto whole = static_cast<std::int64_t>(next.bytes.size());
  const bool tells_whole = (message.flags & MSG_TRUNC) != 0;
  if ((message.flags & MSG_PEEK) == 0) {
    arrived_bytes_ -= next.bytes.size() + kOverhead;
    arrived_.pop_front();
  }
  return tells_whole ? whole : static_cast<std::int64_t>(count);
}

std::int64_t UdpSocket::shut_down(int how) {
  if (how < SHUT_RD || how > SHUT_RDWR) {
    return -EINVAL;
  }
  if (!peer_) {
    return -ENOTCONN;
  }
  reads_nothing_ = reads_nothing_ || how != SHUT_WR;
  writes_nothing_ = writes_nothing_ || how != SHUT_RD;
  changed();
  return 0;
}

std::int64_t UdpSocket::readable_bytes() const {
  return arrived_.empty() ? 0 : static_cast<std::int64_t>(arrived_.front().bytes.size());
}

std::optional<std::int64_t> UdpSocket::set_option(int level, int name, const std::string& value) {
  if (level == IPPROTO_IP) {
    switch (name) {
      case IP_ADD_MEMBERSHIP:
      case IP_DROP_MEMBERSHIP: {
        ip_mreq request{};
        if (value.size() < sizeof(request)) {
          return -EINVAL;
        }
        std::memcpy(&request, value.data(), sizeof(request));
        const std::uint32_t group = ntohl(request.imr_multiaddr.s_addr);
        if (!InetAddress{group, 0}.is_multicast()) {
          return -EINVAL;
        }
        if (name == IP_ADD_MEMBERSHIP) {
          return groups_.insert(group).second ? 0 : -EADDRINUSE;
        }
        return groups_.erase(group) == 1 ? 0 : -EADDRNOTAVAIL;
      }
      case IP_MULTICAST_LOOP:
        hears_itself_ = !value.empty() && value[0] != 0;
        return 0;
      case IP_PKTINFO:
        tells_destination_ = int_of(value) != 0;
        return 0;
      case IP_MULTICAST_IF:
      case IP_MULTICAST_TTL:
      case IP_MULTICAST_ALL:
        return 0;
      default:
        break;
    }
  }
  if (level == IPPROTO_IPV6 &&
      (name == IPV6_MULTICAST_HOPS || name == IPV6_MULTICAST_IF || name == IPV6_MULTICAST_LOOP)) {
    return 0;
  }
  return InetSocket::set_option(level, name, value);
}

std::optional<std::string> UdpSocket::option(int level, int name) {
  if (level == IPPROTO_IP && name == IP_MULTICAST_LOOP) {
    return option_of(hears_itself_ ? 1 : 0);
  }
  if (level == IPPROTO_IP && name == IP_MULTICAST_TTL) {
    return option_of(1);
  }
  return InetSocket::option(level, name);
}

}  // namespace longarm::programs
