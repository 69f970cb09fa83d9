// SPDX-License-Identifier: Apache-2.0
// Addresses of the internet family as programs write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longarm/network/streams.h"

namespace longarm::programs {

/// IPv6 is there on loopback, and for addresses of IPv4 that are written its way.
struct InetAddress {
  static constexpr std::uint32_t kAny = 0;
  /// ::1, which as an address of IPv4 nobody has.
  static constexpr std::uint32_t kLoopback6 = 1;
  static constexpr std::uint32_t kLoopback = 0x7F00'0001;
  static constexpr std::uint32_t kBroadcast = 0xFFFF'FFFF;

  std::uint32_t address = kAny;  ///< in the host's byte order
  std::uint16_t port = 0;

  bool is_any() const { return address == kAny; }
  bool is_loopback() const { return address >> 24 == 127 || address == kLoopback6; }
  bool is_multicast() const { return address >> 28 == 14; }
  auto operator<=>(const InetAddress&) const = default;
};

/// Of a sockaddr_in or sockaddr_in6 for a socket of this family. An error number below zero in
/// `error` if there is none.
std::optional<InetAddress> parse_inet(int family, const std::string& name, int& error);
std::string format_inet(int family, const InetAddress& address);

/// Source and destination, carried beside what is sent.
constexpr network::Label label_of(std::uint32_t source, std::uint32_t destination) {
  return static_cast<network::Label>(source) << 32 | destination;
}
constexpr std::uint32_t source_of(network::Label label) {
  return static_cast<std::uint32_t>(label >> 32);
}
constexpr std::uint32_t destination_of(network::Label label) {
  return static_cast<std::uint32_t>(label);
}

}  // namespace longarm::programs
