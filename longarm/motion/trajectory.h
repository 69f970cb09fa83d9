// SPDX-License-Identifier: Apache-2.0
// Joint positions over time: timed points with polynomials between them, as joint trajectory
// controllers define them.
#pragma once

#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::motion {

/// Velocities, accelerations or both may be empty: unknown.
struct TrajectoryPoint {
  Duration time{0};  ///< from the start of the trajectory
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> accelerations;
};

/// Between two points: linear; cubic if both carry velocities; quintic if both carry velocities and
/// accelerations. Before the first point and after the last, the position is held with velocity and
/// acceleration zero.
class Trajectory {
 public:
  /// Where the last sample was found, so that the next one nearby costs no search. Any value is
  /// valid.
  struct Cursor {
    std::size_t segment = 0;
  };

  /// A trajectory of no joints that lasts no time.
  Trajectory() = default;

  /// Refuses no points at all, times that do not increase, unequal counts and numbers that are not
  /// finite.
  static Result<Trajectory> make(std::vector<TrajectoryPoint> points);

  int joint_count() const { return static_cast<int>(joint_count_); }
  const std::vector<TrajectoryPoint>& points() const { return points_; }
  Duration start() const { return points_.empty() ? Duration{0} : points_.front().time; }
  /// Time of the last point.
  Duration end() const { return points_.empty() ? Duration{0} : points_.back().time; }

  /// State at `t`; spans of joint_count() numbers, the last two may also be empty. Does not
  /// allocate.
  void sample(Duration t, std::span<double> positions, std::span<double> velocities,
              std::span<double> accelerations, Cursor& cursor) const;
  /// The same with a binary search each time.
  void sample(Duration t, std::span<double> positions, std::span<double> velocities = {},
              std::span<double> accelerations = {}) const;

 private:
  static constexpr std::size_t kTerms = 6;

  std::size_t find_segment(Duration t) const;
  void hold(const TrajectoryPoint& point, std::span<double> positions, std::span<double> velocities,
            std::span<double> accelerations) const;
  void add_segment(const TrajectoryPoint& from, const TrajectoryPoint& to);

  std::size_t joint_count_ = 0;
  std::vector<TrajectoryPoint> points_;
  std::vector<double>
      terms_;  ///< of powers 0 to 5 of the seconds into the segment, per segment and joint
};

}  // namespace longarm::motion
