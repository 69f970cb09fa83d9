// SPDX-License-Identifier: Apache-2.0
// The clock of a host that is not quite right: off by an offset, and gaining or losing time.
#pragma once

#include <cmath>
#include <cstdint>

#include "longarm/core/time.h"

namespace longarm::control {

/// Reads true time + offset + drift · true time. Each reading is computed from true time itself, so
/// that nothing accumulates, and is right to the nearest nanosecond.
class HostClock {
 public:
  /// Right.
  HostClock() = default;
  /// `offset` is what it reads at true time zero; a positive drift runs fast and gains that many
  /// microseconds per second. Drift must be above -1e6 ppm, where it would stand still.
  HostClock(Duration offset, double drift_ppm) : offset_(offset), rate_(drift_ppm * 1e-6) {}

  bool is_drifting() const { return rate_ != 0.0; }

  /// What the clock reads at a true instant.
  Time to_local(Time true_time) const {
    return true_time + offset_ + part(true_time.time_since_epoch(), rate_);
  }
  /// When the clock reads that.
  Time to_true(Time local_time) const {
    const Duration since_zero = local_time.time_since_epoch() - offset_;
    return Time(since_zero - part(since_zero, rate_ / (1.0 + rate_)));
  }

 private:
  static Duration part(Duration span, double rate) {
    return rate == 0.0 ? Duration(0)
                       : Duration(std::llround(static_cast<double>(span.count()) * rate));
  }

  Duration offset_{0};
  double rate_ = 0.0;
};

}  // namespace longarm::control
