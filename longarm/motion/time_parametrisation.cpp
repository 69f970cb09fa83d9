// SPDX-License-Identifier: Apache-2.0
// Cuts a path at its corners, runs through each stretch at its speed profile, and slows down until
// the cubics obey.
#include "longarm/motion/time_parametrisation.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace longarm::motion {
namespace {

using Configurations = std::span<const std::vector<double>>;

std::optional<std::string> flaw(const JointPath& path, const MotionLimits& limits,
                                const TimingOptions& options) {
  if (path.configurations.empty()) {
    return "a path needs at least one configuration";
  }
  const std::size_t count = path.configurations.front().size();
  if (limits.velocity.size() != count || limits.acceleration.size() != count) {
    return fmt::format("limits for {} velocities and {} accelerations do not fit {} joints",
                       limits.velocity.size(), limits.acceleration.size(), count);
  }
  for (std::size_t j = 0; j < count; ++j) {
    if (!(limits.velocity[j] > 0.0) || !(limits.acceleration[j] > 0.0) ||
        !std::isfinite(limits.acceleration[j])) {
      return fmt::format("joint {} needs a positive velocity limit and a finite acceleration limit",
                         j);
    }
  }
  if (options.period <= Duration{0} || options.smoothing <= Duration{0}) {
    return "period and smoothing must be positive";
  }
  return std::nullopt;
}

bool is_corner(Configurations before, Configurations after, double corner_rad) {
  // A few configurations tell the slope at the waypoint; a stretch without length has none.
  const PathCurve in(before.last(std::min<std::size_t>(before.size(), 4)));
  const PathCurve out(after.first(std::min<std::size_t>(after.size(), 4)));
  if (in.length() <= 0.0 || out.length() <= 0.0) {
    return true;
  }
  const Eigen::VectorXd a = in.end_slope().normalized();
  const Eigen::VectorXd b = out.start_slope().normalized();
  return (a - b).norm() > corner_rad;
}

/// The stretches between corners; neighbours share the corner's configuration.
std::vector<Configurations> stretches(const JointPath& path, double corner_rad) {
  const Configurations all(path.configurations);
  std::vector<std::size_t> cuts{0};
  for (std::size_t w = 1; w + 1 < path.waypoints.size(); ++w) {
    const std::size_t at = path.waypoints[w];
    const std::size_t before = path.waypoints[w - 1];
    const std::size_t after = path.waypoints[w + 1];
    if (is_corner(all.subspan(before, at - before + 1), all.subspan(at, after - at + 1),
                  corner_rad)) {
      cuts.push_back(at);
    }
  }
  cuts.push_back(all.size() - 1);
  std::vector<Configurations> pieces;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    pieces.push_back(all.subspan(cuts[i], cuts[i + 1] - cuts[i] + 1));
  }
  return pieces;
}

/// Points of one stretch run in `count` periods, without the point it starts from.
std::vector<TrajectoryPoint> run(const PathCurve& curve, const SpeedProfile& profile, int count,
                                 const TimingOptions& options) {
  const double window_s = to_seconds(options.smoothing);
  const double natural_s = profile.duration_s() + window_s;
  const double pace = natural_s / (count * to_seconds(options.period));
  std::vector<TrajectoryPoint> points;
  PathCurve::Sample sample;
  for (int i = 1; i <= count; ++i) {
    const double time_s = natural_s * i / count;
    SpeedProfile::Progress progress = profile.averaged(time_s, window_s);
    if (i == count) {
      progress = {curve.length(), 0.0};
    }
    curve.sample(progress.s, sample);
    const Eigen::VectorXd velocity = sample.dq_ds * (progress.speed * pace);
    TrajectoryPoint point;
    point.time = i * options.period;
    point.positions.assign(sample.q.begin(), sample.q.end());
    point.velocities.assign(velocity.begin(), velocity.end());
    points.push_back(std::move(point));
  }
  return points;
}

