// SPDX-License-Identifier: Apache-2.0
// The reference, its pace, and what the joints are told.
#include "longarm/robots/arm/robot_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longarm::robots {
namespace {

// of the reference's time: no stop is more abrupt than this, and none lasts longer than that
constexpr double kHardestSlope_1_s = 100.0;
constexpr double kSoftestSlope_1_s = 1.0;
constexpr double kResumeSlope_1_s = 5.0;
// an arm whose joints are slower than this stands
constexpr double kStanding_rad_s = 2e-3;
constexpr Duration kDrivesOffAfter{1'000'000'000};

Duration scaled(Duration span, double factor) {
  return Duration(std::llround(static_cast<double>(span.count()) * factor));
}

motion::Trajectory standing_at(const std::vector<double>& q) {
  motion::TrajectoryPoint point;
  point.positions = q;
  point.velocities.assign(q.size(), 0.0);
  return motion::Trajectory::make({point}).value();
}

}  // namespace

RobotMotion::RobotMotion(RobotHardware& hardware, RobotArm& arm, const RobotConfig& config,
                         Duration period)
    : hardware_(hardware),
      arm_(arm),
      config_(config),
      period_(period),
      planner_(arm, config.joint_acceleration),
      allowed_N_(config.overload_N) {
  synchronise();
}

/// The reference is where the arm is, and rests.
void RobotMotion::synchronise() {
  reference_ = hardware_.positions();
  ahead_ = reference_;
  motion_ = PlannedMotion{};
  motion_.trajectory = standing_at(reference_);
  cursor_ = {};
  along_ = Duration{0};
  pace_ = {};
}

/// The pace after one step, and how far the reference's time comes in it.
Duration RobotMotion::step_of_time(Pace& pace) const {
  const double before = pace.rate;
  const double change = pace.slope * to_seconds(period_);
  pace.rate = pace.rate < pace.goal ? std::min(pace.goal, pace.rate + change)
                                    : std::max(pace.goal, pace.rate - change);
  return scaled(period_, 0.5 * (before + pace.rate));
}

/// How fast the pace may change so that the joints (and, for an ordinary stop, the controlled
/// point) keep their accelerations.
double RobotMotion::hardest_slope(bool is_ordinary) const {
  const std::size_t count = arm_.joint_count();
  std::vector<double> q(count);
  std::vector<double> v(count);
  double slope = kHardestSlope_1_s;
  // it may be getting faster, so a little ahead is looked at as well
  for (const Duration ahead : {Duration{0}, Duration{25'000'000}, Duration{50'000'000}}) {
    motion_.trajectory.sample(along_ + ahead, q, v);
    for (const double each : v) {
      slope = std::min(slope, config_.joint_acceleration / std::max(std::abs(each), 1e-9));
    }
    if (is_ordinary) {
      const Eigen::VectorXd twist =
          arm_.jacobian(q) * Eigen::Map<const Eigen::VectorXd>(v.data(), std::ssize(v));
      const double speed = std::max(twist.head<3>().norm(), 1e-9);
      const double turn = std::max(twist.tail<3>().norm(), 1e-9);
      slope = std::min({slope, motion_.limits.acceleration_m_s2 / speed,
                        motion_.limits.turn_acceleration_rad_s2 / turn});
    }
  }
  return std::max(slope, kSoftestSlope_1_s);
}

/// Of the reference, if it began to stop now.
Duration RobotMotion::resting_time() const {
  Pace pace = pace_;
  pace.goal = 0.0;
  pace.slope = is_stopping_ || is_paused_ ? pace_.slope : hardest_slope(true);
  Duration along = along_;
  const Duration end = motion_.trajectory.end();
  while (pace.rate > 0.0 && along < end) {
    along += step_of_time(pace);
  }
  return std::min(along, end);
}

std::vector<double> RobotMotion::next_start() const {
  if (is_braked_) {
    return hardware_.positions();
  }
  std::vector<double> q(arm_.joint_count());
  motion_.trajectory.sample(resting_time(), q);
  return q;
}

Duration RobotMotion::begin(PlannedMotion motion, std::span<const JointPush> pushes) {
  drives_off_in_.reset();
  if (is_braked_) {
    is_braked_ = false;
    synchronise();
  }
  pushes_.clear();
  for (const JointPush& push : pushes) {
    pushes_.push_back({push, push.change_rate ? hardware_.joint(push.joint).effort : push.effort});
  }
  const Duration length = motion.trajectory.end();
  report_ = {MotionState::kMoving, ""};
  within_for_ = overdue_for_ = Duration{0};
  const bool rests = along_ >= motion_.trajectory.end() || pace_.rate == 0.0;
  if (rests) {
    is_stopping_ = false;
    start(std::move(motion));
    return length;
  }
  if (!is_stopping_) {
    pace_.slope = hardest_slope(true);
    pace_.goal = 0.0;
  }
  is_stopping_ = true;
  next_ = std::move(motion);
  const double stop_s = pace_.rate / pace_.slope;
  return length + Duration(static_cast<Duration::rep>(std::ceil(stop_s * 1e9)));
}

void RobotMotion::start(PlannedMotion motion) {
  motion_ = std::move(motion);
  next_.reset();
  cursor_ = {};
  along_ = Duration{0};
  pace_ = {};
}

void RobotMotion::stop(StopKind kind) {
  next_.reset();
  pushes_.clear();
  report_ = {MotionState::kMoving, ""};
  motion_.goal = GoalCheck{};
  is_stopping_ = true;
  if (kind == StopKind::kImmediate) {
    brake();
    return;
  }
  if (kind == StopKind::kFast) {
    drives_off_in_ = kDrivesOffAfter;
  }
  pace_.slope = hardest_slope(kind == StopKind::kNormal);
  pace_.goal = 0.0;
}

void RobotMotion::brake() {
  is_braked_ = true;
  drives_off_in_.reset();
  pushes_.clear();
}

void RobotMotion::lock() {
  is_locked_ = true;
  measures_stop_ = true;
  stop_distance_m_ = 0.0;
  last_p_ = arm_.pose(hardware_.positions()).translation();
  next_.reset();
  brake();
  if (report_.state == MotionState::kMoving) {
    fail("the robot has broken down");
  }
}

void RobotMotion::pause() {
  if (is_paused_) {
    return;
  }
  is_paused_ = true;
  measures_stop_ = true;
  stop_distance_m_ = 0.0;
  last_p_ = arm_.pose(hardware_.positions()).translation();
  pace_.slope = hardest_slope(false);
  pace_.goal = 0.0;
}

void RobotMotion::resume() {
  if (!is_paused_) {
    return;
  }
  is_paused_ = false;
  measures_stop_ = false;
  if (!is_stopping_) {
    pace_.slope = kResumeSlope_1_s;
    pace_.goal = 1.0;
  }
}

bool RobotMotion::is_pushing(std::size_t joint) const {
  return std::any_of(pushes_.begin(), pushes_.end(),
                     [&](const Push& each) { return each.push.joint == joint; });
}

void RobotMotion::before_step() {
  if (drives_off_in_) {
    *drives_off_in_ -= period_;
    if (*drives_off_in_ <= Duration{0}) {
      brake();
    }
  }
  if (is_braked_) {
    hardware_.brake();
    return;
  }
  advance();
  follow();
}

/// Where the reference will be after the coming step.
void RobotMotion::advance() {
  finish_stop();
  if (along_ < motion_.trajectory.end()) {
    along_ = std::min(along_ + step_of_time(pace_), motion_.trajectory.end());
  }
  motion_.trajectory.sample(along_, ahead_, {}, {}, cursor_);
}

/// A stop that has come to rest gives way to what waits for it.
void RobotMotion::finish_stop() {
  const bool rests = pace_.rate == 0.0 || along_ >= motion_.trajectory.end();
  if (!is_stopping_ || !rests) {
    return;
  }
  if (next_) {
    if (is_paused_) {
      return;
    }
    is_stopping_ = false;
    start(*std::exchange(next_, std::nullopt));
    return;
  }
  if (is_standing() && report_.state == MotionState::kMoving) {
    is_stopping_ = false;
    report_ = {MotionState::kDone, ""};
    motion_.trajectory = standing_at(ahead_);
    along_ = Duration{0};
    cursor_ = {};
    pace_ = {};
  }
}

void RobotMotion::follow() {
  const double period_s = to_seconds(period_);
  for (std::size_t j = 0; j < ahead_.size(); ++j) {
    if (is_pushing(j)) {
      exert(j);
    } else {
      hardware_.follow(j, reference_[j], (ahead_[j] - reference_[j]) / period_s);
    }
  }
  std::copy(ahead_.begin(), ahead_.end(), reference_.begin());
}

void RobotMotion::exert(std::size_t joint) {
  for (Push& each : pushes_) {
    if (each.push.joint != joint) {
      continue;
    }
    if (each.push.change_rate) {
      const double most = *each.push.change_rate * to_seconds(period_);
      each.effort += std::clamp(each.push.effort - each.effort, -most, most);
    }
    hardware_.push(joint, each.effort);
  }
}

bool RobotMotion::is_standing() const {
  for (std::size_t j = 0; j < arm_.joint_count(); ++j) {
    if (std::abs(hardware_.joint(j).velocity) > kStanding_rad_s) {
      return false;
    }
  }
  return true;
}

void RobotMotion::after_step() {
  watch_load();
  if (measures_stop_) {
    const Vector3 p = arm_.pose(hardware_.positions()).translation();
    stop_distance_m_ += (p - last_p_).norm();
    last_p_ = p;
    measures_stop_ = !is_standing();
  }
  if (report_.state != MotionState::kMoving) {
    return;
  }
  if (is_braked_) {
    if (is_standing()) {
      is_stopping_ = false;
      report_ = {MotionState::kDone, ""};
    }
    return;
  }
  if (!is_stopping_ && !is_paused_ && along_ >= motion_.trajectory.end()) {
    watch_goal();
  }
}

MotionReport RobotMotion::report() const {
  return report_;
}

}  // namespace longarm::robots
