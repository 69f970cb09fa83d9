// SPDX-License-Identifier: Apache-2.0
// Thin wrappings of the system's socket calls.
#include "longarm/system/socket.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

Error system_error(std::string_view what) {
  return Error{fmt::format("{}: {}", what, last_system_error())};
}

const sockaddr_in& as_v4(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr_in&>(address.storage);
}

const sockaddr_in6& as_v6(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr_in6&>(address.storage);
}

/// What getsockname() or getpeername() says.
SocketAddress address_from(int (*ask)(int, sockaddr*, socklen_t*), int socket) {
  SocketAddress out;
  out.length = sizeof out.storage;
  return ask(socket, reinterpret_cast<sockaddr*>(&out.storage), &out.length) == 0 ? out
                                                                                  : SocketAddress{};
}

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

Result<SocketAddress> unix_address(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return Error{fmt::format("'{}' is empty or too long for the path of a socket", path)};
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  SocketAddress result;
  std::memcpy(&result.storage, &address, sizeof(address));
  result.length = sizeof(address);
  return result;
}

}  // namespace

Result<SocketAddress> resolve(const Address& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string host = address.host.empty() ? "127.0.0.1" : address.host;
  const int code = getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (code != 0) {
    return Error{fmt::format("host '{}' cannot be found: {}", host, gai_strerror(code))};
  }
  SocketAddress result;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  result.length = found->ai_addrlen;
  freeaddrinfo(found);
  return result;
}

std::uint16_t port_of(const SocketAddress& address) {
  return ntohs(address.family() == AF_INET6 ? as_v6(address).sin6_port : as_v4(address).sin_port);
}

bool is_loopback(const SocketAddress& address) {
  if (address.family() == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&as_v6(address).sin6_addr) != 0;
  }
  return (ntohl(as_v4(address).sin_addr.s_addr) >> 24U) == 127U;
}

std::string to_text(const SocketAddress& address) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (address.family() == AF_INET6) {
    inet_ntop(AF_INET6, &as_v6(address).sin6_addr, host, sizeof host);
    return fmt::format("[{}]:{}", host, port_of(address));
  }
  inet_ntop(AF_INET, &as_v4(address).sin_addr, host, sizeof host);
  return fmt::format("{}:{}", host, port_of(address));
}

SocketAddress local_socket_address(int socket) {
  return address_from(getsockname, socket);
}

SocketAddress peer_socket_address(int socket) {
  return address_from(getpeername, socket);
}

Address local_address(int socket) {
  const SocketAddress address = local_socket_address(socket);
  char host[NI_MAXHOST] = "";
  getnameinfo(address.generic(), address.length, host, sizeof(host), nullptr, 0, NI_NUMERICHOST);
  return {host, port_of(address)};
}

Result<Descriptor> bind_socket(const Address& address, int kind) {
  const Result<SocketAddress> where = resolve(address);
  if (!where) {
    return where.error();
  }
  Descriptor socket(::socket(where->family(), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return system_error("cannot create a socket");
  }
  if (kind == SOCK_STREAM) {
    set(socket.number(), SOL_SOCKET, SO_REUSEADDR, 1);
  }
  if (::bind(socket.number(), where->generic(), where->length) != 0 ||
      (kind == SOCK_STREAM && ::listen(socket.number(), SOMAXCONN) != 0)) {
    return system_error("cannot listen at " + to_text(address));
  }
  return socket;
}

Result<Descriptor> bind_unix_socket(const std::string& path) {
  const Result<SocketAddress> where = unix_address(path);
  if (!where) {
    return where.error();
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open() || ::bind(socket.number(), where->generic(), where->length) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0) {
    return system_error("cannot listen at " + path);
  }
  return socket;
}

Result<Descriptor> begin_connect(const SocketAddress& to, int kind) {
  Descriptor socket(::socket(to.family(), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return system_error("cannot create a socket");
  }
  if (::connect(socket.number(), to.generic(), to.length) != 0 && errno != EINPROGRESS) {
    return Error{last_system_error()};
  }
  return socket;
}

std::string connect_error(int socket) {
  int code = 0;
  socklen_t size = sizeof(code);
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size);
  return code == 0 ? "" : std::strerror(code);
}

Result<Descriptor> connect_stream(const Address& to, Duration patience) {
  const Result<SocketAddress> where = resolve(to);
  if (!where) {
    return where.error();
  }
  Result<Descriptor> socket = begin_connect(*where, SOCK_STREAM);
  if (!socket) {
    return Error{fmt::format("cannot reach {}: {}", to_text(to), socket.error().message)};
  }
  const bool is_settled = wait_for(socket->number(), POLLOUT, patience);
  const std::string problem =
      is_settled ? connect_error(socket->number()) : std::string("no answer");
  if (!problem.empty()) {
    return Error{fmt::format("cannot reach {}: {}", to_text(to), problem)};
  }
  fcntl(socket->number(), F_SETFL, 0);  // blocking
  set_nodelay(socket->number(), true);
  return socket;
}

Result<Descriptor> connect_unix_stream(const std::string& path) {
  const Result<SocketAddress> where = unix_address(path);
  if (!where) {
    return where.error();
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() || ::connect(socket.number(), where->generic(), where->length) != 0) {
    return system_error("cannot reach " + path);
  }
  return socket;
}

Descriptor open_spare() {
  return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

void set_nodelay(int socket, bool is_nodelay) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, is_nodelay ? 1 : 0);
}

void set_up_stream(int socket) {
  set_nodelay(socket, true);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);   // s
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);  // s
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

void acknowledge_now(int socket) {
  set(socket, IPPROTO_TCP, TCP_QUICKACK, 1);
}

Result<bool> send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return Error{last_system_error()};
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace longarm::system
