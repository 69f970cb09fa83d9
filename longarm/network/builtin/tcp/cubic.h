// SPDX-License-Identifier: Apache-2.0
// CUBIC's window over time (RFC 9438) and HyStart, which ends slow start before a queue overflows.
#pragma once

#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"

namespace longarm::network::tcp {

/// Windows are in segments.
class Cubic {
 public:
  /// Linux and ns-3 share the constants, but not all of what surrounds them.
  explicit Cubic(bool is_like_linux) : is_like_linux_(is_like_linux) {}

  /// How many acknowledged segments the window has to wait for until it grows by one.
  double segments_per_step(Time now, std::uint64_t acknowledged, double window,
                           Duration round_trip);
  /// The window after a loss; remembers where it happened.
  std::uint64_t reduced(std::uint64_t window);
  /// After a timeout or a long silence.
  void reset();
  /// Whether slow start should end. `window` is 0 outside of slow start.
  bool observe(Time now, Duration round_trip, Offset acknowledged, Offset next,
               std::uint64_t window);

 private:
  void start_epoch(Time now, double window);
  double reached(double window) const;
  bool is_train_too_long(Time now);
  bool is_delay_rising(Duration round_trip);

  bool is_like_linux_;
  double last_maximum_ = 0.0;
  double origin_ = 0.0;
  double seconds_to_origin_ = 0.0;
  double friendly_ = 0.0;  ///< what Reno would have reached
  Time epoch_start_{};
  bool has_epoch_ = false;
  // HyStart.
  bool is_found_ = false;
  Time round_start_{};
  Time last_ack_{};
  Offset round_end_ = 0;
  Duration shortest_ever_{0};
  Duration shortest_in_round_{0};
  int samples_in_round_ = 0;
};

}  // namespace longarm::network::tcp
