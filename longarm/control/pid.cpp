// SPDX-License-Identifier: Apache-2.0
// Proportional, integral with clamp, derivative without filter.
#include "longarm/control/pid.h"

#include <algorithm>
#include <cmath>

namespace longarm::control {

void Pid::reset() {
  last_error_ = 0.0;
  integral_ = 0.0;
}

double Pid::update(double error, Duration period) {
  if (period <= Duration(0) || !std::isfinite(error)) {
    return 0.0;
  }
  const double rate = (error - last_error_) / to_seconds(period);
  last_error_ = error;
  return update(error, rate, period);
}

double Pid::update(double error, double error_rate, Duration period) {
  if (period <= Duration(0) || !std::isfinite(error) || !std::isfinite(error_rate)) {
    return 0.0;
  }
  integral_ += error * to_seconds(period);
  if (gains_.antiwindup && gains_.i != 0.0) {
    const double bound = std::abs(gains_.i_clamp / gains_.i);
    integral_ = std::clamp(integral_, -bound, bound);
  }
  const double i_bound = std::abs(gains_.i_clamp);
  const double i_term = std::clamp(gains_.i * integral_, -i_bound, i_bound);
  return gains_.p * error + i_term + gains_.d * error_rate;
}

}  // namespace longarm::control
