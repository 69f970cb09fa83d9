// SPDX-License-Identifier: Apache-2.0
// How far a point is from a planned curve in space, cheap enough to ask every millisecond.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/trajectory.h"

namespace longarm::motion {

/// A polyline with a tree of boxes over its segments.
class PlannedCurve {
 public:
  /// Where the nearest segment was last time; any value is valid, a good one saves time.
  struct Cursor {
    std::size_t segment = 0;
    std::size_t measured = 0;  ///< how many segments the last answer took
  };

  /// At least one point. Points that lie within `tolerance_m` of the straight line between kept
  /// ones are dropped. A curve that goes over itself again, round after round, is searched as one
  /// round: what is within the tolerance of an earlier part is left out of the tree.
  explicit PlannedCurve(std::span<const Vector3> points, double tolerance_m = 1e-6);

  /// The distance to the nearest point of the whole polyline, whatever the cursor: the true
  /// minimum, or up to the tolerance more where rounds were left out. Does not
  /// allocate.
  double distance(const Vector3& p, Cursor& cursor) const;
  double distance(const Vector3& p) const;

  /// The polyline, with all its rounds.
  const std::vector<Vector3>& points() const { return points_; }
  /// How many of its segments are searched.
  std::size_t segment_count() const { return segments_.size(); }

 private:
  struct Segment {
    Vector3 a;
    Vector3 b;
  };
  struct Box {
    Vector3 low;
    Vector3 high;
  };

  /// An empty tree for so many segments.
  void plant(std::size_t count);
  void insert(std::size_t slot, const Segment& segment);
  std::vector<Segment> without_repetitions(double tolerance_m);
  static void sort_by_place(std::span<Segment> segments, std::size_t room);
  /// The cursor is where the curve was near itself the last time, and moves on.
  bool is_repeated(const Vector3& a, const Vector3& b, double tolerance_m, Cursor& cursor) const;
  double squared_distance(const Vector3& p, std::size_t segment) const;
  void search(const Vector3& p, double& best, Cursor& cursor) const;

  std::vector<Vector3> points_;
  std::vector<Segment> segments_;
  std::vector<Box> boxes_;  ///< a complete binary tree; node n has children 2n + 1 and 2n + 2
  std::size_t first_leaf_ = 0;
};

/// The curve of a frame, in the root body's axes, while `trajectory` is followed exactly.
PlannedCurve planned_curve(const Trajectory& trajectory, const Kinematics& kinematics, int frame,
                           Duration period = Duration{1'000'000});

}  // namespace longarm::motion
