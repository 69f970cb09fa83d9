// SPDX-License-Identifier: Apache-2.0
// The former names of a task, until nobody uses them any more.
#pragma once

#include "longarm/tasks/task.h"

namespace longarm::tasks {

using WaypointTaskConfig = TaskConfig;

inline Result<Plan> plan_waypoints(const TaskConfig& config, const model::BodyTree& tree,
                                   int end_effector_frame, const std::vector<double>& home_rad) {
  model::Cell cell;
  cell.placements.push_back({"robot", tree, model::Pose::Identity(), true, {}});
  const physics::EngineRegistry engines = physics::built_in_engines();
  return plan_task(config, {cell, 0, end_effector_frame, home_rad, engines, 0});
}

}  // namespace longarm::tasks
