// SPDX-License-Identifier: Apache-2.0
// The keys of a task and what may be wrong with their values.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/tasks/task.h"

namespace longarm::tasks {
namespace {

constexpr const char* kPoseHint = "a pose is [x, y, z, roll, pitch, yaw] in metres and degrees";

class Flaws {
 public:
  void add_if(bool is_wrong, std::string key, std::string message, std::string hint) {
    if (is_wrong) {
      all_.push_back({std::move(key), std::move(message), std::move(hint)});
    }
  }
  std::vector<TaskFlaw> take() { return std::move(all_); }

 private:
  std::vector<TaskFlaw> all_;
};

void check_waypoints(const TaskConfig& config, Flaws& flaws) {
  const bool has_poses = !config.poses_m_deg.empty();
  const bool has_joints = !config.joints_rad.empty();
  flaws.add_if(!has_poses && !has_joints, "task", "the task has no waypoints",
               "give task.poses_m_deg or task.joints_rad");
  flaws.add_if(has_poses && has_joints, "task.joints_rad",
               "waypoints are given both as poses and as joint positions",
               "keep task.poses_m_deg or task.joints_rad");
  flaws.add_if(config.path == "cartesian" && has_joints, "task.path",
               "a cartesian path needs waypoints as poses",
               "use task.poses_m_deg, or task.path: joint");
  flaws.add_if(config.path == "step" && has_poses, "task.path",
               "a step needs a goal as joint positions", "use task.joints_rad");
  for (std::size_t i = 0; i < config.poses_m_deg.size(); ++i) {
    const std::size_t count = config.poses_m_deg[i].size();
    flaws.add_if(count != 6, "task.poses_m_deg",
                 fmt::format("waypoint {} has {} numbers instead of 6", i + 1, count), kPoseHint);
  }
}

void check_lemniscate(const TaskConfig& config, Flaws& flaws) {
  const LemniscateConfig& curve = config.lemniscate;
  const bool has_waypoints = !config.poses_m_deg.empty() || !config.joints_rad.empty();
  flaws.add_if(has_waypoints, config.poses_m_deg.empty() ? "task.joints_rad" : "task.poses_m_deg",
               "a lemniscate has no waypoints of its own", "remove them, or change task.path");
  flaws.add_if(curve.centre_m_deg.empty(), "task", "the lemniscate has no centre",
               "give task.lemniscate.centre_m_deg");
  flaws.add_if(
      !curve.centre_m_deg.empty() && curve.centre_m_deg.size() != 6, "task.lemniscate.centre_m_deg",
      fmt::format("the centre has {} numbers instead of 6", curve.centre_m_deg.size()), kPoseHint);
  flaws.add_if(!(curve.width_m > 0.0), "task.lemniscate.width_m",
               "task.lemniscate.width_m must be positive", "for example: 0.4");
  constexpr std::int64_t kFewest = 8;
  constexpr std::int64_t kMost = 10'000;
  flaws.add_if(curve.points < kFewest || curve.points > kMost, "task.lemniscate.points",
               fmt::format("task.lemniscate.points must be from {} to {}", kFewest, kMost),
               "for example: 64");
  flaws.add_if(curve.rounds < 1 || curve.rounds > kMost, "task.lemniscate.rounds",
               fmt::format("task.lemniscate.rounds must be from 1 to {}", kMost), "for example: 1");
}

void check_trajectory(const TaskConfig& config, Flaws& flaws) {
  const bool has_waypoints = !config.poses_m_deg.empty() || !config.joints_rad.empty();
  flaws.add_if(has_waypoints, "task.path", "a trajectory from a file has no other waypoints",
               "remove task.poses_m_deg and task.joints_rad, or change task.path");
  flaws.add_if(config.trajectory.empty(), "task", "the task has no trajectory",
               "name its file with task.trajectory");
}

void check_planner(const TaskConfig& config, Flaws& flaws) {
  const PlannerConfig& planner = config.planner;
  constexpr std::int64_t kMost = 10'000'000;
  flaws.add_if(
      planner.max_iterations < 1 || planner.max_iterations > kMost, "task.planner.max_iterations",
      fmt::format("task.planner.max_iterations must be from 1 to {}", kMost), "for example: 10000");
  flaws.add_if(!(planner.clearance_m >= 0.0), "task.planner.clearance_m",
               "task.planner.clearance_m must not be negative", "use 0 or more");
  constexpr double kFinest_m = 1e-4;
  flaws.add_if(!(planner.resolution_m >= kFinest_m), "task.planner.resolution_m",
               fmt::format("task.planner.resolution_m must be at least {} m", kFinest_m),
               "for example: 0.005");
  flaws.add_if(config.replan == "per-run" && config.path != "rrt-connect", "task.replan",
               fmt::format("task.replan has no effect on a path of kind '{}'", config.path),
               "remove task.replan, or use task.path: rrt-connect");
}

void check_limits(const TaskConfig& config, Flaws& flaws) {
  for (const auto& [key, values] :
       {std::pair{"task.acceleration_limit_rad_s2", &config.acceleration_limit_rad_s2},
        std::pair{"task.velocity_limit_rad_s", &config.velocity_limit_rad_s}}) {
    flaws.add_if(std::any_of(values->begin(), values->end(), [](double x) { return x <= 0.0; }),
                 key, std::string(key) + " must be positive", "for example: 1.5");
  }
  flaws.add_if(config.acceleration_limit_rad_s2.empty(), "task.acceleration_limit_rad_s2",
               "task.acceleration_limit_rad_s2 is empty", "for example: 1.5");
}

}  // namespace

void list_fields(Fields& fields, TaskConfig& config) {
  fields.choice("path", config.path,
                {"cartesian", "joint", "rrt-connect", "lemniscate", "step", kTrajectory, kGoals},
                "straight lines of the end effector, straight lines in joint space, a path planned "
                "around obstacles, a figure of eight, a step to the last configuration, the points "
                "of a file, or what clients of an actor of kind ros ask for");
  fields.field("poses_m_deg", config.poses_m_deg,
               "waypoints as [x, y, z, roll, pitch, yaw] of the end effector in the base frame");
  fields.field("joints_rad", config.joints_rad,
               "waypoints as joint positions instead of poses: lists, or by name, `{elbow: "
               "30deg}`, which leaves the other joints unchanged");
  fields.field("trajectory", config.trajectory,
               "for path: trajectory: a CSV file with columns time_s, position.JOINT and perhaps "
               "velocity.JOINT and acceleration.JOINT, as `longarm bag --plan` writes it");
  fields.section("lemniscate", "for path: lemniscate", [&](Fields& f) {
    f.field("centre_m_deg", config.lemniscate.centre_m_deg,
            "pose of the crossing; the lobes lie along its x axis, in its x-y plane");
    f.field("width_m", config.lemniscate.width_m, "width from tip to tip");
    f.field("points", config.lemniscate.points, "waypoints on the curve per round");
    f.field("rounds", config.lemniscate.rounds, "number of rounds");
  });
  fields.section("planner", "for path: rrt-connect", [&](Fields& f) {
    f.field("seed", config.planner.seed,
            "random seed of the planner, independent of the run's seed");
    f.field("max_iterations", config.planner.max_iterations,
            "random configurations tried per waypoint before giving up");
    f.field("clearance_m", config.planner.clearance_m,
            "least distance to obstacles; plus half of resolution_m while planning");
    f.field("resolution_m", config.planner.resolution_m,
            "largest motion of any point of the arm between two collision checks; for every path");
  });
  fields.choice("replan", config.replan, {"shared", "per-run"},
                "whether runs that are compared share one plan, or each run plans anew");
  fields.field("check_collisions", config.check_collisions,
               "reject paths that collide, unless they are planned around obstacles");
  fields.field("velocity_limit_rad_s", config.velocity_limit_rad_s,
               "velocity limit of the plan, per joint or one for all; default: the model's");
  fields.field("acceleration_limit_rad_s2", config.acceleration_limit_rad_s2,
               "acceleration limit of the plan, per joint or one for all");
  fields.field("hold", config.hold, "how long to hold the last waypoint");
}

std::vector<TaskFlaw> find_flaws(const TaskConfig& config) {
  Flaws flaws;
  if (config.path == "lemniscate") {
    check_lemniscate(config, flaws);
  } else if (config.path == kTrajectory) {
    check_trajectory(config, flaws);
  } else if (config.path == kGoals) {
    const bool has_waypoints = !config.poses_m_deg.empty() || !config.joints_rad.empty();
    flaws.add_if(has_waypoints, "task.path", "an arm that waits for goals has no waypoints",
                 "remove task.poses_m_deg and task.joints_rad, or change task.path");
  } else {
    check_waypoints(config, flaws);
  }
  flaws.add_if(config.path != kTrajectory && !config.trajectory.empty(), "task.trajectory",
               fmt::format("task.trajectory has no effect on a path of kind '{}'", config.path),
               "remove it, or use task.path: trajectory");
  check_planner(config, flaws);
  flaws.add_if(config.path == "step" && config.hold == Duration(0), "task.hold",
               "a step needs a hold", "set task.hold, for example 10s");
  check_limits(config, flaws);
  return flaws.take();
}

}  // namespace longarm::tasks
