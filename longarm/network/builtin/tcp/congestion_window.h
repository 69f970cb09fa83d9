// SPDX-License-Identifier: Apache-2.0
// How much may be in flight, and how that grows and shrinks: slow start, Reno, CUBIC.
#pragma once

#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/cubic.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

class CongestionWindow {
 public:
  explicit CongestionWindow(const TcpOptions& options);

  /// The peer's segments may be shorter than ours were to be. Before anything was sent.
  void start(std::uint32_t mss_bytes);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t threshold() const { return threshold_; }
  bool is_in_slow_start() const { return bytes_ < threshold_; }

  /// For HyStart, which wants each round trip, also where the window may not grow.
  void observe(Time now, Duration round_trip, Offset acknowledged, Offset next);
  /// `segments` full ones were acknowledged.
  void grow(Time now, std::uint64_t segments, Duration round_trip);
  /// Lowers the threshold, not yet the window. Where windows count segments as in Linux, it is a
  /// whole number of them: a window of seven and a half is never full.
  void reduce_threshold();
  void fall_to_threshold() { bytes_ = threshold_; }
  /// After a timeout.
  void collapse();
  /// Of recovery (PRR).
  void set(std::uint64_t bytes) { bytes_ = bytes; }
  /// Nothing was sent for so long that the window means little any more (RFC 2861).
  void decay(Duration idle, Duration timeout);

 private:
  std::uint64_t whole(std::uint64_t bytes) const;
  void count_up(std::uint64_t segments, std::uint64_t per_step);
  std::uint64_t grow_slow_start(std::uint64_t segments);
  void grow_reno(std::uint64_t segments);
  void grow_cubic(Time now, std::uint64_t segments, Duration round_trip);

  CongestionControl control_;
  bool is_like_linux_;
  std::uint64_t mss_bytes_;
  std::uint64_t initial_segments_;
  std::uint64_t bytes_;
  std::uint64_t threshold_;
  std::uint64_t counted_segments_ = 0;  ///< acknowledged since the window last grew
  Cubic cubic_;
};

}  // namespace longarm::network::tcp
