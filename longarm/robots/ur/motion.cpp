// SPDX-License-Identifier: Apache-2.0
// Takes commands of motion, and says who keeps waiting for them; ur_motion_cycle.cpp moves on.
#include "longarm/robots/ur/motion.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {
namespace {

// what servoj takes, as its manual says
constexpr double kLeastLookahead_s = 0.03;
constexpr double kMostLookahead_s = 0.2;
constexpr double kLeastGain = 100.0;
constexpr double kMostGain = 2000.0;
// a time that is meant as so many cycles counts as that many, however it was rounded
constexpr double kCycleRounding = 1e-6;
constexpr double kMostCycles = 1e12;
// slower than any encoder could tell
constexpr double kStill_rad_s = 1e-4;

constexpr const char* kNegativeTime = "the time must not be negative";

template <typename Numbers>
bool are_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

bool is_positive(double value) {
  return value > 0.0 && std::isfinite(value);
}

}  // namespace

UrMotion::UrMotion(const UrKinematics& kinematics, const UrLimits& limits, double cycle_s,
                   const Joints& start)
    : kinematics_(kinematics), limits_(limits), cycle_s_(cycle_s) {
  rest_at(start);
}

UrMoveId UrMotion::begin(Mode mode) {
  mode_ = mode;
  pending_.reset();
  path_.reset();
  cycles_left_.reset();
  ends_by_time_ = false;
  return UrMoveId{++moves_};
}

std::uint64_t UrMotion::cycles_of(double time_s) const {
  const double cycles = std::ceil(time_s / cycle_s_ - kCycleRounding);
  return static_cast<std::uint64_t>(std::clamp(cycles, 1.0, kMostCycles));
}

Result<UrMoveId> UrMotion::speed_joints(const Joints& qd, double acceleration,
                                        std::optional<double> time_s) {
  if (!are_finite(qd) || !is_positive(acceleration) || (time_s && !std::isfinite(*time_s))) {
    return Error{"speedj needs six speeds and an acceleration above zero"};
  }
  if (time_s && *time_s < 0.0) {
    return Error{kNegativeTime};
  }
  const UrMoveId id = begin(Mode::kSpeed);
  goal_ = qd;
  acceleration_ = std::min(acceleration, limits_.acceleration_rad_s2);
  if (time_s && *time_s > 0.0) {
    cycles_left_ = cycles_of(*time_s);
    ends_by_time_ = true;
  }
  return id;
}

Result<UrMoveId> UrMotion::speed_tool(const Vector6& velocity, double acceleration,
                                      std::optional<double> time_s,
                                      std::optional<double> turn_acceleration) {
  if (!are_finite(velocity) || !is_positive(acceleration) || (time_s && !std::isfinite(*time_s)) ||
      (turn_acceleration && !is_positive(*turn_acceleration))) {
    return Error{"speedl needs six speeds and an acceleration above zero"};
  }
  if (time_s && *time_s < 0.0) {
    return Error{kNegativeTime};
  }
  const UrMoveId id = begin(Mode::kToolSpeed);
  tool_goal_ = velocity;
  acceleration_ = acceleration;
  turn_acceleration_ = turn_acceleration.value_or(acceleration);
  X_BT_ = kinematics_.tool(target_.q);
  tool_velocity_ = kinematics_.tool_velocity(target_.q, target_.qd);
  if (time_s && *time_s > 0.0) {
    cycles_left_ = cycles_of(*time_s);
    ends_by_time_ = true;
  }
  return id;
}

Result<UrMoveId> UrMotion::servo(const Joints& q, double time_s, double lookahead_s, double gain) {
  if (!are_finite(q) || !std::isfinite(time_s) || !std::isfinite(lookahead_s) ||
      !std::isfinite(gain)) {
    return Error{"servoj needs six joint positions"};
  }
  if (time_s < 0.0) {
    return Error{kNegativeTime};
  }
  const UrMoveId id = begin(Mode::kServo);
  goal_ = q;
  cycles_left_ = cycles_of(time_s);
  lookahead_s_ = std::clamp(lookahead_s, kLeastLookahead_s, kMostLookahead_s);
  gain_ = std::clamp(gain, kLeastGain, kMostGain);
  return id;
}

Result<UrMoveId> UrMotion::move_joints(const Joints& q, const UrPace& pace) {
  // from rest; if it moves, from where it will rest, but that it can end there is known
  Result<UrPath> path = UrPath::joints(target_.q, q, pace, limits_);
  if (!path) {
    return path.error();
  }
  return begin_move({.q = q, .X_BT = model::Pose::Identity(), .is_line = false, .pace = pace},
                    std::move(path).value());
}

