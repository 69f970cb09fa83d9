// SPDX-License-Identifier: Apache-2.0
// Whether a timed trajectory, as it will be run, keeps clear of everything.
#pragma once

#include <optional>
#include <vector>

#include "longarm/motion/collision_checker.h"
#include "longarm/motion/trajectory.h"

namespace longarm::motion {

struct TimedCollision {
  Duration time{0};
  std::vector<double> positions;
  Collision collision;
};

/// The first moment found in collision, or nothing. No point of the arm moves further than the
/// resolution of `motion` between the moments looked at, beginning and end among them.
std::optional<TimedCollision> first_collision(const Trajectory& trajectory,
                                              const FreeMotion& motion);

}  // namespace longarm::motion
