// SPDX-License-Identifier: Apache-2.0
// Mean and spread by Welford's recurrence, which does not lose digits over many packets.
#include "longarm/proxy/lateness.h"

#include <algorithm>
#include <cmath>

namespace longarm::proxy {

void DurationFigures::add(Duration duration) {
  const Duration counted = std::max(duration, Duration(0));
  histogram_.add(counted);
  const double value_s = to_seconds(counted);
  const double before = value_s - mean_s_;
  mean_s_ += before / static_cast<double>(histogram_.count());
  squares_s2_ += before * (value_s - mean_s_);
}

double DurationFigures::deviation_s() const {
  const std::uint64_t n = histogram_.count();
  return n < 2 ? 0.0 : std::sqrt(squares_s2_ / static_cast<double>(n - 1));
}

}  // namespace longarm::proxy
