// SPDX-License-Identifier: Apache-2.0
// Finds a way around obstacles: RRTConnect, the same way for the same seed, however often and in
// however many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/motion/collision_checker.h"

namespace longarm::motion {

/// Configurations to be joined by straight lines in joint space.
using Polyline = std::vector<std::vector<double>>;

struct PlannerOptions {
  std::uint64_t seed = 1;
  int max_iterations = 10'000;  ///< random configurations drawn; there is no limit of time
  double range = 0.5;           ///< longest new branch of a tree, rad (or m) over all joints
  int shortcut_rounds = 150;    ///< random shortcuts tried on the way that was found
};

/// From `start` to `goal` without collision, shortened. Searched is where each joint stays within
/// its limits and within half a turn (or one metre) beyond start and goal. The error says which
/// bodies block the start or the goal, or that no way was found.
Result<Polyline> plan_around(const model::BodyTree& tree, const FreeMotion& motion,
                             std::span<const double> start, std::span<const double> goal,
                             const PlannerOptions& options = {});

/// Replaces random stretches by straight lines where these are free, then drops every configuration
/// that is not needed. Never makes the line longer.
void shorten(Polyline& line, const FreeMotion& motion, std::uint64_t seed, int rounds);

}  // namespace longarm::motion
