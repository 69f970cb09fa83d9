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

// of a tool that turns when servoc takes over
constexpr double kTurnDeceleration_rad_s2 = 1.4;
// a tool that only turns stays in its place
constexpr double kSamePlace_m = 1e-4;
// no faster can the arm be pushed
constexpr double kFreeSpeed_m_s = 0.5;
constexpr double kFreeSpeed_rad_s = 1.5;

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
  legs_.clear();
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
  X_BT_ = kinematics_.tool(program().q);
  tool_velocity_ = kinematics_.tool_velocity(program().q, program().qd);
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

Result<UrMoveId> UrMotion::move_joints(const Joints& q, const UrPace& pace, double radius_m) {
  return begin_move(
      {.kind = Move::Kind::kJoints, .q = q, .arc = {}, .pace = pace, .radius_m = radius_m});
}

Result<UrMoveId> UrMotion::move_tool(const model::Pose& X_BT, const UrPace& pace, double radius_m) {
  return begin_move({.kind = Move::Kind::kLine,
                     .q = {},
                     .arc = {.to = X_BT},
                     .pace = pace,
                     .radius_m = radius_m});
}

Result<UrMoveId> UrMotion::move_arc(const UrPath::Arc& arc, const UrPace& pace, double radius_m) {
  return begin_move(
      {.kind = Move::Kind::kArc, .q = {}, .arc = arc, .pace = pace, .radius_m = radius_m});
}

Result<UrPath> UrMotion::make_path(const Move& move, const Joints& from) const {
  switch (move.kind) {
    case Move::Kind::kJoints:
      return UrPath::joints(from, move.q, move.pace, limits_);
    case Move::Kind::kLine:
      return UrPath::tool(from, move.arc.to, move.pace, limits_, kinematics_);
    case Move::Kind::kArc:
      return UrPath::arc(from, move.arc, move.pace, limits_, kinematics_);
  }
  return Error{"no such move"};
}

/// Near enough to its goal that the next move may begin in the coming cycle.
bool UrMotion::is_in_tail() const {
  return mode_ == Mode::kPath && !pending_ && legs_.back().radius_m > 0.0 &&
         along_s_ + rate_ * cycle_s_ >= legs_.back().tail_at_s();
}

Result<UrMoveId> UrMotion::begin_move(const Move& move) {
  if (!(move.radius_m >= 0.0 && std::isfinite(move.radius_m))) {
    return Error{"the blend radius must not be negative"};
  }
  if (is_in_tail()) {
    return blend_into(move);
  }
  // Moves start from rest. If it moves they start where it will rest; that a line of joints can end
  // where it is to is known before.
  const bool rests = program().qd == Joints{};
  if (!rests && move.kind != Move::Kind::kJoints) {
    const UrMoveId id = begin(Mode::kStop);
    acceleration_ = limits_.stop_rad_s2;
    pending_ = move;
    return id;
  }
  Result<UrPath> path = make_path(move, program().q);
  if (!path) {
    return path.error();
  }
  const UrMoveId id = begin(rests ? Mode::kPath : Mode::kStop);
  if (rests) {
    set_off(move, std::move(path).value());
  } else {
    acceleration_ = limits_.stop_rad_s2;
    pending_ = move;
  }
  return id;
}

/// A move that is all within its radius rests at its goal.
void UrMotion::set_off(const Move& move, UrPath path) {
  double tail = move.radius_m > 0.0 ? path.share_near_end(move.radius_m, kinematics_) : 0.0;
  tail = tail < 1.0 ? tail : 0.0;
  if (tail > 0.0) {
    path.set_ends({.tail_distance = tail});
  }
  mode_ = Mode::kPath;
  along_s_ = 0.0;
  legs_.clear();
  legs_.push_back({.path = std::move(path),
                   .begins_s = 0.0,
                   .radius_m = tail > 0.0 ? move.radius_m : 0.0,
                   .near = program().q});
}

/// The one before comes to rest at its goal while this one gets going from there.
Result<UrMoveId> UrMotion::blend_into(const Move& move) {
  Leg& last = legs_.back();
  Result<UrPath> made = make_path(move, last.path.goal());
  if (!made) {
    return made.error();
  }
  UrPath path = std::move(made).value();
  const double head = path.share_near_start(last.radius_m, kinematics_);
  const double tail = move.radius_m > 0.0 ? path.share_near_end(move.radius_m, kinematics_) : 0.0;
  const double way_m =
      (kinematics_.tool(path.goal()).translation() - kinematics_.tool(path.start()).translation())
          .norm();
  if (head + tail > 1.0 && move.radius_m > 0.0 && way_m > kSamePlace_m) {
    remark_ = fmt::format(
        "Overlapping blends: a move of {:.4g} m with a radius of {:.4g} m behind one of {:.4g} m "
        "was skipped",
        way_m, move.radius_m, last.radius_m);
    return UrMoveId{++moves_};
  }
  if (head + tail > 1.0 || head >= 1.0) {
    pending_ = move;  // nothing to blend: it rests at the corner
    return UrMoveId{++moves_};
  }
  const double begins_s = std::max(along_s_, last.tail_at_s());
  path.set_ends({.head_s = last.ends_s() - begins_s, .head_distance = head, .tail_distance = tail});
  const Joints corner = last.path.goal();
  legs_.push_back(
      {.path = std::move(path), .begins_s = begins_s, .radius_m = move.radius_m, .near = corner});
  return UrMoveId{++moves_};
}

