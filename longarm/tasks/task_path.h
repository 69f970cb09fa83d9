// SPDX-License-Identifier: Apache-2.0
// The geometric path of a task, one function per kind. Internal to the folder.
#pragma once

#include "longarm/motion/path.h"
#include "longarm/tasks/task.h"

namespace longarm::tasks {

inline const model::BodyTree& tree_of(const PlanningContext& context) {
  return context.cell.placements[static_cast<std::size_t>(context.placement)].tree;
}

/// Kinds "cartesian", "joint" and "lemniscate", without a look at obstacles.
Result<motion::JointPath> unplanned_path(const TaskConfig& config, const PlanningContext& context);

/// Kind "rrt-connect".
Result<motion::JointPath> planned_path(const TaskConfig& config, const PlanningContext& context);

}  // namespace longarm::tasks
