// SPDX-License-Identifier: Apache-2.0
// Times joint and tool lines, and says where joints are on them.
#include "longarm/robots/ur/path.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;

// how far apart a straight line is looked at before it is driven
constexpr double kSurveyStep_m = 0.0025;
constexpr double kSurveyStep_rad = 0.01;
constexpr int kMostSurveySteps = 1000;
// two looks apart no joint turns so much unless the arm would have to fold over
constexpr double kLeap_rad = 0.5;
// speed at which the tool turns, where a line of the tool does not say
constexpr double kTurnSpeed_rad_s = 1.05;
constexpr double kTurnAcceleration_rad_s2 = 1.4;
// joints that must follow a line stay a little below their limit
constexpr double kSpeedShare = 0.95;

std::optional<Error> find_fault(const UrPace& pace) {
  const bool has_time = pace.time_s > 0.0;
  if (!std::isfinite(pace.time_s) || pace.time_s < 0.0) {
    return Error{"the time of a move must not be negative"};
  }
  if (!has_time && !(pace.speed > 0.0 && std::isfinite(pace.speed))) {
    return Error{"the speed of a move must be more than nothing"};
  }
  if (!has_time && !(pace.acceleration > 0.0 && std::isfinite(pace.acceleration))) {
    return Error{"the acceleration of a move must be more than nothing"};
  }
  return std::nullopt;
}

/// Of the share of a way, so that `speed` and `acceleration` are those of the whole.
UrTrapezoid share_profile(double way, const UrPace& pace) {
  if (pace.time_s > 0.0) {
    return UrTrapezoid::in_time(1.0, pace.time_s);
  }
  return UrTrapezoid(1.0, pace.speed / way, pace.acceleration / way);
}

/// Slower, so that `speed` and `acceleration` of the share are kept.
UrTrapezoid slowed(const UrTrapezoid& profile, double speed, double acceleration) {
  const double factor =
      std::max(profile.peak_speed() / speed, std::sqrt(profile.acceleration() / acceleration));
  if (factor <= 1.0) {
    return profile;
  }
  // the same shape in more time
  const double top = profile.peak_speed() / factor;
  return UrTrapezoid(1.0, top, profile.acceleration() / (factor * factor));
}

}  // namespace

UrTrapezoid::UrTrapezoid(double distance, double speed, double acceleration)
    : distance_(distance), acceleration_(acceleration) {
  if (!(distance > 0.0)) {
    distance_ = acceleration_ = 0.0;
    return;
  }
  ramp_s_ = speed / acceleration;
  if (ramp_s_ * speed >= distance) {
    ramp_s_ = std::sqrt(distance / acceleration);
    return;
  }
  cruise_s_ = (distance - ramp_s_ * speed) / speed;
}

UrTrapezoid UrTrapezoid::in_time(double distance, double time_s) {
  UrTrapezoid profile;
  profile.distance_ = distance;
  profile.ramp_s_ = profile.cruise_s_ = time_s / 3.0;
  // two thirds of the time at full speed cover the distance
  profile.acceleration_ = 1.5 * distance / time_s / profile.ramp_s_;
  return profile;
}

UrTrapezoid::Point UrTrapezoid::at(double time_s) const {
  if (time_s <= 0.0) {
    return {};
  }
  const double left_s = duration_s() - time_s;
  if (left_s <= 0.0) {
    return {distance_, 0.0, 0.0};
  }
  if (time_s < ramp_s_) {
    return {0.5 * acceleration_ * time_s * time_s, acceleration_ * time_s, acceleration_};
  }
  if (left_s < ramp_s_) {
    return {distance_ - 0.5 * acceleration_ * left_s * left_s, acceleration_ * left_s,
            -acceleration_};
  }
  const double speed = peak_speed();
  return {0.5 * speed * ramp_s_ + speed * (time_s - ramp_s_), speed, 0.0};
}

Result<UrPath> UrPath::joints(const Joints& from, const Joints& to, const UrPace& pace,
                              const UrLimits& limits) {
  if (const auto fault = find_fault(pace)) {
    return *fault;
  }
  Joints way{};
  for (std::size_t j = 0; j < way.size(); ++j) {
    if (!(to[j] >= limits.lower_rad[j] && to[j] <= limits.upper_rad[j])) {
      return Error{fmt::format("joint {} cannot be at {:.4g} rad", j, to[j])};
    }
    way[j] = to[j] - from[j];
  }
  UrPath path;
  path.start_ = from;
  path.goal_ = to;
  const double longest = largest(way);
  if (longest > 0.0) {
    const UrPace allowed{std::min(pace.speed, limits.speed_rad_s),
                         std::min(pace.acceleration, limits.acceleration_rad_s2), pace.time_s};
    path.profile_ = slowed(share_profile(longest, allowed), limits.speed_rad_s / longest,
                           limits.acceleration_rad_s2 / longest);
  }
  return path;
}

