// SPDX-License-Identifier: Apache-2.0
// From lists with a number per driven joint to lists with one per joint of the tree. Internal to
// the folder.
#pragma once

#include <string>
#include <vector>

#include "longarm/actors/arm_config.h"
#include "longarm/cell/actor.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/joint_choice.h"

namespace longarm::actors {

/// `values`, none, one for all or one per driven joint, at their places among `count` joints;
/// `otherwise` at the others. Where all joints are driven, the list as it is.
template <typename T>
std::vector<T> spread(const std::vector<T>& values, const std::vector<int>& driven,
                      std::size_t count, const T& otherwise) {
  if (driven.size() == count || values.empty()) {
    return values;
  }
  std::vector<T> all(count, otherwise);
  for (std::size_t i = 0; i < driven.size(); ++i) {
    all[static_cast<std::size_t>(driven[i])] = values[values.size() == 1 ? 0 : i];
  }
  return all;
}

/// The waypoints of a task, one number per joint of the tree, from `home` on: joints that one does
/// not name stay where they were. Remarks on waypoints that do not fit the robot, or its limits.
std::vector<JointPositions> whole_waypoints(const tasks::TaskConfig& task,
                                            const model::BodyTree& tree,
                                            const std::vector<int>& driven,
                                            const std::vector<double>& home,
                                            std::vector<cell::KeyRemark>& remarks);

/// The points of a task's trajectory, with one number per joint of the tree: joints that it does
/// not have stay at `home`. It starts there: at time zero with its first point, or with one of ours
/// before it. Remarks, for the key task.trajectory, on points that do not fit the robot.
std::vector<motion::TrajectoryPoint> whole_points(const tasks::TaskConfig& task,
                                                  const model::BodyTree& tree,
                                                  const std::vector<int>& driven,
                                                  const std::vector<double>& home,
                                                  std::vector<cell::KeyRemark>& remarks);

/// Reads the file of a task's trajectory, if it has one, and has it kept with the run.
std::vector<cell::KeyRemark> load_trajectory(tasks::TaskConfig& task,
                                             const cell::LoadContext& context);

/// All lists of an arm, one number per joint of the tree. Joints without a drive have no gains, no
/// tolerances, and no limits beyond the model's.
ArmConfig whole_lists(const ArmConfig& config, const model::BodyTree& tree,
                      const std::vector<int>& driven, const std::vector<double>& home,
                      std::vector<cell::KeyRemark>& remarks);

}  // namespace longarm::actors
