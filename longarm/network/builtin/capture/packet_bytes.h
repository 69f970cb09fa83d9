// SPDX-License-Identifier: Apache-2.0
// A packet as the bytes that a real interface would show: headers with correct checksums, and
// zeros.
#pragma once

#include <cstdint>
#include <vector>

#include "longarm/network/builtin/packet.h"
#include "longarm/network/topology/topology.h"

namespace longarm::network {

/// The frame without its check sequence and preamble, cut after `most` bytes. Host i has the
/// address 10.0.0.(i + 1), and so on; flow i runs from port 49152 + i to port 7000 (both wrap).
std::vector<std::uint8_t> frame_bytes(Framing framing, const NetworkPacket& packet,
                                      std::size_t most);
/// Its whole length.
std::uint32_t frame_length(Framing framing, const NetworkPacket& packet);

}  // namespace longarm::network
