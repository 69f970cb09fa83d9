// SPDX-License-Identifier: Apache-2.0
// When a motion is done, and when it has failed.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/robots/arm/robot_motion.h"

namespace longarm::robots {
namespace {

double angle_between(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

// the tip of an impact is no overload
constexpr Duration kOverloadedFor{10'000'000};
// what pressed when a fault was cleared may press so much harder before that is one again
constexpr double kClearedLoad = 2.0;
// it has let go when it presses less for so long: what was squeezed swings
constexpr Duration kEasedFor{100'000'000};

}  // namespace

/// Pressing against something with all that the drives can do breaks what is pressed, or the wrist.
void RobotMotion::watch_load() {
  const double force_N = hardware_.wrench_B().force_W.norm();
  const double bearable_N = std::max(config_.overload_N, kClearedLoad * force_N);
  eased_for_ = bearable_N < allowed_N_ ? eased_for_ + period_ : Duration{0};
  allowed_N_ = eased_for_ >= kEasedFor ? bearable_N : allowed_N_;
  overloaded_for_ = force_N > allowed_N_ ? overloaded_for_ + period_ : Duration{0};
  if (overloaded_for_ < kOverloadedFor || !overload_.empty() || is_locked_) {
    return;
  }
  overload_ = fmt::format("overload at the wrist: {:.0f} N, and at most {:g} N are allowed",
                          force_N, allowed_N_);
  overload_N_ = force_N;
  next_.reset();
  is_stopping_ = false;
  brake();
  fail(overload_);
}

void RobotMotion::clear_overload() {
  if (!overload_.empty()) {
    overload_.clear();
    overloaded_for_ = Duration{0};
    eased_for_ = Duration{0};
    const double force_N = std::max(overload_N_, hardware_.wrench_B().force_W.norm());
    allowed_N_ = std::max(config_.overload_N, kClearedLoad * force_N);
  }
}

void RobotMotion::watch_goal() {
  const std::string missing = shortfall();
  overdue_for_ += period_;
  within_for_ = missing.empty() ? within_for_ + period_ : Duration{0};
  if (within_for_ >= config_.settle) {
    report_ = {MotionState::kDone, ""};
  } else if (overdue_for_ >= config_.goal_timeout) {
    fail(missing.empty() ? "the arm does not come to rest" : missing);
  }
}

/// How far from its goal the arm stands, in words; empty: near enough.
std::string RobotMotion::shortfall() const {
  const std::vector<double> q = hardware_.positions();
  for (const JointCheck& check : motion_.goal.joints) {
    const double off = std::abs(q[check.joint] - check.position);
    if (!(off <= check.tolerance) && !is_pushing(check.joint)) {
      const char* unit = unit_of(arm_.joint_models()[check.joint]);
      return fmt::format("joint {} stands {:.4g} {} from its goal, more than {:.4g} {}",
                         check.joint + 1, off, unit, check.tolerance, unit);
    }
  }
  if (!motion_.goal.X_BT) {
    return "";
  }
  const GoalTolerance& t = motion_.goal.tolerance;
  const Pose X_GT = motion_.goal.X_BT->inverse() * arm_.pose(q);
  const Vector3 off = X_GT.translation().cwiseAbs();
  const double x_off = angle_between(X_GT.linear().col(0), Vector3::UnitX());
  const double z_off = angle_between(X_GT.linear().col(2), Vector3::UnitZ());
  const bool is_there = off.x() <= t.x_m.value_or(config_.tolerance_m) &&
                        off.y() <= t.y_m.value_or(config_.tolerance_m) &&
                        off.z() <= t.z_m.value_or(config_.tolerance_m) &&
                        x_off <= t.x_axis_rad.value_or(config_.tolerance_rad) &&
                        z_off <= t.z_axis_rad.value_or(config_.tolerance_rad);
  return is_there
             ? ""
             : fmt::format("the controlled point stands {:.3f} mm and {:.2f}° from its goal",
                           1e3 * X_GT.translation().norm(), std::max(x_off, z_off) * 180.0 / M_PI);
}

void RobotMotion::fail(std::string why) {
  report_ = {MotionState::kFailed, std::move(why)};
}

}  // namespace longarm::robots
