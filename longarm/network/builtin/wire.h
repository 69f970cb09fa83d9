// SPDX-License-Identifier: Apache-2.0
// How many bytes a packet is on a cable, and how long it takes to send them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "longarm/core/time.h"
#include "longarm/network/builtin/packet.h"
#include "longarm/network/topology.h"

namespace longarm::network {

constexpr std::uint32_t kIpHeaderBytes = 20;
constexpr std::uint32_t kUdpHeaderBytes = 8;
constexpr std::uint32_t kEthernetHeaderBytes = 14;
constexpr std::uint32_t kEthernetCheckBytes = 4;
constexpr std::uint32_t kEthernetMinBytes = 64;
constexpr std::uint32_t kEthernetPreambleBytes = 8;
constexpr std::uint32_t kEthernetGapBytes = 12;
constexpr std::uint32_t kPppHeaderBytes = 2;

/// Everything that takes time on the cable, without the gap.
inline std::uint32_t wire_bytes(Framing framing, const NetworkPacket& packet) {
  switch (framing) {
    case Framing::kEthernet:
      return kEthernetPreambleBytes +
             std::max(kEthernetMinBytes,
                      packet.ip_bytes + kEthernetHeaderBytes + kEthernetCheckBytes);
    case Framing::kPpp:
      return packet.ip_bytes + kPppHeaderBytes;
    case Framing::kNone:
      break;
  }
  return packet.payload_bytes;
}

/// What queues and link models count: the packet and its header, as Linux' qdiscs see it.
inline std::uint32_t queue_bytes(Framing framing, const NetworkPacket& packet) {
  switch (framing) {
    case Framing::kEthernet:
      return packet.ip_bytes + kEthernetHeaderBytes;
    case Framing::kPpp:
      return packet.ip_bytes + kPppHeaderBytes;
    case Framing::kNone:
      break;
  }
  return packet.payload_bytes;
}

/// Whole nanoseconds, to the nearest, halves down, which is what ns-3's DataRate comes to. No rate:
/// no time.
inline Duration sending_time(std::optional<std::uint64_t> rate_bit_s, std::uint32_t bytes) {
  if (!rate_bit_s) {
    return Duration(0);
  }
  constexpr std::uint32_t kLarge = 1U << 30;  // beyond, 64 bits do not hold the work
  const std::uint64_t rate = *rate_bit_s;
  if (bytes >= kLarge) {
    return Duration(std::llround(static_cast<double>(bytes) * 8e9 / static_cast<double>(rate)));
  }
  const std::uint64_t work = std::uint64_t{bytes} * 8 * 1'000'000'000;
  return Duration(static_cast<std::int64_t>((work + (rate - 1) / 2) / rate));
}

}  // namespace longarm::network
