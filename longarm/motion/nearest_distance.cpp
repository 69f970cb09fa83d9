// SPDX-License-Identifier: Apache-2.0
// Nearest segment by a tree of boxes over consecutive segments, starting from the segment that was
// nearest before.
#include "longarm/motion/nearest_distance.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "longarm/core/check.h"

namespace longarm::motion {
namespace {

constexpr std::size_t kSegmentsPerLeaf = 4;
constexpr std::size_t kLongestRun = 64;  ///< points replaced by one segment at most
constexpr double kShortest = 1e-3;       ///< of the tolerance: so short a piece is not halved

double squared_distance_to_segment(const Vector3& p, const Vector3& a, const Vector3& b) {
  const Vector3 along = b - a;
  const Vector3 offset = p - a;
  const double length_squared = along.squaredNorm();
  if (length_squared == 0.0) {
    return offset.squaredNorm();
  }
  const double fraction = std::clamp(offset.dot(along) / length_squared, 0.0, 1.0);
  return (offset - fraction * along).squaredNorm();
}

/// Whether one straight line can stand for all the points between two of them.
bool is_straight(std::span<const Vector3> run, double tolerance_m) {
  return std::all_of(run.begin(), run.end(), [&](const Vector3& p) {
    return squared_distance_to_segment(p, run.front(), run.back()) <= tolerance_m * tolerance_m;
  });
}

std::vector<Vector3> simplified(std::span<const Vector3> points, double tolerance_m) {
  std::vector<Vector3> kept{points.front()};
  std::size_t start = 0;
  while (start + 1 < points.size()) {
    std::size_t end = start + 1;
    while (end + 1 < points.size() && end - start < kLongestRun &&
           is_straight(points.subspan(start, end - start + 2), tolerance_m)) {
      ++end;
    }
    kept.push_back(points[end]);
    start = end;
  }
  return kept;
}

}  // namespace

PlannedCurve::PlannedCurve(std::span<const Vector3> points, double tolerance_m) {
  check(!points.empty(), "a planned curve needs a point");
  points_ = simplified(points, tolerance_m);
  if (points_.size() == 1) {
    points_.push_back(points_.front());
  }
  std::vector<Segment> kept = without_repetitions(tolerance_m);
  plant(kept.size());
  if (kept.size() + 1 < points_.size()) {
    // What is left of later rounds lies scattered: leaves of neighbours in space are better.
    sort_by_place(kept, (first_leaf_ + 1) * kSegmentsPerLeaf);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    insert(i, kept[i]);
  }
}

void PlannedCurve::plant(std::size_t count) {
  const std::size_t leaves = std::bit_ceil((count + kSegmentsPerLeaf - 1) / kSegmentsPerLeaf);
  const Vector3 far = Vector3::Constant(std::numeric_limits<double>::infinity());
  const Vector3 nowhere = Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
  first_leaf_ = leaves - 1;
  boxes_.assign(2 * leaves - 1, Box{far, -far});
  segments_.assign(count, Segment{nowhere, nowhere});
}

void PlannedCurve::insert(std::size_t slot, const Segment& segment) {
  segments_[slot] = segment;
  const Vector3 low = segment.a.cwiseMin(segment.b);
  const Vector3 high = segment.a.cwiseMax(segment.b);
  // one more than the node, so that halving leads to the parent and ends at the root
  for (std::size_t above = first_leaf_ + slot / kSegmentsPerLeaf + 1; above > 0; above /= 2) {
    Box& box = boxes_[above - 1];
    box = {box.low.cwiseMin(low), box.high.cwiseMax(high)};
  }
}

std::vector<PlannedCurve::Segment> PlannedCurve::without_repetitions(double tolerance_m) {
  plant(points_.size() - 1);
  std::vector<Segment> kept{{points_[0], points_[1]}};
  // The newest segment waits: its own end must not make the next one look like a repetition.
  std::size_t newest = 0;
  Cursor cursor;
  for (std::size_t i = 1; i + 1 < points_.size(); ++i) {
    if (!is_repeated(points_[i], points_[i + 1], tolerance_m, cursor)) {
      insert(newest, kept.back());
      newest = i;
      kept.push_back({points_[i], points_[i + 1]});
    }
  }
  return kept;
}

void PlannedCurve::sort_by_place(std::span<Segment> segments, std::size_t room) {
  while (room > kSegmentsPerLeaf && segments.size() <= room / 2) {
    room /= 2;
  }
  if (room <= kSegmentsPerLeaf) {
    return;
  }
  Box box{segments.front().a, segments.front().a};
  for (const Segment& segment : segments) {
    box = {box.low.cwiseMin(segment.a), box.high.cwiseMax(segment.a)};
  }
  Eigen::Index axis = 0;
  (box.high - box.low).maxCoeff(&axis);
  const auto middle = segments.begin() + static_cast<std::ptrdiff_t>(room / 2);
  std::nth_element(segments.begin(), middle, segments.end(),
                   [&](const Segment& one, const Segment& other) {
                     return one.a[axis] + one.b[axis] < other.a[axis] + other.b[axis];
                   });
  sort_by_place(segments.first(room / 2), room / 2);
  sort_by_place(segments.subspan(room / 2), room / 2);
}

bool PlannedCurve::is_repeated(const Vector3& a, const Vector3& b, double tolerance_m,
                               Cursor& cursor) const {
  const double limit = tolerance_m * tolerance_m;
  // What is near both ends is near all between them, as a segment and its surroundings are convex.
  const auto is_near = [&](const Vector3& p, std::size_t segment) {
    return squared_distance(p, segment) < limit;
  };
  // A further round follows the segments of an earlier one, and passes its corners on the way.
  const std::size_t here = cursor.segment;
  const std::size_t next = std::min(here + 1, segments_.size() - 1);
  if (is_near(a, here) && is_near(b, here)) {
    return true;
  }
  if (is_near(b, next) &&
      (is_near(a, next) ||
       (is_near(a, here) && squared_distance_to_segment(segments_[next].a, a, b) < limit &&
        segments_[here].b == segments_[next].a))) {
    cursor.segment = next;
    return true;
  }
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    double best = limit;
    search(one, best, cursor);
    if (best >= limit) {
      return false;
    }
    if (squared_distance(other, cursor.segment) <= limit) {
      return true;
    }
  }
  // The ends are near different segments: so are the halves, or it leads from branch to branch.
  if ((b - a).squaredNorm() <= kShortest * kShortest * limit) {
    return true;
  }
  const Vector3 middle = 0.5 * (a + b);
  return is_repeated(a, middle, tolerance_m, cursor) && is_repeated(middle, b, tolerance_m, cursor);
}

