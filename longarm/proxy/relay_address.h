// SPDX-License-Identifier: Apache-2.0
// Where relays listen and whom they talk to: as users write it, and as sockets have it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longarm/components/real/socket.h"
#include "longarm/core/result.h"

namespace longarm::proxy {

using components::Address;
using components::SocketAddress;

enum class RelayTransport : std::uint8_t { kTcp, kUdp };

/// As a user writes it: [tcp:|udp:]HOST:PORT. Without transport it is TCP; each of host and port
/// may be left out, but not both.
struct AddressText {
  RelayTransport transport = RelayTransport::kTcp;
  bool has_transport = false;
  std::string host;  ///< empty if left out
  std::uint16_t port = 0;
  bool has_port = false;
};
/// HOST:PORT, HOST, :PORT, PORT or [::1]:PORT, each with a transport before it or not.
Result<AddressText> parse_address_text(const std::string& text);

std::uint16_t port_of(const SocketAddress& address);
bool is_loopback(const SocketAddress& address);
/// "127.0.0.1:30003", "[::1]:30003"
std::string to_text(const SocketAddress& address);

/// Where a socket is bound, or whom it is connected to; length 0 if it is not.
SocketAddress local_socket_address(int socket);
SocketAddress peer_socket_address(int socket);

/// For maps.
struct AddressLess {
  bool operator()(const SocketAddress& a, const SocketAddress& b) const {
    return a.bytes() < b.bytes();
  }
};

}  // namespace longarm::proxy
