// SPDX-License-Identifier: Apache-2.0
// Sockets of clients, made so that nobody can block us.
#include "longarm/serve/listener.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace longarm::serve {
namespace {

constexpr int kBacklog = 512;
// a client that has vanished without a word is noticed after about a minute
constexpr int kKeepAliveIdle_s = 30;
constexpr int kKeepAliveEvery_s = 10;
constexpr int kKeepAliveCount = 3;

void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

Result<Listener> listen_at(bool is_open_to_all, std::uint16_t port) {
  const char* const host = is_open_to_all ? "0.0.0.0" : "127.0.0.1";
  Listener out{Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)), host,
               port};
  const auto fail = [&](const char* what) -> Error {
    return Error{fmt::format("cannot {} {}:{}: {}", what, host, port, std::strerror(errno))};
  };
  if (!out.socket.is_open()) {
    return fail("make a socket for");
  }
  set(out.socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(is_open_to_all ? INADDR_ANY : INADDR_LOOPBACK);
  if (bind(out.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(out.socket.get(), kBacklog) != 0) {
    return fail("listen at");
  }
  socklen_t size = sizeof address;
  if (getsockname(out.socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return fail("find the port of");
  }
  out.port = ntohs(address.sin_port);
  return out;
}

void set_up_client(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveIdle_s);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveEvery_s);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, kKeepAliveCount);
}

Descriptor accept_client(const Listener& listener, bool& is_exhausted) {
  Descriptor client(accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  is_exhausted = !client.is_open() && (errno == EMFILE || errno == ENFILE);
  if (client.is_open()) {
    set_up_client(client.get());
  }
  return client;
}

}  // namespace longarm::serve
