// SPDX-License-Identifier: Apache-2.0
// Straight lines and the lemniscate.
#include <utility>

#include <fmt/format.h>

#include "longarm/motion/ik.h"
#include "longarm/tasks/lemniscate.h"
#include "longarm/tasks/task_path.h"

namespace longarm::tasks {
namespace {

constexpr int kRestarts = 20;  ///< of inverse kinematics: poses far apart may need another start

Result<motion::JointPath> straight_in_space(const TaskConfig& config, motion::InverseKinematics& ik,
                                            const PlanningContext& context) {
  std::vector<model::Pose> poses;
  for (const std::vector<double>& pose : config.poses_m_deg) {
    poses.push_back(pose_of(pose));
  }
  return motion::straight_in_space(ik, context.home_rad, poses);
}

/// Through the configurations given, or those nearest to the poses.
Result<motion::JointPath> straight_in_joints(const TaskConfig& config,
                                             motion::InverseKinematics& ik,
                                             const PlanningContext& context) {
  std::vector<std::vector<double>> configurations{context.home_rad};
  for (const JointPositions& waypoint : config.joints_rad) {
    configurations.push_back(waypoint.values);
  }
  for (const std::vector<double>& pose : config.poses_m_deg) {
    Result<motion::IkSolution> solution = ik.solve(pose_of(pose), configurations.back());
    if (!solution) {
      return Error{fmt::format("waypoint {}: {}", configurations.size(), solution.error().message)};
    }
    configurations.push_back(std::move(solution).value().positions);
  }
  return motion::straight_in_joints(configurations);
}

/// Straight to the tip, a rest there, then round without another.
Result<motion::JointPath> along_lemniscate(const TaskConfig& config, motion::InverseKinematics& ik,
                                           const PlanningContext& context) {
  const std::vector<model::Pose> poses = lemniscate_poses(config.lemniscate);
  Result<motion::JointPath> path =
      motion::straight_in_space(ik, context.home_rad, std::span(poses).first(1));
  if (!path) {
    return Error{"on the way to the lemniscate: " + path.error().message};
  }
  motion::JointPath whole = std::move(path).value();
  const std::vector<double> tip = whole.configurations.back();
  const Result<motion::JointPath> round =
      motion::curve_in_space(ik, tip, std::span(poses).subspan(1));
  if (!round) {
    return Error{"on the lemniscate: " + round.error().message};
  }
  whole.configurations.insert(whole.configurations.end(), round->configurations.begin() + 1,
                              round->configurations.end());
  whole.waypoints.push_back(whole.configurations.size() - 1);
  return whole;
}

}  // namespace

Result<motion::JointPath> unplanned_path(const TaskConfig& config, const PlanningContext& context) {
  motion::InverseKinematics ik(tree_of(context), context.end_effector_frame,
                               {.max_restarts = kRestarts});
  if (config.path == "lemniscate") {
    return along_lemniscate(config, ik, context);
  }
  return config.path == "cartesian" ? straight_in_space(config, ik, context)
                                    : straight_in_joints(config, ik, context);
}

}  // namespace longarm::tasks
