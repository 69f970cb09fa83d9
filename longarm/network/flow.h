// SPDX-License-Identifier: Apache-2.0
// How two hosts talk: the transport of a flow and the options of TCP that move results.
#pragma once

#include <cstdint>

#include "longarm/core/time.h"

namespace longarm::network {

enum class Transport : std::uint8_t {
  kRaw,  ///< the message itself, one packet, no headers of ours: what a bare link carries
  kUdp,
  kTcp
};

enum class CongestionControl : std::uint8_t { kReno, kCubic };
/// How long to wait for an acknowledgement, and what else the two stacks do differently.
enum class RtoRule : std::uint8_t {
  /// SRTT + max(4·RTTVAR, minimum). With it: windows in segments, losses found by time (RFC 8985)
  /// and
  /// by probes of the tail, windows that grow only when filled and decay when idle.
  kLinux,
  /// max(SRTT + 4·RTTVAR, minimum). With it: windows in bytes and recovery by RFC 6675, as in ns-3.
  kRfc6298
};

struct TcpOptions {
  std::int64_t mss_bytes = 1448;
  std::int64_t initial_window_segments = 10;
  bool has_timestamps = true;  ///< 12 bytes in every segment; RTT of each ACK
  bool has_sack = true;
  bool is_nodelay = true;  ///< false: Nagle
  std::int64_t delayed_ack_segments = 2;
  Duration delayed_ack_timeout{40'000'000};
  RtoRule rto_rule = RtoRule::kLinux;
  Duration min_rto{200'000'000};
  Duration initial_rto{1'000'000'000};
  std::int64_t max_retries = 15;  ///< of one segment, then the connection is reset
  CongestionControl congestion = CongestionControl::kCubic;
  std::int64_t send_buffer_bytes = 4 << 20;
  std::int64_t receive_buffer_bytes = 4 << 20;
  Duration keep_alive_after{0};  ///< of silence; 0: never
  Duration keep_alive_every{75'000'000'000};
  std::int64_t keep_alive_probes = 9;
  /// ns-3 lets written data wait a nanosecond before it is sent; equal bits need the same.
  Duration send_latency{0};
};

struct FlowOptions {
  Transport transport = Transport::kTcp;
  TcpOptions tcp;
  int priority = 0;  ///< 0 goes first where queues have priorities
};

}  // namespace longarm::network
