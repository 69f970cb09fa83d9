// SPDX-License-Identifier: Apache-2.0
// Ports: who may have one, and who hears what arrives at it.
#include "longarm/programs/kernel/internet.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include "longarm/programs/kernel/interfaces.h"
#include "longarm/programs/kernel/tcp_socket.h"
#include "longarm/programs/kernel/udp_socket.h"

namespace longarm::programs {
namespace {

constexpr std::uint16_t kFirstPort = 32'768;
constexpr std::uint16_t kLastPort = 60'999;

}  // namespace

// --- sockets ----------------------------------------------------------------------------------

InetSocket::~InetSocket() {
  leave_place();
}

bool InetSocket::hears(std::uint32_t destination) const {
  if (local_.address == destination) {
    return true;
  }
  if (!local_.is_any()) {
    return false;
  }
  if (family() == AF_INET) {
    return destination != InetAddress::kLoopback6;
  }
  return !is_v6_only_ || destination == InetAddress::kLoopback6;
}

bool InetSocket::goes_with(const InetSocket& other, std::uint32_t address) const {
  const auto is_other_family = [](const InetSocket& v6, const InetSocket& v4) {
    return v6.family() == AF_INET6 && v4.family() == AF_INET && v6.is_v6_only_;
  };
  if (is_other_family(*this, other) || is_other_family(other, *this)) {
    return true;
  }
  if (address != other.local_.address && address != InetAddress::kAny && !other.local_.is_any()) {
    return true;
  }
  if (reuses_port() && other.reuses_port()) {
    return true;
  }
  return reuses_address() && other.reuses_address() &&
         (type() == SOCK_DGRAM || (!is_listening() && !other.is_listening()));
}

void InetSocket::take_place(const InetAddress& local) {
  local_ = local;
  is_bound_ = true;
  kernel().state<Internet>().ports(kernel(), host()).at(type(), local.port).push_back(this);
}

void InetSocket::leave_place() {
  if (is_bound_) {
    is_bound_ = false;
    std::erase(kernel().state<Internet>().ports(kernel(), host()).at(type(), local_.port), this);
  }
}

std::int64_t InetSocket::bind(Thread&, const SocketName& name) {
  int problem = 0;
  std::optional<InetAddress> address = parse_inet(family(), name, problem);
  if (!address) {
    return problem;
  }
  if (is_bound_) {
    return -EINVAL;
  }
  const bool is_ours =
      address->is_any() || address->is_loopback() || address->address == host().address ||
      (type() == SOCK_DGRAM &&
       (address->is_multicast() || Internet::is_broadcast(host(), address->address)));
  if (!is_ours) {
    return -EADDRNOTAVAIL;
  }
  HostPorts& ports = kernel().state<Internet>().ports(kernel(), host());
  if (address->port == 0) {
    const std::optional<std::uint16_t> free = ports.free_port(type());
    if (!free) {
      return -EADDRINUSE;
    }
    address->port = *free;
  }
  if (type() == SOCK_STREAM && ports.is_served(address->port)) {
    return -EADDRINUSE;
  }
  for (const InetSocket* other : ports.at(type(), address->port)) {
    if (!goes_with(*other, address->address)) {
      return -EADDRINUSE;
    }
  }
  take_place(*address);
  return 0;
}

std::int64_t InetSocket::bind_anywhere() {
  if (is_bound_) {
    return 0;
  }
  const std::optional<std::uint16_t> port =
      kernel().state<Internet>().ports(kernel(), host()).free_port(type());
  if (!port) {
    return -EADDRNOTAVAIL;
  }
  take_place({InetAddress::kAny, *port});
  return 0;
}

std::int64_t InetSocket::resolve(InetAddress& to, Host*& host_there) const {
  if (to.is_any()) {
    to.address = family() == AF_INET6 ? InetAddress::kLoopback6 : InetAddress::kLoopback;
  }
  if (to.is_loopback()) {
    host_there = &host();
    return 0;
  }
  host_there = Internet::find(kernel(), to.address);
  if (host_there != nullptr) {
    return 0;
  }
  const bool is_on_our_net = (to.address & kNetmask) == (host().address & kNetmask);
  return is_on_our_net ? -EHOSTUNREACH : -ENETUNREACH;
}

std::uint32_t InetSocket::source_towards(const InetAddress& to) const {
  if (!local_.is_any() && !local_.is_multicast()) {
    return local_.address;
  }
  return to.is_loopback() ? to.address : host().address;
}

std::optional<SocketName> InetSocket::peer_name() const {
  if (!peer_) {
    return std::nullopt;
  }
  return format_inet(family(), *peer_);
}

std::optional<std::int64_t> InetSocket::set_option(int level, int name, const std::string& value) {
  if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) {
    is_v6_only_ = int_of(value) != 0;
    return 0;
  }
  if (level == IPPROTO_IP && name == IP_TOS) {
    return 0;  // classes of service are the network's, by flow
  }
  const bool is_accepted =
      (level == IPPROTO_IP && (name == IP_TTL || name == IP_MTU_DISCOVER || name == IP_RECVERR ||
                               name == IP_BIND_ADDRESS_NO_PORT || name == IP_FREEBIND)) ||
      (level == IPPROTO_IPV6 &&
       (name == IPV6_UNICAST_HOPS || name == IPV6_RECVERR || name == IPV6_TCLASS ||
        name == IPV6_MTU_DISCOVER || name == IPV6_RECVPKTINFO));
  if (is_accepted) {
    return 0;
  }
  return Socket::set_option(level, name, value);
}

