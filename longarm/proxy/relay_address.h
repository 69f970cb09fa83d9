// SPDX-License-Identifier: Apache-2.0
// Where relays listen and whom they talk to: as users write it, and as sockets have it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/system/socket.h"

namespace longarm::proxy {

using system::Address;
using system::SocketAddress;

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

/// For maps.
struct AddressLess {
  bool operator()(const SocketAddress& a, const SocketAddress& b) const {
    return a.bytes() < b.bytes();
  }
};

}  // namespace longarm::proxy