Result<UrMoveId> UrMotion::servo_tool(const model::Pose& X_BT, const UrPace& pace,
                                      double radius_m) {
  if (program().qd == Joints{}) {
    return move_tool(X_BT, pace, radius_m);
  }
  if (!(radius_m >= 0.0 && std::isfinite(radius_m)) || !is_positive(pace.acceleration)) {
    return Error{"servoc needs an acceleration above zero and a radius that is not negative"};
  }
  // what moves now goes straight on to rest, and the line begins from there meanwhile
  const Vector6 v = kinematics_.tool_velocity(program().q, program().qd);
  const double time_s = std::max({cycle_s_, std::hypot(v[0], v[1], v[2]) / pace.acceleration,
                                  std::hypot(v[3], v[4], v[5]) / kTurnDeceleration_rad_s2});
  Result<UrPath> coast = UrPath::coasting(program().q, v, time_s, limits_, kinematics_);
  if (!coast) {
    return coast.error();
  }
  Result<UrPath> made = UrPath::tool(coast->goal(), X_BT, pace, limits_, kinematics_);
  if (!made) {
    return made.error();
  }
  UrPath line = std::move(made).value();
  double tail = radius_m > 0.0 ? line.share_near_end(radius_m, kinematics_) : 0.0;
  tail = tail < 1.0 ? tail : 0.0;
  if (line.duration_s() > 0.0) {
    line.set_ends({.head_s = time_s, .head_distance = 1.0 - tail, .tail_distance = tail});
  }
  const UrMoveId id = begin(Mode::kPath);
  along_s_ = 0.0;
  const Joints q = program().q;
  legs_.push_back({.path = std::move(coast).value(), .near = q});
  legs_.push_back({.path = std::move(line), .radius_m = tail > 0.0 ? radius_m : 0.0});
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
  X_BT_ = kinematics_.tool(program().q);
  tool_velocity_ = kinematics_.tool_velocity(program().q, program().qd);
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
      return ends_by_time_ ? *cycles_left_ > 0 : program().qd != goal_;
    case Mode::kToolSpeed:
      return ends_by_time_ ? *cycles_left_ > 0 : tool_velocity_ != tool_goal_;
    case Mode::kServo:
      return *cycles_left_ > 0;
    case Mode::kPath:
      return !is_in_tail();
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

void UrMotion::give_way(const UrForceTask& task, double damping, double gain) {
  if (!compliance_) {
    program_ = target_;
    felt_ = {};
    actual_.reset();
    compliance_.emplace();
  }
  is_free_ = false;
  compliance_->set(task, damping, gain);
}

void UrMotion::give_way_freely(double damping) {
  UrForceTask task;
  task.is_compliant.fill(true);
  task.limits = {kFreeSpeed_m_s,   kFreeSpeed_m_s,   kFreeSpeed_m_s,
                 kFreeSpeed_rad_s, kFreeSpeed_rad_s, kFreeSpeed_rad_s};
  give_way(task, damping, 1.0);
  is_free_ = true;
}

/// The arm is not to press on. A path is no longer where the arm is; speeds and servos go on.
void UrMotion::end_giving_way() {
  if (!compliance_) {
    return;
  }
  compliance_.reset();
  target_.q = previous_.q = actual_.value_or(target_.q);
  if (mode_ != Mode::kSpeed && mode_ != Mode::kServo) {
    begin(Mode::kStop);
    acceleration_ = limits_.stop_rad_s2;
  }
}

std::optional<std::string> UrMotion::find_deviation(const Joints& actual) const {
  if (!compliance_) {
    return std::nullopt;
  }
  const auto axis =
      compliance_->axis_beyond_limits(kinematics_.tool(actual), kinematics_.tool(program_.q));
  if (!axis) {
    return std::nullopt;
  }
  return fmt::format("force mode: the tool is further from the program than {:.3g} {} axis {}",
                     compliance_->task().limits[*axis], *axis < 3 ? "m along" : "rad about",
                     "xyz"[*axis % 3]);
}

void UrMotion::brake() {
  compliance_.reset();
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
  compliance_.reset();
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

std::optional<std::string> UrMotion::take_remark() {
  return std::exchange(remark_, std::nullopt);
}

bool UrMotion::take_timeout() {
  return std::exchange(timed_out_, false);
}

}  // namespace longarm::robots