std::optional<std::string> InetSocket::option(int level, int name) {
  if (level == IPPROTO_IPV6 && name == IPV6_V6ONLY) {
    return option_of(is_v6_only_ ? 1 : 0);
  }
  if (level == IPPROTO_IP && name == IP_TTL) {
    return option_of(64);
  }
  if (level == IPPROTO_IP && (name == IP_TOS || name == IP_RECVERR)) {
    return option_of(0);
  }
  if (level == IPPROTO_IP && name == IP_MTU) {
    return option_of(peer_ && peer_->is_loopback() ? 65'536 : 1'500);
  }
  return Socket::option(level, name);
}

std::int64_t InetSocket::control(Thread& thread, std::uint64_t request, std::uint64_t argument) {
  const std::int64_t result = control_interfaces(kernel(), thread, request, argument);
  return result != -ENOTTY ? result : Socket::control(thread, request, argument);
}

// --- ports ------------------------------------------------------------------------------------

std::vector<InetSocket*>& HostPorts::at(int type, std::uint16_t port) {
  return places_[{type, port}];
}

std::optional<std::uint16_t> HostPorts::free_port(int type) {
  for (int tried = kFirstPort; tried <= kLastPort; ++tried) {
    const std::uint16_t port = next_port_;
    next_port_ = port == kLastPort ? kFirstPort : static_cast<std::uint16_t>(port + 1);
    if (at(type, port).empty()) {
      return port;
    }
  }
  return std::nullopt;
}

TcpSocket* HostPorts::listener(std::uint16_t port, std::uint32_t destination,
                               std::uint16_t from) const {
  const auto found = places_.find({SOCK_STREAM, port});
  if (found == places_.end()) {
    return nullptr;
  }
  // whoever named the address goes before who takes any; those who share a port share the callers
  std::vector<TcpSocket*> best;
  bool is_named = false;
  for (InetSocket* socket : found->second) {
    if (!socket->is_listening() || !socket->hears(destination)) {
      continue;
    }
    const bool names_it = !socket->local().is_any();
    if (names_it && !is_named) {
      best.clear();
      is_named = true;
    }
    if (names_it == is_named) {
      best.push_back(static_cast<TcpSocket*>(socket));
    }
  }
  return best.empty() ? nullptr : best[from % best.size()];
}

