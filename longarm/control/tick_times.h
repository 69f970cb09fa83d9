// SPDX-License-Identifier: Apache-2.0
// When a periodic controller ticks, in true time.
#pragma once

#include <cstdint>

#include "longarm/control/host_clock.h"
#include "longarm/core/random.h"

namespace longarm::control {

/// How a controller's ticks differ from "every period, from time zero on".
struct TickConfig {
  Duration period{0};
  Duration phase{0};  ///< from 0 to below the period: ticks when its clock reads phase + k · period
  Duration jitter{0};  ///< each tick is late by up to this, not including it
  std::uint64_t seed = 0;
};

/// The first tick is the first that falls on or after true time zero, whatever the clock reads
/// then.
class TickTimes {
 public:
  TickTimes(const HostClock& clock, const TickConfig& config);

  /// Whether all ticks are exactly one period apart.
  bool is_regular() const { return !clock_.is_drifting() && config_.jitter == Duration(0); }
  /// Of tick `number`, counted from zero. The lateness is drawn for that number.
  Time at(std::uint64_t number) const;

 private:
  HostClock clock_;
  TickConfig config_;
  RandomStream lateness_;
  std::int64_t first_;  // k of tick number zero
};

}  // namespace longarm::control
