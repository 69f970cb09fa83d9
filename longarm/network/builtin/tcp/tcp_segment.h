// SPDX-License-Identifier: Apache-2.0
// What one end of a TCP connection sends the other: a header without the bytes.
#pragma once

#include <array>
#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

/// Counted from the start of a stream without wrapping: 0 is the SYN, 1 the first byte.
using Offset = std::uint64_t;

struct SackBlock {
  Offset begin = 0;
  Offset end = 0;
};

struct Segment {
  Offset sequence = 0;
  Offset acknowledged = 0;  ///< the next byte wanted, if is_ack
  std::uint32_t length = 0;
  std::uint32_t window_bytes = 0;
  Time timestamp{};  ///< of the sender's clock, if has_timestamp
  Time timestamp_echo{};
  std::array<SackBlock, 4> sack{};  ///< three where a timestamp takes room
  std::uint32_t mss_bytes = 0;      ///< of a SYN: the longest segment that its sender takes
  std::uint8_t sack_count = 0;
  bool is_syn = false;
  bool is_fin = false;
  bool is_rst = false;
  bool is_ack = false;
  bool is_push = false;
  bool has_timestamp = false;  ///< after the SYN: only if both offered it
  bool permits_sack = false;   ///< of a SYN

  /// Of TCP alone: 20 and the options that this segment carries. A SYN offers MSS, SACK, timestamps
  /// and window scale as Linux lays them out (32 or 40 bytes); with a send latency, which asks for
  /// ns-3's bits, as ns-3 does, which leaves out the MSS (28 or 36 bytes).
  std::uint32_t header_bytes(const TcpOptions& options) const;
};

}  // namespace longarm::network::tcp
