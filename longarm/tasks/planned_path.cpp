// SPDX-License-Identifier: Apache-2.0
// From waypoint to waypoint around obstacles.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/hash.h"
#include "longarm/core/random.h"
#include "longarm/motion/corner_blend.h"
#include "longarm/motion/ik.h"
#include "longarm/motion/planner.h"
#include "longarm/tasks/lemniscate.h"
#include "longarm/tasks/task_path.h"

namespace longarm::tasks {
namespace {

using Configuration = std::vector<double>;

double furthest_joint(const Configuration& a, const Configuration& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i] - a[i]));
  }
  return largest;
}

/// Half a turn to each side of `from`, as far as limits allow.
Configuration random_start(const model::BodyTree& tree, const Configuration& from,
                           RandomStream& random) {
  Configuration start = from;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const model::TreeJoint& joint = tree.joints[i];
    const double reach = joint.type == model::JointType::kRevolute ? std::numbers::pi : 1.0;
    start[i] = random.uniform(std::max(joint.limits.lower, from[i] - reach),
                              std::min(joint.limits.upper, from[i] + reach));
  }
  return start;
}

/// Of the ways to reach a pose, the free one nearest to `from`; if none is free, any.
Result<Configuration> reach(const model::Pose& pose, const Configuration& from,
                            const PlanningContext& context, const motion::FreeMotion& motion) {
  constexpr int kTries = 40;
  motion::InverseKinematics ik(tree_of(context), context.end_effector_frame, {.max_restarts = 20});
  const Result<motion::IkSolution> first = ik.solve(pose, from);
  if (!first) {
    return first.error();
  }
  if (motion.checker().is_free(first->positions)) {
    return first->positions;
  }
  RandomStream random(1, "reach");
  std::optional<Configuration> nearest;
  for (int i = 0; i < kTries; ++i) {
    const Result<motion::IkSolution> other =
        ik.solve(pose, random_start(tree_of(context), from, random));
    if (!other || !motion.checker().is_free(other->positions)) {
      continue;
    }
    if (!nearest || furthest_joint(other->positions, from) < furthest_joint(*nearest, from)) {
      nearest = other->positions;
    }
  }
  return nearest ? *nearest : first->positions;
}

std::uint64_t seed_of(const TaskConfig& config, const PlanningContext& context) {
  const auto seed = static_cast<std::uint64_t>(config.planner.seed);
  return config.replan == "per-run" ? mix64(seed ^ mix64(context.run_number + 1)) : seed;
}

void append(motion::JointPath& path, const motion::JointPath& more) {
  const std::size_t offset = path.configurations.size() - 1;
  path.configurations.insert(path.configurations.end(), more.configurations.begin() + 1,
                             more.configurations.end());
  for (std::size_t i = 1; i < more.waypoints.size(); ++i) {
    path.waypoints.push_back(more.waypoints[i] + offset);
  }
}

}  // namespace

Result<motion::JointPath> planned_path(const TaskConfig& config, const PlanningContext& context) {
  const model::BodyTree& tree = tree_of(context);
  // between two looks nothing comes nearer than half the resolution allows
  const double margin_m = config.planner.clearance_m + 0.5 * config.planner.resolution_m;
  const motion::CellCollisionChecker checker(context.cell, context.placement, margin_m,
                                             context.engines);
  const motion::FreeMotion motion(tree, checker, config.planner.resolution_m);
  motion::PlannerOptions options;
  options.max_iterations = static_cast<int>(config.planner.max_iterations);

  motion::JointPath path{{context.home_rad}, {0}};
  const std::size_t count = std::max(config.poses_m_deg.size(), config.joints_rad.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Configuration from = path.configurations.back();
    const std::string origin = i == 0 ? "home" : fmt::format("waypoint {}", i);
    const Result<Configuration> to =
        config.poses_m_deg.empty() ? Result<Configuration>(config.joints_rad[i].values)
                                   : reach(pose_of(config.poses_m_deg[i]), from, context, motion);
    if (!to) {
      return Error{fmt::format("waypoint {}: {}", i + 1, to.error().message)};
    }
    options.seed = mix64(seed_of(config, context) + i);
    const Result<motion::Polyline> line = motion::plan_around(tree, motion, from, *to, options);
    if (!line) {
      return Error{fmt::format("from {} to waypoint {}: {}", origin, i + 1, line.error().message)};
    }
    append(path, motion::blend_corners(*line, motion));
  }
  return path;
}

}  // namespace longarm::tasks
