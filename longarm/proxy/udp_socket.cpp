// SPDX-License-Identifier: Apache-2.0
// Kernel time stamps (SO_TIMESTAMPNS), drop counts (SO_MEMINFO) and errors that came back
// (IP_RECVERR) around recvmsg and sendmsg.
#include "longarm/proxy/udp_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/uio.h>

namespace longarm::proxy {
namespace {

constexpr int kSocketBufferBytes = 8'000'000;
constexpr int kDatagramsAtOnce = 64;
// older stamps are no delay of ours: somebody has set the clock
constexpr Duration kOldestStamp = std::chrono::seconds(1);

void enlarge(int socket, int option, int forced_option) {
  // beyond the system's limit if we may
  if (setsockopt(socket, SOL_SOCKET, forced_option, &kSocketBufferBytes,
                 sizeof kSocketBufferBytes) != 0) {
    setsockopt(socket, SOL_SOCKET, option, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  }
}

Duration calendar_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// The kernel's stamp, on the calendar's clock; zero if there is none.
Duration stamp_of(msghdr& message) {
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(each), sizeof stamp);
      return std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec);
    }
  }
  return Duration(0);
}

/// Whether this, from the queue of errors, tells of a datagram that did not arrive.
bool is_refusal(msghdr& message) {
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if ((each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR) ||
        (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_RECVERR)) {
      sock_extended_err error{};
      std::memcpy(&error, CMSG_DATA(each), sizeof error);
      return error.ee_origin == SO_EE_ORIGIN_ICMP || error.ee_origin == SO_EE_ORIGIN_ICMP6;
    }
  }
  return false;
}

/// From the calendar's clock to the reactor's; now, if that makes no sense.
Time when_it_came(const system::Reactor& reactor, Duration stamp) {
  const Time now = reactor.now();
  const Duration age = calendar_now() - stamp;
  return age >= Duration(0) && age <= kOldestStamp ? now - age : now;
}

}  // namespace

UdpSocket::UdpSocket(system::Descriptor descriptor) : descriptor_(std::move(descriptor)) {
  const int yes = 1;
  setsockopt(number(), SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
  enlarge(number(), SO_RCVBUF, SO_RCVBUFFORCE);
  enlarge(number(), SO_SNDBUF, SO_SNDBUFFORCE);
}

Result<UdpSocket> UdpSocket::bind(const Address& address) {
  Result<system::Descriptor> socket = system::bind_socket(address, SOCK_DGRAM);
  if (!socket) {
    return socket.error();
  }
  return UdpSocket(std::move(socket).value());
}

Result<UdpSocket> UdpSocket::connect(const SocketAddress& to) {
  Result<system::Descriptor> socket = system::begin_connect(to, SOCK_DGRAM);
  if (!socket) {
    return socket.error();
  }
  // every error that comes back, not the last one only
  const int yes = 1;
  setsockopt(socket->number(), to.family() == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
             to.family() == AF_INET6 ? IPV6_RECVERR : IP_RECVERR, &yes, sizeof yes);
  return UdpSocket(std::move(socket).value());
}

void UdpSocket::receive(const system::Reactor& reactor, std::span<std::byte> room,
                        const Receive& hand_over) {
  for (int i = 0; i < kDatagramsAtOnce; ++i) {
    SocketAddress from;
    alignas(cmsghdr) std::array<char, 256> control{};
    iovec piece{room.data(), room.size()};
    msghdr message{};
    message.msg_name = &from.storage;
    message.msg_namelen = sizeof from.storage;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = recvmsg(number(), &message, MSG_DONTWAIT);
    if (size < 0) {
      return;  // nothing more, or an error about what we sent before, which take_refusals() counts
    }
    from.length = message.msg_namelen;
    hand_over(when_it_came(reactor, stamp_of(message)), from,
              std::span<const std::byte>(room).first(static_cast<std::size_t>(size)));
  }
}

UdpSocket::Sent UdpSocket::send(std::span<const std::byte> bytes, const SocketAddress* to) {
  const sockaddr* const address = to == nullptr ? nullptr : to->generic();
  const socklen_t length = to == nullptr ? 0 : to->length;
  // the first error may be about an earlier datagram, and this one is not sent then
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (sendto(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT, address,
               length) >= 0) {
      return Sent::kSent;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EMSGSIZE) {
      return Sent::kNoRoom;
    }
  }
  return Sent::kRefused;
}

std::uint64_t UdpSocket::take_refusals() {
  std::uint64_t count = 0;
  for (;;) {
    alignas(cmsghdr) std::array<char, 512> control{};
    msghdr message{};
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (recvmsg(number(), &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
      return count;
    }
    count += is_refusal(message) ? 1 : 0;
  }
}

std::uint64_t UdpSocket::take_kernel_losses() {
  std::array<std::uint32_t, SK_MEMINFO_VARS> figures{};
  socklen_t size = sizeof figures;
  if (getsockopt(number(), SOL_SOCKET, SO_MEMINFO, figures.data(), &size) != 0) {
    return 0;
  }
  const std::uint64_t losses = figures[SK_MEMINFO_DROPS];
  return losses - std::exchange(losses_told_, losses);
}

}  // namespace longarm::proxy
