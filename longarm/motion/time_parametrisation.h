// SPDX-License-Identifier: Apache-2.0
// Puts time into a path: as fast as joint limits allow, stopping at corners.
#pragma once

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/motion/path.h"
#include "longarm/motion/speed_profile.h"
#include "longarm/motion/trajectory.h"

namespace longarm::motion {

struct TimingOptions {
  Duration period{10'000'000};     ///< between trajectory points
  Duration smoothing{50'000'000};  ///< acceleration along the path is averaged over this long
  double corner_rad = 1e-3;  ///< a waypoint where the joint-space tangent turns by more is a corner
};

/// The tree's velocity limits, and one acceleration for all joints (none is in a model).
MotionLimits motion_limits(const model::BodyTree& tree, double acceleration);

/// Starts and ends at rest, exactly at the first and last configuration; rests at each corner,
/// which falls on a trajectory point. Points carry positions and velocities, so the segments are
/// cubic, and those cubics, not only the points, keep the limits. Slower than the time optimum by
/// the smoothing per corner and a few per cent.
Result<Trajectory> time_parametrise(const JointPath& path, const MotionLimits& limits,
                                    const TimingOptions& options = {});

}  // namespace longarm::motion
