// SPDX-License-Identifier: Apache-2.0
// Thin wrappings of the system's socket calls.
#include "longarm/components/real/socket.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

namespace longarm::components {
namespace {

Error system_error(std::string_view what) {
  return Error{fmt::format("{}: {}", what, last_system_error())};
}

const sockaddr* generic(const SocketAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.storage);
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

void Descriptor::reset() {
  if (number_ >= 0) {
    ::close(number_);
    number_ = -1;
  }
}

std::string last_system_error() {
  return std::strerror(errno);
}

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

Result<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const Error bad{fmt::format("'{}' is no address; write it as HOST:PORT", text)};
  if (colon == std::string_view::npos || colon == 0) {
    return bad;
  }
  Address result;
  result.host = text.substr(0, colon);
  if (result.host.starts_with('[') && result.host.ends_with(']')) {
    result.host = result.host.substr(1, result.host.size() - 2);
  }
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), result.port);
  if (error != std::errc() || end != port.data() + port.size() || port.empty()) {
    return bad;
  }
  return result;
}

std::string to_text(const Address& address) {
  const bool is_ipv6 = address.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                 : fmt::format("{}:{}", address.host, address.port);
}

Address local_address(int socket) {
  SocketAddress address;
  address.length = sizeof(address.storage);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address.storage), &address.length);
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "0";
  getnameinfo(generic(address), address.length, host, sizeof(host), port, sizeof(port),
              NI_NUMERICHOST | NI_NUMERICSERV);
  Address result;
  result.host = host;
  std::from_chars(port, port + std::strlen(port), result.port);
  return result;
}

Result<Descriptor> bind_socket(const Address& address, int kind) {
  const Result<SocketAddress> where = resolve(address);
  if (!where) {
    return where.error();
  }
  Descriptor socket(::socket(where->family(), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return system_error("cannot make a socket");
  }
  const int yes = 1;
  if (kind == SOCK_STREAM) {
    setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  }
  if (::bind(socket.number(), generic(*where), where->length) != 0 ||
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
  if (!socket.is_open() || ::bind(socket.number(), generic(*where), where->length) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0) {
    return system_error("cannot listen at " + path);
  }
  return socket;
}

Result<Descriptor> begin_connect(const SocketAddress& to, int kind) {
  Descriptor socket(::socket(to.family(), kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return system_error("cannot make a socket");
  }
  if (::connect(socket.number(), generic(to), to.length) != 0 && errno != EINPROGRESS) {
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
  pollfd waiting{socket->number(), POLLOUT, 0};
  const auto patience_ms = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  const bool is_settled = ::poll(&waiting, 1, static_cast<int>(patience_ms)) == 1;
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
  if (!socket.is_open() || ::connect(socket.number(), generic(*where), where->length) != 0) {
    return system_error("cannot reach " + path);
  }
  return socket;
}

void set_nodelay(int socket, bool is_nodelay) {
  const int value = is_nodelay ? 1 : 0;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &value, sizeof(value));
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

void write_length(std::size_t length, std::span<std::byte> to) {
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    to[i] = static_cast<std::byte>(length >> (8 * (kLengthBytes - 1 - i)));
  }
}

std::size_t read_length(std::span<const std::byte> from) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = (length << 8U) | std::to_integer<std::size_t>(from[i]);
  }
  return length;
}

}  // namespace longarm::components
