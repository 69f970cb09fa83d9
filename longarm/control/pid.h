// SPDX-License-Identifier: Apache-2.0
// A PID controller with the rules of ROS's control_toolbox, so that its gains mean the same here.
#pragma once

#include <algorithm>
#include <cmath>

#include "longarm/core/time.h"

namespace longarm::control {

struct PidGains {
  double p = 0.0;
  double i = 0.0;
  double d = 0.0;
  double i_clamp = 0.0;     ///< limit of the integral's contribution; 0 means no integral at all
  bool antiwindup = false;  ///< clamp the integral itself, not only its contribution
};

/// error = target - state. The first error after reset() differentiates against zero, as in ROS.
class Pid {
 public:
  explicit Pid(const PidGains& gains = {}) : gains_(gains) {}

  void reset();
  /// With the error's rate taken by backward difference.
  double update(double error, Duration period);
  /// With the error's rate supplied. A period of zero or an error that is not finite gives zero.
  double update(double error, double error_rate, Duration period);

  const PidGains& gains() const { return gains_; }
  /// Other ones from now on; the integral stays as it is.
  void set_gains(const PidGains& gains) { gains_ = gains; }

 private:
  PidGains gains_;
  double last_error_ = 0.0;
  double integral_ = 0.0;
};

// here, because it runs for each joint at each tick
inline double Pid::update(double error, double error_rate, Duration period) {
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
