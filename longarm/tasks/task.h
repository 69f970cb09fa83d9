// SPDX-License-Identifier: Apache-2.0
// What an arm is asked to do, and the plan that comes of it: one motion from where it stands, then
// hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/result.h"
#include "longarm/model/cell.h"
#include "longarm/motion/trajectory.h"
#include "longarm/motion/trajectory_file.h"
#include "longarm/physics/engine.h"

namespace longarm::tasks {

/// [x, y, z, roll, pitch, yaw] in metres and degrees, as users write poses: turned about the fixed
/// x, then y, then z axis.
model::Pose pose_of(const std::vector<double>& xyz_rpy_deg);

/// A figure of eight in the plane of its centre's x and y axes: Bernoulli's lemniscate, two lobes
/// along x. The tool keeps the orientation of the centre.
struct LemniscateConfig {
  std::vector<double> centre_m_deg;  ///< x y z roll pitch yaw in the robot's base frame
  double width_m = 0.4;              ///< from tip to tip
  std::int64_t points = 64;          ///< put on the curve, per round
  std::int64_t rounds = 1;
};

struct PlannerConfig {
  std::int64_t seed = 1;  ///< not the run's, so that runs that are compared share one plan
  std::int64_t max_iterations = 10'000;
  double clearance_m = 0.01;    ///< kept from everything but the arm itself
  double resolution_m = 0.005;  ///< no point of the arm moves further between two looks
};

/// A path that is no plan: whoever sends goals says where to go.
inline constexpr const char* kGoals = "goals";
/// A plan that is in a file already.
inline constexpr const char* kTrajectory = "trajectory";

struct TaskConfig {
  /// "cartesian": straight lines of the end effector; "joint": straight lines in joint space;
  /// "rrt-connect": planned around obstacles; "lemniscate"; "step": the last configuration is asked
  /// for at once; "trajectory": as a file says; "goals": it stands where it is.
  std::string path = "cartesian";
  std::vector<std::vector<double>> poses_m_deg;  ///< x y z roll pitch yaw in the robot's base frame
  /// Configurations, instead of poses; plan_task() wants all joints of the tree, without names.
  std::vector<JointPositions> joints_rad;
  std::string trajectory;                       ///< a file
  motion::NamedTrajectory timed;                ///< what is in it; no key
  std::vector<motion::TrajectoryPoint> points;  ///< plan_task() wants them of all joints; no key
  LemniscateConfig lemniscate;
  PlannerConfig planner;
  /// "shared": the plan depends on the task alone; "per-run": every run has another one, as if each
  /// were planned afresh by a planner without a seed.
  std::string replan = "shared";
  bool check_collisions = true;              ///< of plans made without looking at obstacles
  std::vector<double> velocity_limit_rad_s;  ///< per joint; empty: the model's
  std::vector<double> acceleration_limit_rad_s2{10.0};
  Duration hold{2'000'000'000};
};
void list_fields(Fields& fields, TaskConfig& config);

/// Something wrong with a task whatever the robot is.
struct TaskFlaw {
  std::string key;  ///< where, e.g. "task.path"
  std::string message;
  std::string hint;
};
std::vector<TaskFlaw> find_flaws(const TaskConfig& config);

/// What the arm is to do, from time zero.
struct Plan {
  motion::Trajectory trajectory;
  Duration hold_start{0};  ///< when the last waypoint is reached
  Duration end{0};         ///< after the final hold
  std::vector<double> goal;
};

/// Where a task is planned. Borrows cell and engines.
struct PlanningContext {
  const model::Cell& cell;
  int placement = 0;           ///< the arm
  int end_effector_frame = 0;  ///< of the arm's tree
  std::vector<double> home_rad;
  const physics::EngineRegistry& engines;  ///< asked about collisions: mujoco, whatever will run
  std::uint64_t run_number = 0;  ///< different for every run; counts with `replan: per-run` only
};

/// The error says what fails and why; a plan in collision is told by time, place and the two
/// bodies. `config` has no flaws and its lists fit the arm.
Result<Plan> plan_task(const TaskConfig& config, const PlanningContext& context);

}  // namespace longarm::tasks
