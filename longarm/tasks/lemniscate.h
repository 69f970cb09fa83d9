// SPDX-License-Identifier: Apache-2.0
// Points on Bernoulli's lemniscate, the seeds' figure of eight.
#pragma once

#include <vector>

#include "longarm/model/shape.h"
#include "longarm/tasks/task.h"

namespace longarm::tasks {

/// rounds · points + 1 poses in the robot's base frame, from the tip at +x back to it, at equal
/// steps of the curve's usual parameter. With a half the width, each point (x, y) in the centre's
/// frame satisfies (x² + y²)² = a²·(x² − y²).
std::vector<model::Pose> lemniscate_poses(const LemniscateConfig& config);

}  // namespace longarm::tasks
