// SPDX-License-Identifier: Apache-2.0
// Walks along a trajectory in steps of equal motion rather than equal time.
#include "longarm/motion/trajectory_check.h"

#include <algorithm>
#include <utility>

namespace longarm::motion {
namespace {

// a segment may leave and come back: its ends alone tell little
constexpr Duration kLongestStep{1'000'000};

}  // namespace

std::optional<TimedCollision> first_collision(const Trajectory& trajectory,
                                              const FreeMotion& motion) {
  const ArmSweep& sweep = motion.sweep();
  std::vector<double> seen(static_cast<std::size_t>(trajectory.joint_count()));
  std::vector<double> q(seen.size());
  Duration t = trajectory.start();
  trajectory.sample(t, seen);
  if (auto collision = motion.checker().collision_at(seen)) {
    return TimedCollision{t, seen, *std::move(collision)};
  }
  for (const TrajectoryPoint& point : trajectory.points()) {
    while (t < point.time) {
      // as far as the next point, or less if that is too far from the last place looked at
      Duration step = std::min(point.time - t, kLongestStep);
      trajectory.sample(t + step, q);
      while (sweep.bound_m(seen, q) > motion.resolution_m() && step > Duration{1}) {
        step /= 2;
        trajectory.sample(t + step, q);
      }
      t += step;
      const bool has_moved = 2.0 * sweep.bound_m(seen, q) > motion.resolution_m();
      if (!has_moved && t != trajectory.end()) {
        continue;
      }
      if (auto collision = motion.checker().collision_at(q)) {
        return TimedCollision{t, q, *std::move(collision)};
      }
      std::swap(seen, q);
    }
  }
  return std::nullopt;
}

}  // namespace longarm::motion
