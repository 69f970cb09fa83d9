// SPDX-License-Identifier: Apache-2.0
// Starting afresh, and the error's rate by backward difference.
#include "longarm/control/pid.h"

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

}  // namespace longarm::control
