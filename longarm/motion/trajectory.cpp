// SPDX-License-Identifier: Apache-2.0
// Polynomial segments through timed points, worked out once and evaluated by Horner's rule.
#include "longarm/motion/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace longarm::motion {
namespace {

using Terms = std::array<double, 6>;

struct State {
  double p = 0.0;
  double v = 0.0;
  double a = 0.0;
};

Terms linear(const State& from, const State& to, double T) {
  return {from.p, (to.p - from.p) / T, 0.0, 0.0, 0.0, 0.0};
}

// Both splines follow from the end conditions; d is what the start velocity (and acceleration)
// leave undone.
Terms cubic(const State& from, const State& to, double T) {
  const double d = to.p - from.p;
  return {from.p,
          from.v,
          (3.0 * d - (2.0 * from.v + to.v) * T) / (T * T),
          (-2.0 * d + (from.v + to.v) * T) / (T * T * T),
          0.0,
          0.0};
}

Terms quintic(const State& from, const State& to, double T) {
  const double d = to.p - from.p;
  const double v0 = from.v * T;
  const double v1 = to.v * T;
  const double a0 = from.a * T * T;
  const double a1 = to.a * T * T;
  const double T3 = T * T * T;
  return {from.p,
          from.v,
          0.5 * from.a,
          (20.0 * d - 12.0 * v0 - 8.0 * v1 - 3.0 * a0 + a1) / (2.0 * T3),
          (-30.0 * d + 16.0 * v0 + 14.0 * v1 + 3.0 * a0 - 2.0 * a1) / (2.0 * T3 * T),
          (12.0 * d - 6.0 * v0 - 6.0 * v1 - a0 + a1) / (2.0 * T3 * T * T)};
}

std::optional<std::string> flaw(const std::vector<double>& numbers, std::string_view what,
                                std::size_t count, bool may_be_empty) {
  if (numbers.size() != count && !(may_be_empty && numbers.empty())) {
    return fmt::format("has {} {} instead of {}", numbers.size(), what, count);
  }
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) {
    return fmt::format("has {} that are not finite", what);
  }
  return std::nullopt;
}

std::optional<std::string> flaw(const TrajectoryPoint& point, std::size_t count) {
  if (auto found = flaw(point.positions, "positions", count, false)) {
    return found;
  }
  if (auto found = flaw(point.velocities, "velocities", count, true)) {
    return found;
  }
  return flaw(point.accelerations, "accelerations", count, true);
}

}  // namespace

Result<Trajectory> Trajectory::make(std::vector<TrajectoryPoint> points) {
  if (points.empty()) {
    return Error{"a trajectory needs at least one point"};
  }
  const std::size_t count = points.front().positions.size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto found = flaw(points[i], count)) {
      return Error{fmt::format("trajectory point {} {}", i, *found)};
    }
    if (i > 0 && points[i].time <= points[i - 1].time) {
      return Error{fmt::format("trajectory point {} is not later than the one before", i)};
    }
  }
  Trajectory made;
  made.joint_count_ = count;
  made.points_ = std::move(points);
  made.terms_.reserve((made.points_.size() - 1) * count * kTerms);
  for (std::size_t i = 0; i + 1 < made.points_.size(); ++i) {
    made.add_segment(made.points_[i], made.points_[i + 1]);
  }
  return made;
}

void Trajectory::add_segment(const TrajectoryPoint& from, const TrajectoryPoint& to) {
  const bool has_velocities = !from.velocities.empty() && !to.velocities.empty();
  const bool has_accelerations =
      has_velocities && !from.accelerations.empty() && !to.accelerations.empty();
  const double T = to_seconds(to.time - from.time);
  const auto state = [&](const TrajectoryPoint& point, std::size_t j) {
    return State{point.positions[j], has_velocities ? point.velocities[j] : 0.0,
                 has_accelerations ? point.accelerations[j] : 0.0};
  };
  for (std::size_t j = 0; j < joint_count_; ++j) {
    const State start = state(from, j);
    const State end = state(to, j);
    const Terms terms = has_accelerations ? quintic(start, end, T)
                        : has_velocities  ? cubic(start, end, T)
                                          : linear(start, end, T);
    terms_.insert(terms_.end(), terms.begin(), terms.end());
  }
}

std::size_t Trajectory::find_segment(Duration t) const {
  const auto later =
      std::upper_bound(points_.begin(), points_.end(), t,
                       [](Duration at, const TrajectoryPoint& point) { return at < point.time; });
  const auto index = static_cast<std::size_t>(later - points_.begin());
  return std::clamp<std::size_t>(index, 1, points_.size() - 1) - 1;
}

void Trajectory::hold(const TrajectoryPoint& point, std::span<double> positions,
                      std::span<double> velocities, std::span<double> accelerations) const {
  std::copy(point.positions.begin(), point.positions.end(), positions.begin());
  std::fill(velocities.begin(), velocities.end(), 0.0);
  std::fill(accelerations.begin(), accelerations.end(), 0.0);
}

void Trajectory::sample(Duration t, std::span<double> positions, std::span<double> velocities,
                        std::span<double> accelerations, Cursor& cursor) const {
  if (points_.empty()) {
    return;
  }
  if (points_.size() == 1 || t < start()) {
    return hold(points_.front(), positions, velocities, accelerations);
  }
  if (t > end()) {
    return hold(points_.back(), positions, velocities, accelerations);
  }
  const std::size_t last = points_.size() - 2;
  // Time mostly moves on a little: try the segment of the last sample, then the next one, before
  // searching.
  std::size_t k = std::min(cursor.segment, last);
  if (k < last && t >= points_[k + 1].time) {
    ++k;
  }
  if (t < points_[k].time || (k < last && t >= points_[k + 1].time)) {
    k = find_segment(t);
  }
  cursor.segment = k;
  const double x = to_seconds(t - points_[k].time);
  const double* c = &terms_[k * joint_count_ * kTerms];
  for (std::size_t j = 0; j < joint_count_; ++j, c += kTerms) {
    positions[j] = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    if (!velocities.empty()) {
      velocities[j] =
          c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * (4.0 * c[4] + x * 5.0 * c[5])));
    }
    if (!accelerations.empty()) {
      accelerations[j] = 2.0 * c[2] + x * (6.0 * c[3] + x * (12.0 * c[4] + x * 20.0 * c[5]));
    }
  }
}

void Trajectory::sample(Duration t, std::span<double> positions, std::span<double> velocities,
                        std::span<double> accelerations) const {
  Cursor cursor{points_.size() > 1 ? find_segment(t) : 0};
  sample(t, positions, velocities, accelerations, cursor);
}

}  // namespace longarm::motion