double PlannedCurve::squared_distance(const Vector3& p, std::size_t segment) const {
  return squared_distance_to_segment(p, segments_[segment].a, segments_[segment].b);
}

void PlannedCurve::search(const Vector3& p, double& best, Cursor& cursor) const {
  const auto to_box = [&](std::size_t node) {
    const Box& box = boxes_[node];
    return (box.low - p).cwiseMax(p - box.high).cwiseMax(0.0).squaredNorm();
  };
  // Rounding must not hide a segment that is nearer by less than it.
  constexpr double kSlack = 1.0 + 1e-12;
  std::array<std::size_t, 64> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    const std::size_t node = waiting[--count];
    if (to_box(node) >= best * kSlack) {
      continue;
    }
    if (node < first_leaf_) {
      waiting[count++] = 2 * node + 1;
      waiting[count++] = 2 * node + 2;
      continue;
    }
    const std::size_t first = (node - first_leaf_) * kSegmentsPerLeaf;
    const std::size_t last = std::min(first + kSegmentsPerLeaf, segments_.size());
    cursor.measured += last - first;
    for (std::size_t i = first; i < last; ++i) {
      const double squared = squared_distance(p, i);
      if (squared < best) {
        best = squared;
        cursor.segment = i;
      }
    }
  }
}

double PlannedCurve::distance(const Vector3& p, Cursor& cursor) const {
  cursor.segment = std::min(cursor.segment, segments_.size() - 1);
  cursor.measured = 1;
  double best = squared_distance(p, cursor.segment);
  search(p, best, cursor);
  return std::sqrt(best);
}

double PlannedCurve::distance(const Vector3& p) const {
  Cursor cursor;
  return distance(p, cursor);
}

PlannedCurve planned_curve(const Trajectory& trajectory, const Kinematics& kinematics, int frame,
                           Duration period) {
  check(trajectory.joint_count() == kinematics.joint_count(), "a trajectory moves all joints");
  std::vector<Vector3> points;
  std::vector<double> q(static_cast<std::size_t>(trajectory.joint_count()));
  Trajectory::Cursor cursor;
  for (Duration t = trajectory.start();; t = std::min(t + period, trajectory.end())) {
    trajectory.sample(t, q, {}, {}, cursor);
    points.push_back(kinematics.position_of(frame, q));
    if (t == trajectory.end()) {
      break;
    }
  }
  return PlannedCurve(points);
}

}  // namespace longarm::motion