/// How much slower one cubic would have to be to keep the limits of its joint; at most 1 means it
/// does.
double excess(double d, double v0, double v1, double T, double velocity, double acceleration) {
  const double a0 = (6.0 * d / T - 4.0 * v0 - 2.0 * v1) / T;
  const double a1 = (-6.0 * d / T + 2.0 * v0 + 4.0 * v1) / T;
  double fastest = std::max(std::abs(v0), std::abs(v1));
  if (a0 * a1 < 0.0) {
    fastest = std::max(fastest, std::abs(v0 + 0.5 * a0 * a0 * T / (a0 - a1)));
  }
  const double hardest = std::max(std::abs(a0), std::abs(a1));
  return std::max(fastest / velocity, std::sqrt(hardest / acceleration));
}

double excess(const TrajectoryPoint& start, const std::vector<TrajectoryPoint>& points,
              const MotionLimits& limits, double period_s) {
  double largest = 0.0;
  const TrajectoryPoint* from = &start;
  for (const TrajectoryPoint& to : points) {
    for (std::size_t j = 0; j < to.positions.size(); ++j) {
      largest = std::max(
          largest, excess(to.positions[j] - from->positions[j], from->velocities[j],
                          to.velocities[j], period_s, limits.velocity[j], limits.acceleration[j]));
    }
    from = &to;
  }
  return largest;
}

// 10 000 s at the usual 10 ms; more is a mistake in the limits, not a task
constexpr double kMostPoints = 1e6;

/// Adds the points of one stretch after the last point there is. False if they would be too many.
bool append(const PathCurve& curve, const MotionLimits& limits, const TimingOptions& options,
            std::vector<TrajectoryPoint>& points) {
  const SpeedProfile profile(curve, limits);
  const double period_s = to_seconds(options.period);
  const double natural_s = profile.duration_s() + to_seconds(options.smoothing);
  if (!(natural_s / period_s < kMostPoints)) {
    return false;
  }
  int count = static_cast<int>(std::ceil(natural_s / period_s));
  std::vector<TrajectoryPoint> added = run(curve, profile, count, options);
  // Cubics between sampled points overshoot a little where the acceleration changes.
  for (double slower = excess(points.back(), added, limits, period_s); slower > 1.0;
       slower = excess(points.back(), added, limits, period_s)) {
    if (!(count * slower < kMostPoints)) {
      return false;
    }
    count = std::max(count + 1, static_cast<int>(std::ceil(count * slower)));
    added = run(curve, profile, count, options);
  }
  const Duration start = points.back().time;
  for (TrajectoryPoint& point : added) {
    point.time += start;
    points.push_back(std::move(point));
  }
  return true;
}

}  // namespace

MotionLimits motion_limits(const model::BodyTree& tree, double acceleration) {
  MotionLimits limits;
  for (const model::TreeJoint& joint : tree.joints) {
    limits.velocity.push_back(joint.limits.velocity);
    limits.acceleration.push_back(acceleration);
  }
  return limits;
}

Result<Trajectory> time_parametrise(const JointPath& path, const MotionLimits& limits,
                                    const TimingOptions& options) {
  if (const auto found = flaw(path, limits, options)) {
    return Error{*found};
  }
  TrajectoryPoint start;
  start.positions = path.configurations.front();
  start.velocities.assign(start.positions.size(), 0.0);
  std::vector<TrajectoryPoint> points{start};
  for (const Configurations stretch : stretches(path, options.corner_rad)) {
    const PathCurve curve(stretch);
    if (curve.length() <= 0.0) {
      continue;
    }
    if (!append(curve, limits, options, points)) {
      return Error{fmt::format(
          "it would take more than {:.0f} s; the velocity or acceleration limits are too low",
          kMostPoints * to_seconds(options.period))};
    }
    points.back().positions = stretch.back();
  }
  return Trajectory::make(std::move(points));
}

}  // namespace longarm::motion
