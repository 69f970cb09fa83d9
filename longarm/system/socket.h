// SPDX-License-Identifier: Apache-2.0
// Sockets that close themselves, and the few ways we make them. Nothing here raises SIGPIPE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <sys/socket.h>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/system/address.h"
#include "longarm/system/descriptor.h"

namespace longarm::system {

/// A socket's address as the system calls want it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&storage); }
  auto bytes() const { return std::string_view(reinterpret_cast<const char*>(&storage), length); }
};

/// Looks the host up; "localhost" and numbers are answered without asking anybody.
Result<SocketAddress> resolve(const Address& address);
std::uint16_t port_of(const SocketAddress& address);
bool is_loopback(const SocketAddress& address);
/// "127.0.0.1:30003", "[::1]:30003"
std::string to_text(const SocketAddress& address);

/// Where a socket is bound, or whom it is connected to; length 0 if it is not.
SocketAddress local_socket_address(int socket);
SocketAddress peer_socket_address(int socket);
/// Where a bound socket is.
Address local_address(int socket);

/// Non-blocking, bound; port 0 takes a free one. `kind` is SOCK_STREAM (then it listens) or
/// SOCK_DGRAM.
Result<Descriptor> bind_socket(const Address& address, int kind);
/// Listens at a path, which must not exist yet. Whoever made it removes it.
Result<Descriptor> bind_unix_socket(const std::string& path);
/// Non-blocking, under way to `to`; writable once it stands.
Result<Descriptor> begin_connect(const SocketAddress& to, int kind);
/// Waits for the connection, at most so long. Blocking from then on.
Result<Descriptor> connect_stream(const Address& to, Duration patience);
Result<Descriptor> connect_unix_stream(const std::string& path);

/// To be closed when the process has no descriptor left, so that one who waits can be accepted and
/// refused: otherwise they would stand in the queue and wake us for ever.
Descriptor open_spare();

void set_nodelay(int socket, bool is_nodelay);
/// Small pieces go out at once, and it is noticed, after about a minute, when the other side has
/// vanished without a word.
void set_up_stream(int socket);
/// What was received is acknowledged now. A client that sends a command and then a question in two
/// pieces sends the second when the first is acknowledged (Nagle), and without this the system
/// waits 40 ms with that. Does not last: to be said after each time that something was read.
void acknowledge_now(int socket);
/// Of an asynchronous connect; empty if it stands.
std::string connect_error(int socket);

/// Sends all or says why not; for blocking sockets.
Result<bool> send_all(int socket, std::span<const std::byte> bytes);

}  // namespace longarm::system
