// SPDX-License-Identifier: Apache-2.0
// Ticks by their number, so that no rounding adds up.
#include "longarm/control/tick_times.h"

#include "longarm/core/check.h"

namespace longarm::control {
namespace {

/// The smallest whole number not below the quotient.
std::int64_t divide_up(Duration span, Duration period) {
  const std::int64_t quotient = span / period;
  return quotient + (span % period > Duration(0) ? 1 : 0);
}

}  // namespace

TickTimes::TickTimes(const HostClock& clock, const TickConfig& config)
    : clock_(clock), config_(config), lateness_(config.seed, "control.jitter") {
  check(config.period > Duration(0), "a controller's period must be positive");
  const Duration reading_at_zero = clock_.to_local(Time{}).time_since_epoch();
  first_ = divide_up(reading_at_zero - config_.phase, config_.period);
}

Time TickTimes::at(std::uint64_t number) const {
  const std::int64_t k = first_ + static_cast<std::int64_t>(number);
  const Time on_time = clock_.to_true(Time(config_.phase + k * config_.period));
  if (config_.jitter == Duration(0)) {
    return on_time;
  }
  const double late_ns = lateness_.uniform_at(number) * static_cast<double>(config_.jitter.count());
  return on_time + Duration(static_cast<std::int64_t>(late_ns));
}

}  // namespace longarm::control
