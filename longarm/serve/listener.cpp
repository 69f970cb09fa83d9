// SPDX-License-Identifier: Apache-2.0
// Sockets of clients, made so that nobody can block us.
#include "longarm/serve/listener.h"

#include <cerrno>

#include "longarm/system/socket.h"

namespace longarm::serve {

Result<Listener> listen_at(bool is_open_to_all, std::uint16_t port) {
  const char* const host = is_open_to_all ? "0.0.0.0" : "127.0.0.1";
  Result<system::Descriptor> socket = system::bind_socket({host, port}, SOCK_STREAM);
  if (!socket) {
    return socket.error();
  }
  const std::uint16_t got = system::local_address(socket->number()).port;
  return Listener{std::move(socket).value(), host, got};
}

system::Descriptor accept_client(const Listener& listener, bool& is_exhausted) {
  system::Descriptor client(
      accept4(listener.socket.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  is_exhausted = !client.is_open() && (errno == EMFILE || errno == ENFILE);
  if (client.is_open()) {
    system::set_up_stream(client.number());
  }
  return client;
}

}  // namespace longarm::serve
