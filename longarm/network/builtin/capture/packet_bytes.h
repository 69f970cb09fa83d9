// SPDX-License-Identifier: Apache-2.0
// A packet as the bytes that a real interface would show: headers with correct checksums, and
// zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "longarm/network/builtin/packet.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// The frame without its check sequence and preamble, cut after `most` bytes. Host i has the
/// address 10.0.0.(i + 1), and so on; flow i runs from port 49152 + i to port 7000 (both wrap).
std::string frame_bytes(Framing framing, const NetworkPacket& packet, std::size_t most);
/// Its whole length.
std::uint32_t frame_length(Framing framing, const NetworkPacket& packet);

/// The Internet checksum (RFC 1071) in two steps, so that headers can be summed up piece by piece;
/// all pieces but the last have an even length.
std::uint64_t internet_sum(std::span<const std::byte> bytes, std::uint64_t sum = 0);
std::uint16_t internet_checksum(std::uint64_t sum);

}  // namespace longarm::network
