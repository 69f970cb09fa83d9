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
  const bool gave_way = gives_way();
  const UrTarget program_before = program_;
  if (gave_way) {
    target_ = program_;
  }
  begin_pending();
  UrTarget reached = next();
  if (const auto fault = find_fault(reached)) {
    reached = fail(*fault);
  }
  if (gave_way) {
    target_ = previous_;
    if (gives_way()) {
      program_ = reached;
      reached = next_giving_way(program_before);
    } else {
      mode_ = Mode::kStop;  // a fault ended it
      reached = next_stop();
    }
  }
  target_ = reached;
}

void UrMotion::begin_pending() {
  if (!pending_ || mode_ == Mode::kPath || !is_at_rest()) {
    return;
  }
  const Move move = *std::exchange(pending_, std::nullopt);
  Result<UrPath> path = make_path(move, target_.q);
  if (!path) {
    fault_ = path.error().message;
    mode_ = Mode::kRest;
    return;
  }
  set_off(move, std::move(path).value());
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
  while (legs_.size() > 1 && along_s_ >= legs_.front().ends_s()) {
    legs_.erase(legs_.begin());
  }
  if (legs_.size() == 1 && along_s_ >= legs_.front().ends_s() - kEndRounding_s) {
    const UrPath& path = legs_.front().path;
    if (!path.blocked().empty()) {
      return fail(path.blocked());
    }
    mode_ = pending_ ? Mode::kStop : Mode::kRest;
    return {.q = path.goal(), .qd = {}, .qdd = {}};
  }
  for (const Leg& leg : legs_) {
    if (leg.path.is_blocked_at(along_s_ - leg.begins_s)) {
      return fail(leg.path.blocked());
    }
  }
  const auto reached = on_legs();
  if (!reached) {
    return fail("the tool cannot go on along its line");
  }
  UrTarget out = *reached;
  if (legs_.size() > 1 || legs_.front().path.is_line()) {
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

std::optional<UrTarget> UrMotion::on_legs() {
  if (legs_.size() == 1 && !legs_.front().path.is_line()) {
    return legs_.front().path.joints_at(along_s_ - legs_.front().begins_s, rate_);
  }
  const bool are_lines =
      std::all_of(legs_.begin(), legs_.end(), [](const Leg& leg) { return leg.path.is_line(); });
  return are_lines ? on_tool_legs() : on_joint_legs();
}

/// Where the first leads the tool, and by how much the others have moved and turned it on.
std::optional<UrTarget> UrMotion::on_tool_legs() const {
  UrToolTarget sum = legs_.front().path.tool_at(along_s_ - legs_.front().begins_s, rate_);
  for (std::size_t i = 1; i < legs_.size(); ++i) {
    const Leg& leg = legs_[i];
    const UrToolTarget more = leg.path.tool_at(along_s_ - leg.begins_s, rate_);
    const model::Pose& X_start = leg.path.X_start();
    const model::Matrix3 turn = more.X_BT.linear() * X_start.linear().transpose();
    sum.X_BT.translation() += more.X_BT.translation() - X_start.translation();
    sum.X_BT.linear() = turn * sum.X_BT.linear();
    const Vector3 v = linear(more.velocity) + linear(sum.velocity);
    const Vector3 w = angular(more.velocity) + turn * angular(sum.velocity);
    sum.velocity = {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
  }
  const auto q = kinematics_.nearest(sum.X_BT, target_.q, limits_.lower_rad, limits_.upper_rad);
  const auto rates =
      q ? kinematics_.rates(*q, sum.velocity, limits_.smallest_singular_value) : std::nullopt;
  if (!rates) {
    return std::nullopt;
  }
  return UrTarget{.q = *q, .qd = *rates, .qdd = {}};
}

/// Likewise, joint by joint, where some are lines of joints.
std::optional<UrTarget> UrMotion::on_joint_legs() {
  UrTarget sum{.q = legs_.front().path.start(), .qd = {}, .qdd = {}};
  for (Leg& leg : legs_) {
    const double time_s = along_s_ - leg.begins_s;
    UrTarget at;
    if (leg.path.is_line()) {
      const UrToolTarget tool = leg.path.tool_at(time_s, rate_);
      const auto q = kinematics_.nearest(tool.X_BT, leg.near, limits_.lower_rad, limits_.upper_rad);
      const auto rates =
          q ? kinematics_.rates(*q, tool.velocity, limits_.smallest_singular_value) : std::nullopt;
      if (!rates) {
        return std::nullopt;
      }
      at = {.q = *q, .qd = *rates, .qdd = {}};
      leg.near = *q;
    } else {
      at = leg.path.joints_at(time_s, rate_);
    }
    for (std::size_t j = 0; j < sum.q.size(); ++j) {
      sum.q[j] += at.q[j] - leg.path.start()[j];
      sum.qd[j] += at.qd[j];
    }
  }
  return sum;
}

/// The program has gone on to program_.
UrTarget UrMotion::next_giving_way(const UrTarget& program_before) {
  const auto tool_of = [this](const UrTarget& target) {
    return UrToolTarget{kinematics_.tool(target.q), kinematics_.tool_velocity(target.q, target.qd)};
  };
  const UrCompliance::Step step = compliance_->next({.now = tool_of(target_),
                                                     .program_before = tool_of(program_before),
                                                     .program = tool_of(program_),
                                                     .felt = felt_},
                                                    cycle_s_);
  const auto q = kinematics_.nearest(step.X_BT, target_.q, limits_.lower_rad, limits_.upper_rad);
  const auto rates =
      q ? kinematics_.rates(*q, step.velocity, limits_.smallest_singular_value) : std::nullopt;
  const bool is_slow = rates && largest(*rates) <= limits_.safety_speed_rad_s;
  if (is_paused_ || (is_free_ && !is_slow)) {
    compliance_->rest();
    return ramp({}, limits_.brake_rad_s2);
  }
  if (!is_slow) {
    return fail(rates ? "force mode: a joint would be too fast"
                      : "force mode: the tool leaves the reach of the arm, or comes too near to a "
                        "singular configuration");
  }
  UrTarget reached{.q = *q, .qd = *rates, .qdd = {}};
  for (std::size_t j = 0; j < reached.q.size(); ++j) {
    reached.qdd[j] = (reached.qd[j] - target_.qd[j]) / cycle_s_;
  }
  return reached;
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
      mode_ == Mode::kToolSpeed || mode_ == Mode::kToolStop ||
      std::any_of(legs_.begin(), legs_.end(), [](const Leg& leg) { return leg.path.is_line(); });
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
