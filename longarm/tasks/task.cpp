// SPDX-License-Identifier: Apache-2.0
// A path, time in it, and a last look whether it is free.
#include "longarm/tasks/task.h"

#include <algorithm>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/motion/kinematics.h"
#include "longarm/motion/time_parametrisation.h"
#include "longarm/motion/trajectory_check.h"
#include "longarm/tasks/task_path.h"

namespace longarm::tasks {
namespace {

motion::MotionLimits limits_of(const TaskConfig& config, const model::BodyTree& tree) {
  motion::MotionLimits limits =
      motion::motion_limits(tree, config.acceleration_limit_rad_s2.front());
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    const auto pick = [i](const std::vector<double>& values) {
      return values.size() == 1 ? values.front() : values[i];
    };
    limits.acceleration[i] = pick(config.acceleration_limit_rad_s2);
    if (!config.velocity_limit_rad_s.empty()) {
      limits.velocity[i] = std::min(limits.velocity[i], pick(config.velocity_limit_rad_s));
    }
  }
  return limits;
}

Result<Plan> plan_step(const TaskConfig& config) {
  Plan plan;
  plan.goal = config.joints_rad.back().values;
  Result<motion::Trajectory> point = motion::Trajectory::make({{Duration(0), plan.goal, {}, {}}});
  if (!point) {
    return point.error();
  }
  plan.trajectory = std::move(point).value();
  plan.end = config.hold;
  return plan;
}

/// What was planned around obstacles is looked at with the clearance it promised, everything else
/// just for overlaps.
std::optional<Error> collision_of(const motion::Trajectory& trajectory, const TaskConfig& config,
                                  const PlanningContext& context) {
  const bool is_planned = config.path == "rrt-connect";
  const bool has_obstacles = context.cell.placements.size() > 1;
  if (!is_planned && !(config.check_collisions && has_obstacles)) {
    return std::nullopt;
  }
  const motion::CellCollisionChecker checker(context.cell, context.placement,
                                             is_planned ? config.planner.clearance_m : 0.0,
                                             context.engines);
  const motion::FreeMotion motion(tree_of(context), checker, config.planner.resolution_m);
  const auto found = motion::first_collision(trajectory, motion);
  if (!found) {
    return std::nullopt;
  }
  const motion::Kinematics arm(tree_of(context));
  const model::Vector3 p = arm.position_of(context.end_effector_frame, found->positions);
  return Error{fmt::format("{:.3f} s after the start, with '{}' at ({:.3f}, {:.3f}, {:.3f}) m, {}",
                           to_seconds(found->time),
                           arm.frames()[static_cast<std::size_t>(context.end_effector_frame)].name,
                           p.x(), p.y(), p.z(), found->collision.text())};
}

/// The motion, if nothing is in its way, and a rest at its end.
Result<Plan> plan_along(Result<motion::Trajectory> trajectory, const TaskConfig& config,
                        const PlanningContext& context) {
  if (!trajectory) {
    return trajectory.error();
  }
  Plan plan;
  plan.trajectory = std::move(trajectory).value();
  if (const auto collision = collision_of(plan.trajectory, config, context)) {
    return *collision;
  }
  plan.goal = plan.trajectory.points().back().positions;
  plan.hold_start = plan.trajectory.end();
  plan.end = plan.hold_start + config.hold;
  return plan;
}

Result<Plan> plan_nothing(const TaskConfig& config, const PlanningContext& context) {
  Result<motion::Trajectory> trajectory =
      motion::Trajectory::make({{Duration(0), context.home_rad, {}, {}}});
  if (!trajectory) {
    return trajectory.error();
  }
  Plan plan;
  plan.trajectory = std::move(trajectory).value();
  plan.goal = context.home_rad;
  plan.end = config.hold;
  return plan;
}

}  // namespace

model::Pose pose_of(const std::vector<double>& xyz_rpy_deg) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  model::Pose pose = model::Pose::Identity();
  pose.translation() = model::Vector3(xyz_rpy_deg[0], xyz_rpy_deg[1], xyz_rpy_deg[2]);
  pose.linear() = (Eigen::AngleAxisd(xyz_rpy_deg[5] * kDegree, model::Vector3::UnitZ()) *
                   Eigen::AngleAxisd(xyz_rpy_deg[4] * kDegree, model::Vector3::UnitY()) *
                   Eigen::AngleAxisd(xyz_rpy_deg[3] * kDegree, model::Vector3::UnitX()))
                      .toRotationMatrix();
  return pose;
}

Result<Plan> plan_task(const TaskConfig& config, const PlanningContext& context) {
  if (config.path == "step") {
    return plan_step(config);
  }
  if (config.path == kTrajectory) {
    // timed already, and perhaps beyond what the limits of a plan allow: that is what it is for
    return plan_along(motion::Trajectory::make(config.points), config, context);
  }
  if (config.path == kGoals) {
    return plan_nothing(config, context);
  }
  const Result<motion::JointPath> path = config.path == "rrt-connect"
                                             ? planned_path(config, context)
                                             : unplanned_path(config, context);
  if (!path) {
    return path.error();
  }
  return plan_along(motion::time_parametrise(path.value(), limits_of(config, tree_of(context))),
                    config, context);
}

}  // namespace longarm::tasks
