// SPDX-License-Identifier: Apache-2.0
// Trajectories as CSV: a column of times, and one per joint for positions and, if known, velocities
// and accelerations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/motion/trajectory.h"

namespace longarm::motion {

/// Points whose numbers are in the order of these joints.
struct NamedTrajectory {
  std::vector<std::string> joints;
  std::vector<TrajectoryPoint> points;
};

/// The header has time_s and, of each joint, position.NAME and perhaps velocity.NAME and
/// acceleration.NAME; other columns are ignored, so that trace.csv of a run will do. Errors name
/// the line. Times must rise, and are not negative.
Result<NamedTrajectory> read_trajectory_csv(std::string_view content);

/// The same back: times to the nanosecond, numbers that read back exactly.
std::string trajectory_csv(const NamedTrajectory& trajectory);

}  // namespace longarm::motion
