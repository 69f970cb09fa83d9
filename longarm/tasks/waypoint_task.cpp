// SPDX-License-Identifier: Apache-2.0
// Poses to configurations, configurations to a path, the path to a timed trajectory.
#include "longarm/tasks/waypoint_task.h"

#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "longarm/motion/ik.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/path.h"
#include "longarm/motion/time_parametrisation.h"

namespace longarm::tasks {
namespace {

using Eigen::AngleAxisd;

model::Pose pose_of(const std::vector<double>& xyz_rpy_deg) {
  constexpr double kDegree = std::numbers::pi / 180.0;
  model::Pose pose = model::Pose::Identity();
  pose.translation() = model::Vector3(xyz_rpy_deg[0], xyz_rpy_deg[1], xyz_rpy_deg[2]);
  pose.linear() = (AngleAxisd(xyz_rpy_deg[5] * kDegree, model::Vector3::UnitZ()) *
                   AngleAxisd(xyz_rpy_deg[4] * kDegree, model::Vector3::UnitY()) *
                   AngleAxisd(xyz_rpy_deg[3] * kDegree, model::Vector3::UnitX()))
                      .toRotationMatrix();
  return pose;
}

motion::MotionLimits limits_of(const WaypointTaskConfig& config, const model::BodyTree& tree) {
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

Result<motion::JointPath> path_of(const WaypointTaskConfig& config, const model::BodyTree& tree,
                                  int end_effector_frame, const std::vector<double>& home_rad) {
  constexpr int kRestarts = 20;  // poses far apart may need another start
  motion::InverseKinematics ik(tree, end_effector_frame, {.max_restarts = kRestarts});
  if (!config.poses_m_deg.empty() && config.path == "cartesian") {
    std::vector<model::Pose> poses;
    for (const std::vector<double>& pose : config.poses_m_deg) {
      poses.push_back(pose_of(pose));
    }
    return motion::straight_in_space(ik, home_rad, poses);
  }

  // straight in the joints: through the configurations given, or those nearest to the poses
  std::vector<std::vector<double>> configurations{home_rad};
  configurations.insert(configurations.end(), config.joints_rad.begin(), config.joints_rad.end());
  for (const std::vector<double>& pose : config.poses_m_deg) {
    Result<motion::IkSolution> solution = ik.solve(pose_of(pose), configurations.back());
    if (!solution) {
      return Error{fmt::format("waypoint {}: {}", configurations.size(), solution.error().message)};
    }
    configurations.push_back(std::move(solution).value().positions);
  }
  return motion::straight_in_joints(configurations);
}

}  // namespace

void list_fields(Fields& fields, WaypointTaskConfig& config) {
  fields.choice("path", config.path, {"cartesian", "joint", "step"},
                "straight lines of the end effector, straight lines in joint space, or the last "
                "configuration at once");
  fields.field("poses_m_deg", config.poses_m_deg,
               "waypoints as [x, y, z, roll, pitch, yaw] of the end effector in the base frame");
  fields.field("joints_rad", config.joints_rad, "waypoints as joint positions, instead of poses");
  fields.field("velocity_limit_rad_s", config.velocity_limit_rad_s,
               "for the plan, per joint or one for all; default: the model's");
  fields.field("acceleration_limit_rad_s2", config.acceleration_limit_rad_s2,
               "for the plan, per joint or one for all");
  fields.field("hold", config.hold, "how long to stay at the last waypoint");
}

Result<Plan> plan_waypoints(const WaypointTaskConfig& config, const model::BodyTree& tree,
                            int end_effector_frame, const std::vector<double>& home_rad) {
  Plan plan;
  if (config.path == "step") {
    plan.goal = config.joints_rad.back();
    Result<motion::Trajectory> point = motion::Trajectory::make({{Duration(0), plan.goal, {}, {}}});
    if (!point) {
      return point.error();
    }
    plan.trajectory = std::move(point).value();
    plan.end = config.hold;
    return plan;
  }

  const Result<motion::JointPath> path = path_of(config, tree, end_effector_frame, home_rad);
  if (!path) {
    return path.error();
  }
  Result<motion::Trajectory> trajectory =
      motion::time_parametrise(path.value(), limits_of(config, tree));
  if (!trajectory) {
    return trajectory.error();
  }
  plan.trajectory = std::move(trajectory).value();
  plan.goal = plan.trajectory.points().back().positions;
  plan.hold_start = plan.trajectory.end();
  plan.end = plan.hold_start + config.hold;
  return plan;
}

}  // namespace longarm::tasks
