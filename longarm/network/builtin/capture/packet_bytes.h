// SPDX-License-Identifier: Apache-2.0
// A packet as the bytes that a real interface would show: headers with correct checksums, and
// zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "longarm/network/builtin/packet.h"
#include "longarm/network/stream_backend.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// What a packet of a program holds beside sizes.
struct ProgramPacket {
  PacketContents::Ports ports;
  std::vector<std::byte> payload;  ///< of the TCP segment, or of the whole datagram
};

/// The frame without its check sequence and preamble, cut after `most` bytes. Host i has the
/// address 10.0.0.(i + 1), and so on; flow i runs from port 49152 + i to port 7000 (both wrap),
/// unless it is of a `program`.
std::string frame_bytes(Framing framing, const NetworkPacket& packet, std::size_t most,
                        const ProgramPacket* program = nullptr);
/// Its whole length.
std::uint32_t frame_length(Framing framing, const NetworkPacket& packet);

/// The Internet checksum (RFC 1071) in two steps, so that headers can be summed up piece by piece;
/// all pieces but the last have an even length.
std::uint64_t internet_sum(std::span<const std::byte> bytes, std::uint64_t sum = 0);
std::uint16_t internet_checksum(std::uint64_t sum);

}  // namespace longarm::network