network::TcpOptions HostPorts::service_options() const {
  network::TcpOptions options = kernel_.options().tcp;
  options.is_nodelay = true;
  return options;
}

network::Doorman::Answer HostPorts::called(network::HostPort at, network::HostPort from,
                                           network::Label label, network::TcpOptions& options) {
  if (is_served(at.number)) {
    options = service_options();
    return Answer::kAccept;
  }
  TcpSocket* socket = listener(at.number, destination_of(label), from.number);
  if (socket == nullptr) {
    return Answer::kRefuse;
  }
  if (!socket->has_room_in_backlog()) {
    return Answer::kIgnore;
  }
  socket->called();
  options = socket->tcp_options();
  return Answer::kAccept;
}

void HostPorts::arrived(network::HostPort at, std::unique_ptr<network::Stream> stream) {
  const auto service = services_.find(at.number);
  if (service != services_.end()) {
    service->second(std::move(stream));
    return;
  }
  TcpSocket* socket = listener(at.number, destination_of(stream->label()), stream->remote().number);
  if (socket == nullptr) {
    stream->reset();  // it has stopped listening meanwhile
    return;
  }
  socket->arrived(std::move(stream));
}

bool HostPorts::datagram(network::HostPort port, network::HostPort from, network::Label label,
                         std::span<const std::byte> bytes) {
  const std::uint32_t destination = destination_of(label);
  const InetAddress source{source_of(label), from.number};
  const bool is_for_many =
      InetAddress{destination, 0}.is_multicast() || Internet::is_broadcast(host_, destination);
  UdpSocket* best = nullptr;
  int best_score = -1;
  const std::vector<InetSocket*> sockets = at(SOCK_DGRAM, port.number);
  for (InetSocket* one : sockets) {
    auto* socket = static_cast<UdpSocket*>(one);
    if (!socket->wants(source, destination)) {
      continue;
    }
    if (is_for_many) {
      socket->arrived(source, destination, bytes);
      best = socket;
      continue;
    }
    const int score = (socket->peer() ? 2 : 0) + (socket->local().is_any() ? 0 : 1);
    if (score >= best_score) {  // of equals, who came last
      best = socket;
      best_score = score;
    }
  }
  if (best == nullptr) {
    return is_for_many;
  }
  if (!is_for_many) {
    best->arrived(source, destination, bytes);
  }
  return true;
}

void HostPorts::unreachable(network::HostPort from, network::HostPort to) {
  const Host* there = Internet::find(kernel_, to.host);
  for (InetSocket* one : at(SOCK_DGRAM, from.number)) {
    auto* socket = static_cast<UdpSocket*>(one);
    const std::optional<InetAddress>& peer = socket->peer();
    if (peer && peer->port == to.number && there != nullptr &&
        (peer->address == there->address || (peer->is_loopback() && there == &host_))) {
      socket->unreachable(*peer);
    }
  }
}

// --- hosts -----------------------------------------------------------------------------------

HostPorts& Internet::ports(Kernel& kernel, Host& host) {
  std::unique_ptr<HostPorts>& ports = ports_[host.node];
  if (!ports) {
    ports = std::make_unique<HostPorts>(kernel, host);
    if (kernel.streams() != nullptr) {
      kernel.streams()->set_doorman(host.node, *ports);
    }
  }
  return *ports;
}

Host* Internet::find(const Kernel& kernel, std::uint32_t address) {
  for (const std::unique_ptr<Host>& host : kernel.hosts()) {
    if (host->address == address) {
      return host.get();
    }
  }
  return nullptr;
}

Host* Internet::find(const Kernel& kernel, network::NodeId node) {
  for (const std::unique_ptr<Host>& host : kernel.hosts()) {
    if (host->node == node) {
      return host.get();
    }
  }
  return nullptr;
}

bool Internet::is_broadcast(const Host& host, std::uint32_t address) {
  return address == InetAddress::kBroadcast || address == (host.address | ~kNetmask);
}

}  // namespace longarm::programs