Result<UrMoveId> UrMotion::move_tool(const model::Pose& X_BT, const UrPace& pace) {
  const PendingMove move{.q = {}, .X_BT = X_BT, .is_line = true, .pace = pace};
  if (!is_at_rest()) {
    return begin_move(move, {});
  }
  Result<UrPath> path = UrPath::tool(target_.q, X_BT, pace, limits_, kinematics_);
  if (!path) {
    return path.error();
  }
  return begin_move(move, std::move(path).value());
}

/// Moves start from rest.
UrMoveId UrMotion::begin_move(const PendingMove& move, UrPath path) {
  if (is_at_rest()) {
    const UrMoveId id = begin(Mode::kPath);
    path_ = std::move(path);
    along_s_ = 0.0;
    return id;
  }
  const UrMoveId id = begin(Mode::kStop);
  acceleration_ = limits_.stop_rad_s2;
  pending_ = move;
  return id;
}

Result<UrMoveId> UrMotion::stop_joints(double deceleration) {
  if (!is_positive(deceleration)) {
    return Error{"stopj needs a deceleration above zero"};
  }
  const UrMoveId id = begin(Mode::kStop);
  acceleration_ = std::min(deceleration, limits_.acceleration_rad_s2);
  return id;
}

Result<UrMoveId> UrMotion::stop_tool(double deceleration, std::optional<double> turn_deceleration) {
  if (!is_positive(deceleration) || (turn_deceleration && !is_positive(*turn_deceleration))) {
    return Error{"stopl needs a deceleration above zero"};
  }
  const UrMoveId id = begin(Mode::kToolStop);
  acceleration_ = deceleration;
  turn_acceleration_ = turn_deceleration.value_or(deceleration);
  X_BT_ = kinematics_.tool(target_.q);
  tool_velocity_ = kinematics_.tool_velocity(target_.q, target_.qd);
  return id;
}

bool UrMotion::is_busy(UrMoveId id) const {
  if (id != UrMoveId{moves_}) {
    return false;
  }
  switch (mode_) {
    case Mode::kRest:
      return false;
    case Mode::kSpeed:
      return ends_by_time_ ? *cycles_left_ > 0 : target_.qd != goal_;
    case Mode::kToolSpeed:
      return ends_by_time_ ? *cycles_left_ > 0 : tool_velocity_ != tool_goal_;
    case Mode::kServo:
      return *cycles_left_ > 0;
    case Mode::kPath:
    case Mode::kStop:
    case Mode::kToolStop:
      return true;
  }
  return false;
}

void UrMotion::release() {
  if (mode_ == Mode::kRest || ((mode_ == Mode::kStop || mode_ == Mode::kToolStop) && !pending_)) {
    return;
  }
  begin(Mode::kStop);
  acceleration_ = limits_.stop_rad_s2;
}

void UrMotion::brake() {
  begin(Mode::kStop);
  acceleration_ = limits_.brake_rad_s2;
}

void UrMotion::brake_from(const Joints& q, const Joints& qd) {
  target_.q = q;
  for (std::size_t j = 0; j < qd.size(); ++j) {
    target_.qd[j] = std::clamp(qd[j], -limits_.speed_rad_s, limits_.speed_rad_s);
  }
  brake();
}

void UrMotion::rest_at(const Joints& q) {
  begin(Mode::kRest);
  target_ = {};
  target_.q = q;
  previous_ = target_;
}

void UrMotion::set_rate(double rate) {
  wanted_rate_ = std::isfinite(rate) ? std::clamp(rate, 0.0, 1.0) : wanted_rate_;
}

bool UrMotion::is_at_rest() const {
  return target_.qd == Joints{};
}

bool UrMotion::is_still() const {
  return std::all_of(target_.qd.begin(), target_.qd.end(),
                     [](double qd) { return std::abs(qd) < kStill_rad_s; });
}

bool UrMotion::is_at_wanted_rate() const {
  return std::abs(rate_ - wanted_rate_) < kCycleRounding;
}

Joints UrMotion::between(double share) const {
  const double s = std::clamp(share, 0.0, 1.0);
  if (s == 1.0) {
    return target_.q;
  }
  const double rise = s * s * (3.0 - 2.0 * s);
  const double from_start = s * (1.0 - s) * (1.0 - s) * cycle_s_;
  const double from_end = s * s * (s - 1.0) * cycle_s_;
  Joints q;
  for (std::size_t j = 0; j < q.size(); ++j) {
    q[j] = previous_.q[j] + rise * (target_.q[j] - previous_.q[j]) + from_start * previous_.qd[j] +
           from_end * target_.qd[j];
  }
  return q;
}

std::optional<std::string> UrMotion::take_fault() {
  return std::exchange(fault_, std::nullopt);
}

bool UrMotion::take_timeout() {
  return std::exchange(timed_out_, false);
}

}  // namespace longarm::robots
