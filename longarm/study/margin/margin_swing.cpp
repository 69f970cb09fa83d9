// SPDX-License-Identifier: Apache-2.0
// Sign changes of velocities, interpolated between steps.
#include "longarm/study/margin/margin_swing.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "longarm/core/check.h"

namespace longarm::study {
namespace {

// below this a joint rests, and its sign is rounding
constexpr double kRest_rad_s = 1e-7;
// the first part of a record shows how the motion before it dies away
constexpr double kSkippedPart = 0.4;
constexpr std::size_t kFewestTurns = 5;

}  // namespace

SwingMeter::SwingMeter(const sim::Probes& probes, Duration hold_start)
    : velocity_(probes.find("velocity")),
      limited_(probes.find("limited")),
      hold_start_s_(to_seconds(hold_start)) {
  check(velocity_ != nullptr && limited_ != nullptr, "a swing meter needs velocity and limited");
  values_.resize(velocity_->columns.size());
  joints_.resize(velocity_->columns.size());
}

void SwingMeter::record(Time stamp) {
  if (!first_limited_) {
    limited_->read(values_);
    const auto found =
        std::find_if(values_.begin(), values_.end(), [](double v) { return v != 0.0; });
    if (found != values_.end()) {
      first_limited_ = static_cast<std::size_t>(found - values_.begin());
    }
  }
  const double time_s = to_seconds(stamp.time_since_epoch());
  if (time_s < hold_start_s_) {
    return;
  }
  velocity_->read(values_);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Joint& joint = joints_[i];
    const double velocity = values_[i];
    if (std::abs(velocity) < kRest_rad_s) {
      continue;
    }
    if (velocity * joint.last_velocity < 0.0) {
      const double part = joint.last_velocity / (joint.last_velocity - velocity);
      joint.turns_s.push_back(joint.last_time_s + part * (time_s - joint.last_time_s));
      joint.free_turns = first_limited_ ? joint.free_turns : joint.turns_s.size();
    }
    joint.last_velocity = velocity;
    joint.last_time_s = time_s;
  }
}

std::optional<double> SwingMeter::period_s(std::size_t joint) const {
  const Joint& it = joints_[joint];
  std::span<const double> turns(it.turns_s);
  if (it.free_turns >= 2 * kFewestTurns) {
    turns = turns.first(it.free_turns);
  }
  const auto skipped = static_cast<std::size_t>(static_cast<double>(turns.size()) * kSkippedPart);
  turns = turns.subspan(skipped);
  if (turns.size() < kFewestTurns) {
    return std::nullopt;
  }
  // a full swing turns twice
  return 2.0 * (turns.back() - turns.front()) / static_cast<double>(turns.size() - 1);
}

}  // namespace longarm::study
