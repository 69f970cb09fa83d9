// SPDX-License-Identifier: Apache-2.0
// A PID controller with the rules of ROS's control_toolbox, so that its gains mean the same here.
#pragma once

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

 private:
  PidGains gains_;
  double last_error_ = 0.0;
  double integral_ = 0.0;
};

}  // namespace longarm::control
