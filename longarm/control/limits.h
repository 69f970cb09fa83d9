// SPDX-License-Identifier: Apache-2.0
// Joint limits. They act twice, on what a controller sends and on what an actuator does, since a
// link is in between.
#pragma once

#include <algorithm>

#include "longarm/model/model.h"

namespace longarm::control {

/// Within the velocity limit, and not further out once a position limit is reached.
inline double limit_velocity(const model::JointLimits& limits, double position, double velocity) {
  const double low = position <= limits.lower ? 0.0 : -limits.velocity;
  const double high = position >= limits.upper ? 0.0 : limits.velocity;
  return std::clamp(velocity, low, high);
}

inline double limit_position(const model::JointLimits& limits, double position) {
  return std::clamp(position, limits.lower, limits.upper);
}

inline double limit_effort(const model::JointLimits& limits, double effort) {
  return std::clamp(effort, -limits.effort, limits.effort);
}

}  // namespace longarm::control
