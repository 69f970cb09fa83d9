// SPDX-License-Identifier: Apache-2.0
// A plan as figures show it.
#pragma once

#include <optional>
#include <vector>

#include "longarm/record/path_figure.h"

namespace longarm::record {

/// Where the end effector should be, in the robot's base frame.
struct PlanGeometry {
  std::vector<Point3> path_m;
  std::vector<Point3> waypoints_m;
  std::optional<Point3> start_m;  ///< where the arm is at rest before
  std::optional<double> hold_start_s;
};

}  // namespace longarm::record
