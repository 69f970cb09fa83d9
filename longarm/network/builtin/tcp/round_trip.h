// SPDX-License-Identifier: Apache-2.0
// How long a round trip takes, and hence how long to wait for an acknowledgement.
#pragma once

#include <cstdint>

#include "longarm/core/time.h"
#include "longarm/network/builtin/tcp/tcp_segment.h"
#include "longarm/network/flow.h"

namespace longarm::network::tcp {

class RoundTrip {
 public:
  explicit RoundTrip(const TcpOptions& options);

  /// `acknowledged` and `next` tell rounds apart: Linux looks at the worst deviation of each.
  void measure(Duration sample, Offset acknowledged, Offset next);

  bool has_sample() const { return has_sample_; }
  Duration smoothed() const { return smoothed_; }
  /// Of the fastest round trip so far; zero before the first.
  Duration shortest() const { return shortest_; }
  /// Without back-off.
  Duration timeout() const { return timeout_; }

 private:
  void measure_first(Duration sample, Offset next);
  void update_rfc6298(Duration sample);
  void update_linux(Duration sample, Offset acknowledged, Offset next);

  Duration min_rto_;
  RtoRule rule_;
  bool has_sample_ = false;
  Duration smoothed_{0};
  Duration shortest_{0};
  Duration timeout_;
  Duration variation_{0};  ///< RFC 6298's RTTVAR
  // Linux keeps four times the mean deviation, its peak in this round, and what it lets the
  // retransmission timer see, which rises at once and falls by a quarter a round.
  Duration deviation_{0};
  Duration peak_{0};
  Duration margin_{0};
  Offset round_end_ = 0;
};

}  // namespace longarm::network::tcp
