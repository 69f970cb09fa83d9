// SPDX-License-Identifier: Apache-2.0
// Times lines of joints, lines and circles of the tool, and says where they are at a time.
#include "longarm/robots/ur/path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
// nearer places of a circle are the same one; and straighter, it is a line
constexpr double kLeastArc_m = 1e-6;
constexpr double kLeastBend = 1e-9;

std::optional<Error> find_fault(const UrPace& pace) {
  const bool has_time = pace.time_s > 0.0;
  if (!std::isfinite(pace.time_s) || pace.time_s < 0.0) {
    return Error{"the time of a move must not be negative"};
  }
  if (!has_time && !(pace.speed > 0.0 && std::isfinite(pace.speed))) {
    return Error{"the speed of a move must be greater than zero"};
  }
  if (!has_time && !(pace.acceleration > 0.0 && std::isfinite(pace.acceleration))) {
    return Error{"the acceleration of a move must be greater than zero"};
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
    : distance_(distance), speed_(speed), acceleration_(acceleration) {
  if (!(distance > 0.0)) {
    distance_ = acceleration_ = 0.0;
    return;
  }
  double ramp_s = speed / acceleration;
  if (ramp_s * speed >= distance) {
    ramp_s = std::sqrt(distance / acceleration);
  } else {
    cruise_s_ = (distance - ramp_s * speed) / speed;
  }
  up_s_ = down_s_ = ramp_s;
  peak_ = ramp_s * acceleration;
  duration_s_ = 2.0 * ramp_s + cruise_s_;
}

UrTrapezoid UrTrapezoid::in_time(double distance, double time_s) {
  UrTrapezoid profile;
  profile.distance_ = distance;
  profile.up_s_ = profile.cruise_s_ = profile.down_s_ = time_s / 3.0;
  // two thirds of the time at full speed cover the distance
  profile.acceleration_ = 1.5 * distance / time_s / profile.up_s_;
  profile.speed_ = profile.peak_ = profile.up_s_ * profile.acceleration_;
  profile.duration_s_ = 2.0 * profile.up_s_ + profile.cruise_s_;
  return profile;
}

UrTrapezoid UrTrapezoid::coasting(double distance, double time_s) {
  UrTrapezoid profile;
  profile.distance_ = profile.tail_distance_ = distance;
  profile.tail_speed_ = profile.speed_ = profile.peak_ = 2.0 * distance / time_s;
  profile.acceleration_ = profile.tail_speed_ / time_s;
  profile.tail_s_ = profile.duration_s_ = time_s;
  return profile;
}

UrTrapezoid UrTrapezoid::with(const Ends& ends) const {
  UrTrapezoid out;
  out.distance_ = distance_;
  out.speed_ = speed_;
  out.acceleration_ = acceleration_;
  const double a = acceleration_;
  double& v0 = out.head_speed_;
  double& v1 = out.tail_speed_;
  out.tail_distance_ = ends.tail_distance;
  v1 = std::min(speed_, std::sqrt(a * ends.tail_distance));
  out.head_s_ = ends.head_s;
  if (ends.head_s > 0.0) {
    // no faster than what can slow down to v1 in what is left: v0² = v1² + 2a·(left − v0·head/2)
    const double half = 0.5 * a * ends.head_s;
    const double left = std::max(0.0, distance_ - ends.tail_distance);
    v0 = std::min({speed_, 2.0 * ends.head_distance / ends.head_s, a * ends.head_s,
                   std::sqrt(half * half + v1 * v1 + 2.0 * a * left) - half});
  }
  const double between = std::max(0.0, distance_ - 0.5 * v0 * ends.head_s - ends.tail_distance);
  v1 = std::min(v1, std::sqrt(v0 * v0 + 2.0 * a * between));
  out.peak_ =
      std::max({v0, v1, std::min(speed_, std::sqrt(a * between + 0.5 * (v0 * v0 + v1 * v1)))});
  out.up_s_ = (out.peak_ - v0) / a;
  out.down_s_ = (out.peak_ - v1) / a;
  const double ramps = 0.5 * (out.peak_ + v0) * out.up_s_ + 0.5 * (out.peak_ + v1) * out.down_s_;
  out.cruise_s_ = std::max(0.0, between - ramps) / out.peak_;
  out.tail_s_ = ends.tail_distance > 0.0 ? 2.0 * ends.tail_distance / v1 : 0.0;
  out.duration_s_ = out.head_s_ + out.up_s_ + out.cruise_s_ + out.down_s_ + out.tail_s_;
  return out;
}

UrTrapezoid::Point UrTrapezoid::at(double time_s) const {
  if (time_s <= 0.0) {
    return {};
  }
  const double left_s = duration_s_ - time_s;
  if (left_s <= 0.0) {
    return {distance_, 0.0, 0.0};
  }
  if (time_s < head_s_) {
    const double slope = head_speed_ / head_s_;
    return {0.5 * slope * time_s * time_s, slope * time_s, slope};
  }
  if (left_s < tail_s_) {
    const double slope = tail_speed_ / tail_s_;
    return {distance_ - 0.5 * slope * left_s * left_s, slope * left_s, -slope};
  }
  const double up_s = time_s - head_s_;
  const double begun = 0.5 * head_speed_ * head_s_;
  if (up_s < up_s_) {
    return {begun + head_speed_ * up_s + 0.5 * acceleration_ * up_s * up_s,
            head_speed_ + acceleration_ * up_s, acceleration_};
  }
  const double down_s = left_s - tail_s_;
  if (down_s < down_s_) {
    return {
        distance_ - tail_distance_ - tail_speed_ * down_s - 0.5 * acceleration_ * down_s * down_s,
        tail_speed_ + acceleration_ * down_s, -acceleration_};
  }
  return {begun + 0.5 * (head_speed_ + peak_) * up_s_ + peak_ * (up_s - up_s_), peak_, 0.0};
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
  Curve line{.X_start = kinematics.tool(from)};
  line.way_m = to.translation() - line.X_start.translation();
  line.length_m = line.way_m.norm();
  line.turn_rad = rotation_vector(to.linear() * line.X_start.linear().transpose());
  return along(from, line, pace, limits, kinematics);
}

Result<UrPath> UrPath::arc(const Joints& from, const Arc& arc, const UrPace& pace,
                           const UrLimits& limits, const UrKinematics& kinematics) {
  Curve curve{.X_start = kinematics.tool(from)};
  const Vector3 p = curve.X_start.translation();
  const Vector3 a = arc.via.translation() - p;
  const Vector3 b = arc.to.translation() - p;
  if (!(a.norm() > kLeastArc_m && b.norm() > kLeastArc_m && (b - a).norm() > kLeastArc_m)) {
    return Error{
        "a circle needs three different points: the tool, pose_via and pose_to; two of them "
        "coincide"};
  }
  const Vector3 normal = a.cross(b);
  if (normal.norm() < kLeastBend * a.norm() * b.norm()) {
    if (a.dot(b) < 0.0 || a.norm() > b.norm()) {
      return Error{"no circle passes through the tool, pose_via and pose_to: they are on a line"};
    }
    return tool(from, arc.to, pace, limits, kinematics);
  }
  curve.axis = normal.normalized();
  const Vector3 to_centre =
      (a.squaredNorm() * b - b.squaredNorm() * a).cross(normal) * 0.5 / normal.squaredNorm();
  curve.centre_m = p + to_centre;
  // from the start over via to the end, the axis being so that via comes first
  const Vector3 x = -to_centre;
  const Vector3 y = curve.axis.cross(x);
  const Vector3 end = b - to_centre;
  const double angle = std::atan2(end.dot(y), end.dot(x));
  curve.angle_rad = angle > 0.0 ? angle : angle + 2.0 * std::numbers::pi;
  const double radius_m = to_centre.norm();
  curve.length_m = radius_m * curve.angle_rad;
  curve.turn_rad = arc.turns_with_circle
                       ? Vector3(curve.axis * curve.angle_rad)
                       : rotation_vector(arc.to.linear() * curve.X_start.linear().transpose());
  // no faster than its acceleration allows round the bend
  UrPace slower = pace;
  slower.speed = std::min(pace.speed, std::sqrt(pace.acceleration * radius_m));
  return along(from, curve, slower, limits, kinematics);
}

Result<UrPath> UrPath::coasting(const Joints& from, const Vector6& velocity, double time_s,
                                const UrLimits& limits, const UrKinematics& kinematics) {
  UrPath path;
  path.start_ = path.goal_ = from;
  path.curve_ = Curve{.X_start = kinematics.tool(from)};
  path.curve_->way_m = 0.5 * time_s * Vector3(velocity[0], velocity[1], velocity[2]);
  path.curve_->turn_rad = 0.5 * time_s * Vector3(velocity[3], velocity[4], velocity[5]);
  path.curve_->length_m = path.curve_->way_m.norm();
  path.survey(limits, kinematics);
  if (!path.blocked_.empty()) {
    return Error{path.blocked_};
  }
  path.profile_ = UrTrapezoid::coasting(1.0, time_s);
  return path;
}

Result<UrPath> UrPath::along(const Joints& from, const Curve& curve, const UrPace& pace,
                             const UrLimits& limits, const UrKinematics& kinematics) {
  if (const auto fault = find_fault(pace)) {
    return *fault;
  }
  UrPath path;
  path.start_ = path.goal_ = from;
  path.curve_ = curve;
  const double turn_rad = curve.turn_rad.norm();
  if (curve.length_m == 0.0 && turn_rad == 0.0) {
    return path;
  }
  if (curve.length_m > 0.0) {
    path.profile_ = share_profile(curve.length_m, pace);
  }
  if (turn_rad > 0.0) {
    // what is slower gives the time
    const UrTrapezoid turning =
        share_profile(turn_rad, {kTurnSpeed_rad_s, kTurnAcceleration_rad_s2, pace.time_s});
    if (turning.duration_s() > path.profile_.duration_s()) {
      path.profile_ = turning;
    }
  }
  const double steepest = path.survey(limits, kinematics);
  if (steepest > 0.0 && path.blocked_.empty()) {
    const double fastest = kSpeedShare * limits.speed_rad_s / steepest;
    path.profile_ = slowed(path.profile_, fastest, limits.acceleration_rad_s2 / steepest);
    path.profile_.never_exceed(fastest);
  }
  return path;
}

Pose UrPath::pose(double share) const {
  Pose X = curve_->X_start;
  if (curve_->angle_rad == 0.0) {
    X.translation() += share * curve_->way_m;
  } else {
    const Vector3 spoke = X.translation() - curve_->centre_m;
    X.translation() = curve_->centre_m + rotation(share * curve_->angle_rad * curve_->axis) * spoke;
  }
  X.linear() = rotation(share * curve_->turn_rad) * curve_->X_start.linear();
  return X;
}

Vector6 UrPath::velocity(double share, double share_rate) const {
  Vector3 v = share_rate * curve_->way_m;
  if (curve_->angle_rad != 0.0) {
    const Vector3 spoke = pose(share).translation() - curve_->centre_m;
    v = share_rate * curve_->angle_rad * curve_->axis.cross(spoke);
  }
  const Vector3 w = share_rate * curve_->turn_rad;
  return {v.x(), v.y(), v.z(), w.x(), w.y(), w.z()};
}

double UrPath::survey(const UrLimits& limits, const UrKinematics& kinematics) {
  const double looks =
      std::max(curve_->length_m / kSurveyStep_m, curve_->turn_rad.norm() / kSurveyStep_rad);
  const int count = 1 + static_cast<int>(std::min<double>(looks, kMostSurveySteps));
  double steepest = 0.0;
  for (int i = 0; i <= count; ++i) {
    const double share = static_cast<double>(i) / count;
    const auto q = kinematics.nearest(pose(share), goal_, limits.lower_rad, limits.upper_rad);
    Joints step{};
    for (std::size_t j = 0; q && j < step.size(); ++j) {
      step[j] = (*q)[j] - goal_[j];
    }
    const auto rates =
        q ? kinematics.rates(*q, velocity(share, 1.0), limits.smallest_singular_value)
          : std::nullopt;
    if (!rates || (i > 0 && largest(step) > kLeap_rad)) {
      blocked_ = fmt::format(
          "the line {} after {:.0f} % of it",
          q ? "comes too near to a singular configuration" : "leaves the reach of the arm",
          100.0 * share);
      blocked_share_ = std::max(0.0, static_cast<double>(i - 1) / count);
      return steepest;
    }
    steepest = std::max(steepest, largest(*rates));
    goal_ = *q;
  }
  return steepest;
}

Vector3 UrPath::position_at(double share, const UrKinematics& kinematics) const {
  if (curve_) {
    return pose(share).translation();
  }
  Joints q = start_;
  for (std::size_t j = 0; j < q.size(); ++j) {
    q[j] += share * (goal_[j] - start_[j]);
  }
  return kinematics.tool(q).translation();
}

/// Looks for the first place beyond the radius, then closer at where the way leaves it.
template <typename ShareOf>
double UrPath::share_near(const Vector3& point, double radius_m, const UrKinematics& kinematics,
                          const ShareOf& share_of) const {
  constexpr int kLooks = 100;
  constexpr int kHalvings = 50;
  const auto is_near = [&](double along) {
    return (position_at(share_of(along), kinematics) - point).norm() <= radius_m;
  };
  for (int i = 1; i <= kLooks; ++i) {
    double outside = static_cast<double>(i) / kLooks;
    if (is_near(outside)) {
      continue;
    }
    double inside = static_cast<double>(i - 1) / kLooks;
    for (int k = 0; k < kHalvings; ++k) {
      const double middle = 0.5 * (inside + outside);
      (is_near(middle) ? inside : outside) = middle;
    }
    return inside;
  }
  return 1.0;
}

double UrPath::share_near_start(double radius_m, const UrKinematics& kinematics) const {
  return share_near(position_at(0.0, kinematics), radius_m, kinematics,
                    [](double along) { return along; });
}

double UrPath::share_near_end(double radius_m, const UrKinematics& kinematics) const {
  return share_near(position_at(1.0, kinematics), radius_m, kinematics,
                    [](double along) { return 1.0 - along; });
}

UrTarget UrPath::joints_at(double time_s, double rate) const {
  UrTarget target;
  if (time_s >= duration_s()) {
    target.q = goal_;
    return target;
  }
  const UrTrapezoid::Point point = profile_.at(time_s);
  for (std::size_t j = 0; j < goal_.size(); ++j) {
    const double way = goal_[j] - start_[j];
    target.q[j] = start_[j] + point.distance * way;
    target.qd[j] = rate * point.speed * way;
    target.qdd[j] = rate * rate * point.acceleration * way;
  }
  return target;
}

UrToolTarget UrPath::tool_at(double time_s, double rate) const {
  if (time_s >= duration_s()) {
    return {pose(1.0), {}};
  }
  const UrTrapezoid::Point point = profile_.at(time_s);
  return {pose(point.distance), velocity(point.distance, rate * point.speed)};
}

bool UrPath::is_blocked_at(double time_s) const {
  return !blocked_.empty() && profile_.at(time_s).distance >= blocked_share_;
}

}  // namespace longarm::robots
