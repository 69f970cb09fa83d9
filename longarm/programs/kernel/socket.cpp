// SPDX-License-Identifier: Apache-2.0
// Options that all sockets have.
#include "longarm/programs/kernel/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "longarm/programs/kernel/netlink_socket.h"
#include "longarm/programs/kernel/tcp_socket.h"
#include "longarm/programs/kernel/udp_socket.h"
#include "longarm/programs/kernel/unix_socket.h"

namespace longarm::programs {
namespace {

constexpr std::int64_t kLargestBuffer = 212'992;

std::optional<Duration> timeout_of(const std::string& value) {
  timeval time{};
  std::memcpy(&time, value.data(), std::min(value.size(), sizeof(time)));
  if (time.tv_sec == 0 && time.tv_usec == 0) {
    return std::nullopt;
  }
  return Duration(std::chrono::seconds(time.tv_sec)) +
         Duration(std::chrono::microseconds(time.tv_usec));
}

std::string option_of(const std::optional<Duration>& timeout) {
  timeval time{};
  if (timeout) {
    time.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(*timeout).count();
    time.tv_usec = timeout->count() / 1000 % 1'000'000;
  }
  return {reinterpret_cast<const char*>(&time), sizeof(time)};
}

}  // namespace

std::string option_of(int value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

int int_of(const std::string& value) {
  int number = 0;
  std::memcpy(&number, value.data(), std::min(value.size(), sizeof(number)));
  return number;
}

std::int64_t Socket::read(std::span<std::byte> out) {
  if (out.empty()) {
    return 0;
  }
  Incoming message;
  message.room = out;
  return receive(message);
}

std::int64_t Socket::write(std::span<const std::byte> bytes) {
  Outgoing message;
  message.bytes = bytes;
  return send(message);
}

int Socket::take_error() {
  return std::exchange(error_, 0);
}

void Socket::take_options(const Socket& listener) {
  reuses_address_ = listener.reuses_address_;
  reuses_port_ = listener.reuses_port_;
  keeps_alive_ = listener.keeps_alive_;
  passes_credentials_ = listener.passes_credentials_;
  send_buffer_ = listener.send_buffer_;
  receive_buffer_ = listener.receive_buffer_;
  receive_timeout_ = listener.receive_timeout_;
  send_timeout_ = listener.send_timeout_;
}

std::optional<std::int64_t> Socket::set_option(int level, int name, const std::string& value) {
  if (level != SOL_SOCKET) {
    return std::nullopt;
  }
  const int number = int_of(value);
  switch (name) {
    case SO_REUSEADDR:
      reuses_address_ = number != 0;
      return 0;
    case SO_REUSEPORT:
      reuses_port_ = number != 0;
      return 0;
    case SO_BROADCAST:
      may_broadcast_ = number != 0;
      return 0;
    case SO_KEEPALIVE:
      keeps_alive_ = number != 0;
      return 0;
    case SO_PASSCRED:
      passes_credentials_ = number != 0;
      return 0;
    case SO_TIMESTAMP:
    case SO_TIMESTAMPNS:
      has_timestamps_ = number != 0;
      return 0;
    case SO_SNDBUF:
    case SO_SNDBUFFORCE:
      send_buffer_ = 2 * std::clamp<std::int64_t>(number, 2304, kLargestBuffer);
      return 0;
    case SO_RCVBUF:
    case SO_RCVBUFFORCE:
      receive_buffer_ = 2 * std::clamp<std::int64_t>(number, 1152, kLargestBuffer);
      return 0;
    case SO_RCVTIMEO:
      receive_timeout_ = timeout_of(value);
      return 0;
    case SO_SNDTIMEO:
      send_timeout_ = timeout_of(value);
      return 0;
    case SO_LINGER:
      linger_ = value.substr(0, 8);
      linger_.resize(8, '\0');
      return 0;
    case SO_PRIORITY:
      priority_ = number;
      return 0;
    case SO_BINDTODEVICE:
    case SO_DONTROUTE:
    case SO_MARK:
    case SO_OOBINLINE:
    case SO_RCVLOWAT:
    case SO_NO_CHECK:
    case SO_INCOMING_CPU:
    case SO_RXQ_OVFL:
    case SO_BUSY_POLL:
      return 0;
    default:
      return std::nullopt;
  }
}

std::optional<std::string> Socket::option(int level, int name) {
  if (level != SOL_SOCKET) {
    return std::nullopt;
  }
  switch (name) {
    case SO_ERROR:
      return option_of(take_error());
    case SO_TYPE:
      return option_of(type_);
    case SO_DOMAIN:
      return option_of(family_);
    case SO_PROTOCOL:
      return option_of(protocol());
    case SO_ACCEPTCONN:
      return option_of(is_listening() ? 1 : 0);
    case SO_REUSEADDR:
      return option_of(reuses_address_ ? 1 : 0);
    case SO_REUSEPORT:
      return option_of(reuses_port_ ? 1 : 0);
    case SO_BROADCAST:
      return option_of(may_broadcast_ ? 1 : 0);
    case SO_KEEPALIVE:
      return option_of(keeps_alive_ ? 1 : 0);
    case SO_PASSCRED:
      return option_of(passes_credentials_ ? 1 : 0);
    case SO_SNDBUF:
      return option_of(static_cast<int>(send_buffer_));
    case SO_RCVBUF:
      return option_of(static_cast<int>(receive_buffer_));
    case SO_RCVTIMEO:
      return option_of(receive_timeout_);
    case SO_SNDTIMEO:
      return option_of(send_timeout_);
    case SO_LINGER:
      return linger_;
    case SO_PRIORITY:
      return option_of(static_cast<int>(priority_));
    case SO_RCVLOWAT:
    case SO_SNDLOWAT:
      return option_of(1);
    case SO_OOBINLINE:
    case SO_DONTROUTE:
    case SO_TIMESTAMP:
    case SO_MARK:
    case SO_INCOMING_CPU:
      return option_of(0);
    default:
      return std::nullopt;
  }
}

bool Socket::lingers_for_nothing() const {
  linger how{};
  std::memcpy(&how, linger_.data(), sizeof how);
  return how.l_onoff != 0 && how.l_linger == 0;
}

std::int64_t Socket::control(Thread& thread, std::uint64_t request, std::uint64_t argument) {
  const auto answer = [&](std::int64_t value) -> std::int64_t {
    return kernel().put(thread, argument, static_cast<int>(value)) ? 0 : -EFAULT;
  };
  switch (request) {
    case FIONREAD:
      return is_listening() ? -EINVAL : answer(readable_bytes());
    case SIOCOUTQ:
      return answer(unsent_bytes());
    default:
      return -ENOTTY;
  }
}

std::shared_ptr<Socket> make_socket(Kernel& kernel, Host& host, int family, int type, int protocol,
                                    int& error) {
  const bool is_stream = type == SOCK_STREAM;
  const bool is_datagram = type == SOCK_DGRAM;
  switch (family) {
    case AF_INET:
    case AF_INET6:
      if (is_stream && (protocol == 0 || protocol == IPPROTO_TCP)) {
        return std::make_shared<TcpSocket>(kernel, host, family);
      }
      if (is_datagram && (protocol == 0 || protocol == IPPROTO_UDP)) {
        return std::make_shared<UdpSocket>(kernel, host, family);
      }
      error = type == SOCK_RAW ? -EPERM : -EPROTONOSUPPORT;
      return nullptr;
    case AF_UNIX:
      if (is_stream || is_datagram || type == SOCK_SEQPACKET) {
        return std::make_shared<UnixSocket>(kernel, host, type);
      }
      error = -ESOCKTNOSUPPORT;
      return nullptr;
    case AF_NETLINK:
      if ((is_datagram || type == SOCK_RAW) && protocol == 0) {
        return std::make_shared<NetlinkSocket>(kernel, host, type);
      }
      error = -EPROTONOSUPPORT;
      return nullptr;
    default:
      error = -EAFNOSUPPORT;
      return nullptr;
  }
}

std::pair<std::shared_ptr<Socket>, std::shared_ptr<Socket>> make_socket_pair(Kernel& kernel,
                                                                             const Thread& thread,
                                                                             int type) {
  auto first = std::make_shared<UnixSocket>(kernel, *thread.process->host, type);
  auto second = std::make_shared<UnixSocket>(kernel, *thread.process->host, type);
  UnixSocket::join(*first, *second, thread.process->id);
  return {first, second};
}

}  // namespace longarm::programs
