// SPDX-License-Identifier: Apache-2.0
// One cycle of motion: from the present target to the next one.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/robots/ur/motion.h"

namespace longarm::robots {
namespace {

using model::Vector3;

constexpr double kRateSlope_1_s = 2.0;
// the end of a path that falls on a cycle's end belongs to that cycle
constexpr double kEndRounding_s = 1e-9;
// a ramp that ends with the cycle, but for rounding, ends there
constexpr double kAlmost = 1.0 + 1e-9;
// per cycle and unit of the speed limit: more is another branch of the solution
constexpr double kLeap = 3.0;

Vector3 linear(const Vector6& v) {
  return {v[0], v[1], v[2]};
}
Vector3 angular(const Vector6& v) {
  return {v[3], v[4], v[5]};
}

}  // namespace

void UrMotion::advance() {
  previous_ = target_;
  timed_out_ = false;
  const double wanted = is_paused_ ? 0.0 : wanted_rate_;
  rate_before_ = rate_;
  rate_ += std::clamp(wanted - rate_, -kRateSlope_1_s * cycle_s_, kRateSlope_1_s * cycle_s_);
  begin_pending();
  UrTarget reached = next();
  if (const auto fault = find_fault(reached)) {
    reached = fail(*fault);
  }
  target_ = reached;
}

void UrMotion::begin_pending() {
  if (!pending_ || !is_at_rest()) {
    return;
  }
  const PendingMove move = *std::exchange(pending_, std::nullopt);
  Result<UrPath> path = move.is_line
                            ? UrPath::tool(target_.q, move.X_BT, move.pace, limits_, kinematics_)
                            : UrPath::joints(target_.q, move.q, move.pace, limits_);
  if (!path) {
    fault_ = path.error().message;
    mode_ = Mode::kRest;
    return;
  }
  path_ = std::move(path).value();
  along_s_ = 0.0;
  mode_ = Mode::kPath;
}

UrTarget UrMotion::next() {
  switch (mode_) {
    case Mode::kRest:
      return {.q = target_.q, .qd = {}, .qdd = {}};
    case Mode::kSpeed:
      return next_speed();
    case Mode::kToolSpeed:
      if (ends_by_time_ && *cycles_left_ == 0) {
        timed_out_ = largest(tool_goal_) > 0.0;
        mode_ = Mode::kToolStop;
        return next();
      }
      if (cycles_left_ && !is_paused_) {
        --*cycles_left_;
      }
      return next_tool_speed(is_paused_ ? Vector6{} : tool_goal_);
    case Mode::kServo:
      return next_servo();
    case Mode::kPath:
      return next_path();
    case Mode::kStop:
      return next_stop();
    case Mode::kToolStop: {
      UrTarget reached = next_tool_speed({});
      if (mode_ == Mode::kToolStop && tool_velocity_ == Vector6{}) {
        reached.qd = {};
        mode_ = Mode::kRest;
      }
      return reached;
    }
  }
  return target_;
}

/// All joints with one factor, so that they arrive together and the direction is kept.
UrTarget UrMotion::ramp(const Joints& goal, double acceleration) const {
  Joints change{};
  for (std::size_t j = 0; j < change.size(); ++j) {
    change[j] = goal[j] - target_.qd[j];
  }
  const double most = largest(change);
  const double allowed = acceleration * cycle_s_;
  const bool arrives = most <= allowed * kAlmost;
  UrTarget reached;
  for (std::size_t j = 0; j < change.size(); ++j) {
    reached.qd[j] = arrives ? goal[j] : target_.qd[j] + allowed / most * change[j];
    reached.q[j] = target_.q[j] + 0.5 * (target_.qd[j] + reached.qd[j]) * cycle_s_;
    reached.qdd[j] = (reached.qd[j] - target_.qd[j]) / cycle_s_;
  }
  return reached;
}

UrTarget UrMotion::next_stop() {
  const UrTarget reached = ramp({}, acceleration_);
  if (reached.qd == Joints{} && !pending_) {
    mode_ = Mode::kRest;
  }
  return reached;
}

UrTarget UrMotion::next_speed() {
  if (ends_by_time_ && *cycles_left_ == 0) {
    timed_out_ = largest(goal_) > 0.0;
    mode_ = Mode::kStop;
    return next_stop();
  }
  if (cycles_left_ && !is_paused_) {
    --*cycles_left_;
  }
  const double fastest = largest(goal_);
  if (fastest > limits_.safety_speed_rad_s) {
    if (limits_.stops_for_speed) {
      return fail(fmt::format("speedj asks for {:.3g} rad/s, and a joint may turn at {:.3g}",
                              fastest, limits_.safety_speed_rad_s));
    }
    std::transform(goal_.begin(), goal_.end(), goal_.begin(),
                   [&](double qd) { return qd / fastest * limits_.safety_speed_rad_s; });
  }
  return ramp(is_paused_ ? Joints{} : goal_, acceleration_);
}

/// The tool's line is kept as a pose of its own, so that errors of integration do not add up.
UrTarget UrMotion::next_tool_speed(const Vector6& goal) {
  const Vector3 push = linear(goal) - linear(tool_velocity_);
  const Vector3 twist = angular(goal) - angular(tool_velocity_);
  double share = acceleration_ * cycle_s_ / std::max(push.norm(), 1e-300);
  share = std::min(share, turn_acceleration_ * cycle_s_ / std::max(twist.norm(), 1e-300));
  share = share * kAlmost >= 1.0 ? 1.0 : share;
  Vector6 velocity = goal;
  for (std::size_t i = 0; share < 1.0 && i < velocity.size(); ++i) {
    velocity[i] = tool_velocity_[i] + share * (goal[i] - tool_velocity_[i]);
  }
  model::Pose X = X_BT_;
  X.translation() += 0.5 * cycle_s_ * (linear(tool_velocity_) + linear(velocity));
  X.linear() =
      rotation(0.5 * cycle_s_ * (angular(tool_velocity_) + angular(velocity))) * X_BT_.linear();
  const auto q = kinematics_.nearest(X, target_.q, limits_.lower_rad, limits_.upper_rad);
  const auto rates =
      q ? kinematics_.rates(*q, velocity, limits_.smallest_singular_value) : std::nullopt;
  if (!rates) {
    return fail(q ? "the tool cannot go on straight: the arm is near a singular configuration"
                  : "the tool cannot go on straight: it leaves the reach of the arm");
  }
  UrTarget reached{.q = *q, .qd = *rates, .qdd = {}};
  for (std::size_t j = 0; j < reached.q.size(); ++j) {
    if (std::abs(reached.q[j] - target_.q[j]) > kLeap * limits_.speed_rad_s * cycle_s_) {
      return fail("the tool cannot go on straight: the arm would have to fold over");
    }
    reached.qdd[j] = (reached.qd[j] - target_.qd[j]) / cycle_s_;
  }
  X_BT_ = X;
  tool_velocity_ = velocity;
  return reached;
}

UrTarget UrMotion::next_servo() {
  if (is_paused_) {
    return ramp({}, limits_.stop_rad_s2);
  }
  if (*cycles_left_ > 0) {
    --*cycles_left_;
  }
  UrTarget reached;
  Joints change{};
  for (std::size_t j = 0; j < change.size(); ++j) {
    const UrServoStep step =
        servo_step(target_.q[j], target_.qd[j], goal_[j], lookahead_s_, gain_, cycle_s_);
    reached.q[j] = step.q;
    reached.qd[j] = step.qd;
    change[j] = step.qd - target_.qd[j];
  }
  const double fastest = largest(reached.qd);
  if (fastest > limits_.safety_speed_rad_s && !limits_.stops_for_speed) {
    std::transform(reached.qd.begin(), reached.qd.end(), reached.qd.begin(),
                   [&](double qd) { return qd / fastest * limits_.safety_speed_rad_s; });
    return ramp(reached.qd, limits_.acceleration_rad_s2);
  }
  if (largest(change) > limits_.acceleration_rad_s2 * cycle_s_) {
    return ramp(reached.qd, limits_.acceleration_rad_s2);
  }
  for (std::size_t j = 0; j < change.size(); ++j) {
    reached.qdd[j] = change[j] / cycle_s_;
  }
  return reached;
}

UrTarget UrMotion::next_path() {
  along_s_ += 0.5 * (rate_before_ + rate_) * cycle_s_;
  if (along_s_ >= path_->duration_s() - kEndRounding_s) {
    mode_ = Mode::kRest;
    return {.q = path_->goal(), .qd = {}, .qdd = {}};
  }
  const auto reached = path_->at(along_s_, rate_, target_.q, limits_, kinematics_);
  if (!reached) {
    return fail("the tool cannot go on along its line");
  }
  UrTarget out = *reached;
  if (path_->is_line()) {
    for (std::size_t j = 0; j < out.qd.size(); ++j) {
      // the tool may have been defined anew on the way
      if (std::abs(out.q[j] - target_.q[j]) > kLeap * limits_.speed_rad_s * cycle_s_) {
        return fail("the tool cannot go on along its line: the arm would have to leap");
      }
      out.qdd[j] = (out.qd[j] - target_.qd[j]) / cycle_s_;
    }
  }
  return out;
}

std::optional<std::string> UrMotion::find_fault(const UrTarget& reached) const {
  if (mode_ == Mode::kRest || mode_ == Mode::kStop) {
    return std::nullopt;
  }
  const double fastest = largest(reached.qd);
  if (!(fastest <= kAlmost * limits_.safety_speed_rad_s)) {
    return fmt::format("a joint would have to turn at {:.3g} rad/s, and may at {:.3g}", fastest,
                       limits_.safety_speed_rad_s);
  }
  const bool is_straight =
      mode_ == Mode::kToolSpeed || mode_ == Mode::kToolStop || (path_ && path_->is_line());
  const double steepest = largest(reached.qdd);
  if (is_straight && !(steepest <= kAlmost * limits_.acceleration_rad_s2)) {
    return fmt::format(
        "a joint would have to accelerate by {:.3g} rad/s², and may by {:.3g}: the tool is to "
        "change its speed too fast, or the arm is near a singular configuration",
        steepest, limits_.acceleration_rad_s2);
  }
  if (mode_ == Mode::kPath || mode_ == Mode::kToolStop) {
    return std::nullopt;  // known to end within the limits, or to slow down
  }
  // while it brakes it goes on for half of that time at the speed it has
  const double brake_s = fastest / limits_.brake_rad_s2;
  for (std::size_t j = 0; j < reached.q.size(); ++j) {
    const double rest = reached.q[j] + 0.5 * brake_s * reached.qd[j];
    if ((reached.qd[j] > 0.0 && !(rest <= limits_.upper_rad[j])) ||
        (reached.qd[j] < 0.0 && !(rest >= limits_.lower_rad[j]))) {
      return fmt::format("joint {} comes to its limit of {:.4g} rad", j,
                         reached.qd[j] > 0.0 ? limits_.upper_rad[j] : limits_.lower_rad[j]);
    }
  }
  return std::nullopt;
}

UrTarget UrMotion::fail(std::string why) {
  fault_ = std::move(why);
  brake();
  return next_stop();
}

/// x'' + gain·lookahead·x' + gain·x = 0 with x = q − goal.
UrServoStep servo_step(double q, double qd, double goal, double lookahead_s, double gain,
                       double time_s) {
  const double x = q - goal;
  const double half = 0.5 * gain * lookahead_s;
  const double inside = half * half - gain;
  const double decay = std::exp(-half * time_s);
  // c and s are cosh and sinh/root of root·t, or cos and sin/root, whichever the law asks for
  double c = 1.0;
  double s = time_s;
  if (inside > 0.0) {
    const double root = std::sqrt(inside);
    c = std::cosh(root * time_s);
    s = std::sinh(root * time_s) / root;
  } else if (inside < 0.0) {
    const double root = std::sqrt(-inside);
    c = std::cos(root * time_s);
    s = std::sin(root * time_s) / root;
  }
  return {goal + decay * (x * (c + half * s) + qd * s),
          decay * (qd * (c - half * s) - gain * x * s)};
}

}  // namespace longarm::robots
