// SPDX-License-Identifier: Apache-2.0
// Rounds the corners of a polyline in joint space, so that the arm need not stop there.
#pragma once

#include "longarm/motion/collision_checker.h"
#include "longarm/motion/path.h"
#include "longarm/motion/planner.h"

namespace longarm::motion {

/// The path through a polyline with each corner v cut by the curve v − (1 − t)³·a + t³·b, where a
/// and b are pieces of the lines that meet there: tangent and curvature are continuous. A cut that
/// is not free is made smaller; where even a small one is not free, or the line turns back on
/// itself, the corner stays and is a waypoint of the result. Both ends are waypoints.
JointPath blend_corners(const Polyline& line, const FreeMotion& motion,
                        double max_joint_step = 0.01);

}  // namespace longarm::motion