Result<UrPath> UrPath::tool(const Joints& from, const Pose& to, const UrPace& pace,
                            const UrLimits& limits, const UrKinematics& kinematics) {
  if (const auto fault = find_fault(pace)) {
    return *fault;
  }
  UrPath path;
  path.start_ = path.goal_ = from;
  path.line_ = Line{.X_start = kinematics.tool(from)};
  const Pose& start = path.line_->X_start;
  path.line_->way_m = to.translation() - start.translation();
  path.line_->turn_rad = rotation_vector(to.linear() * start.linear().transpose());
  const double way_m = path.line_->way_m.norm();
  const double turn_rad = path.line_->turn_rad.norm();
  if (way_m == 0.0 && turn_rad == 0.0) {
    return path;
  }
  if (way_m > 0.0) {
    path.profile_ = share_profile(way_m, pace);
  }
  if (turn_rad > 0.0) {
    // what is slower gives the time
    const UrTrapezoid turning =
        share_profile(turn_rad, {kTurnSpeed_rad_s, kTurnAcceleration_rad_s2, pace.time_s});
    if (turning.duration_s() > path.profile_.duration_s()) {
      path.profile_ = turning;
    }
  }
  const Result<double> steepest = path.survey(limits, kinematics);
  if (!steepest) {
    return steepest.error();
  }
  if (*steepest > 0.0) {
    path.profile_ = slowed(path.profile_, kSpeedShare * limits.speed_rad_s / *steepest,
                           limits.acceleration_rad_s2 / *steepest);
  }
  return path;
}

Pose UrPath::pose(double share) const {
  Pose X = line_->X_start;
  X.translation() += share * line_->way_m;
  X.linear() = rotation(share * line_->turn_rad) * line_->X_start.linear();
  return X;
}

Vector6 UrPath::velocity(double share_rate) const {
  const Vector3 v = share_rate * line_->way_m;
  const Vector3 w = share_rate * line_->turn_rad;
  return {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
}

Result<double> UrPath::survey(const UrLimits& limits, const UrKinematics& kinematics) {
  const double looks =
      std::max(line_->way_m.norm() / kSurveyStep_m, line_->turn_rad.norm() / kSurveyStep_rad);
  const int count = 1 + static_cast<int>(std::min<double>(looks, kMostSurveySteps));
  double steepest = 0.0;
  for (int i = 0; i <= count; ++i) {
    const double share = static_cast<double>(i) / count;
    const auto q = kinematics.nearest(pose(share), goal_, limits.lower_rad, limits.upper_rad);
    if (!q) {
      return Error{
          fmt::format("the line leaves the reach of the arm after {:.0f} % of it", 100.0 * share)};
    }
    Joints step{};
    for (std::size_t j = 0; j < step.size(); ++j) {
      step[j] = (*q)[j] - goal_[j];
    }
    const auto rates = kinematics.rates(*q, velocity(1.0), limits.smallest_singular_value);
    if (!rates || (i > 0 && largest(step) > kLeap_rad)) {
      return Error{
          fmt::format("the line comes too near to a singular configuration after {:.0f} % of it",
                      100.0 * share)};
    }
    steepest = std::max(steepest, largest(*rates));
    goal_ = *q;
  }
  return steepest;
}

std::optional<UrTarget> UrPath::at(double time_s, double rate, const Joints& near,
                                   const UrLimits& limits, const UrKinematics& kinematics) const {
  UrTarget target;
  if (time_s >= duration_s()) {
    target.q = goal_;
    return target;
  }
  const UrTrapezoid::Point point = profile_.at(time_s);
  if (!line_) {
    for (std::size_t j = 0; j < goal_.size(); ++j) {
      const double way = goal_[j] - start_[j];
      target.q[j] = start_[j] + point.distance * way;
      target.qd[j] = rate * point.speed * way;
      target.qdd[j] = rate * rate * point.acceleration * way;
    }
    return target;
  }
  const auto q = kinematics.nearest(pose(point.distance), near, limits.lower_rad, limits.upper_rad);
  const auto rates =
      q ? kinematics.rates(*q, velocity(rate * point.speed), limits.smallest_singular_value)
        : std::nullopt;
  if (!rates) {
    return std::nullopt;
  }
  target.q = *q;
  target.qd = *rates;
  return target;
}

}  // namespace longarm::robots
