// SPDX-License-Identifier: Apache-2.0
// The position law of a joint topic.
#include "longarm/protocols/jointcmd/position_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longarm::protocols::jointcmd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// the last bit of the way, 1/s
constexpr double kApproach = 20.0;
// from full speed to a stand, s
constexpr double kBraking_s = 0.25;
// where a message gives p and no d
constexpr double kDampingTime_s = 0.1;
// engines want a number, and no joint is so fast
constexpr double kFastest = 1e3;

}  // namespace

PositionLaw::PositionLaw(double goal, const PositionGains& gains, const JointInfo& joint)
    : goal_(goal),
      gains_(gains),
      max_velocity_(std::min(joint.max_velocity, kFastest)),
      max_effort_(std::min(joint.max_effort, gains.limit.value_or(kInfinity))) {}

MotorCommand PositionLaw::update(const JointReading& state, Duration since_last) {
  const double error = goal_ - state.position;
  if (gains_.p.value_or(0.0) > 0.0 || gains_.i.value_or(0.0) > 0.0) {
    return with_gains(state, error, to_seconds(since_last));
  }
  return {approach(error), max_effort_};
}

// In proportion to the distance at the end, before that as evenly braked as makes one curve of
// both.
double PositionLaw::approach(double error) const {
  const double way = std::abs(error);
  const double braking = max_velocity_ / kBraking_s;
  const double linear = braking / (kApproach * kApproach);
  const double speed =
      way <= linear ? kApproach * way : std::sqrt(2.0 * braking * (way - linear / 2.0));
  return std::copysign(std::min(speed, max_velocity_), error);
}

MotorCommand PositionLaw::with_gains(const JointReading& state, double error, double since_last_s) {
  const double p = gains_.p.value_or(0.0);
  const double d = gains_.d.value_or(p * kDampingTime_s);
  const double most = gains_.i_max.value_or(max_effort_);
  const double least = std::min(gains_.i_min.value_or(-max_effort_), most);
  integral_ = std::clamp(integral_ + gains_.i.value_or(0.0) * error * since_last_s, least, most);
  const double pull = p * error + integral_;
  const double effort = pull - d * state.velocity;
  // d · (pull / d - velocity): the speed at which nothing is left to exert
  const double velocity = d > 0.0 ? pull / d : std::copysign(kFastest, effort);
  if (!std::isfinite(effort) || !std::isfinite(velocity)) {  // gains beyond all numbers
    return {approach(error), max_effort_};
  }
  return {std::clamp(velocity, -max_velocity_, max_velocity_),
          std::min(std::abs(effort), max_effort_)};
}

}  // namespace longarm::protocols::jointcmd
