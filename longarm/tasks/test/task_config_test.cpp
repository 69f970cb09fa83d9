// SPDX-License-Identifier: Apache-2.0
// Tests what is wrong with tasks, word by word.
#include <gtest/gtest.h>

#include "longarm/tasks/task.h"

namespace longarm::tasks {
namespace {

std::string text_of(const std::vector<TaskFlaw>& flaws) {
  std::string text;
  for (const TaskFlaw& flaw : flaws) {
    text += flaw.key + ": " + flaw.message + " (" + flaw.hint + ")\n";
  }
  return text;
}

TaskConfig lemniscate() {
  TaskConfig config;
  config.path = "lemniscate";
  config.lemniscate.centre_m_deg = {0.5, 0, 0.3, 180, 0, -90};
  return config;
}

TaskConfig joint_path() {
  TaskConfig config;
  config.path = "joint";
  config.joints_rad = {{{1.0}}};
  return config;
}

TEST(TaskConfig, HasNoFlawsWhereThereAreNone) {
  EXPECT_EQ(text_of(find_flaws(lemniscate())), "");
  EXPECT_EQ(text_of(find_flaws(joint_path())), "");
}

TEST(TaskConfig, NeedsWaypoints) {
  EXPECT_EQ(text_of(find_flaws(TaskConfig{})),
            "task: the task has no waypoints (give task.poses_m_deg or task.joints_rad)\n");
}

TEST(TaskConfig, ALemniscateHasNoWaypointsButACentre) {
  TaskConfig config = joint_path();
  config.path = "lemniscate";
  EXPECT_EQ(text_of(find_flaws(config)),
            "task.joints_rad: a lemniscate has no waypoints of its own (remove them, or change "
            "task.path)\n"
            "task: the lemniscate has no centre (give task.lemniscate.centre_m_deg)\n");
}

TEST(TaskConfig, ALemniscateHasAWidthPointsAndRounds) {
  TaskConfig config = lemniscate();
  config.lemniscate.centre_m_deg = {1, 2, 3};
  config.lemniscate.width_m = 0.0;
  config.lemniscate.points = 7;
  config.lemniscate.rounds = 0;
  EXPECT_EQ(text_of(find_flaws(config)),
            "task.lemniscate.centre_m_deg: the centre has 3 numbers instead of 6 (a pose is [x, y, "
            "z, roll, pitch, yaw] in metres and degrees)\n"
            "task.lemniscate.width_m: task.lemniscate.width_m must be positive (for example: 0.4)\n"
            "task.lemniscate.points: task.lemniscate.points must be from 8 to 10000 (for example: "
            "64)\n"
            "task.lemniscate.rounds: task.lemniscate.rounds must be from 1 to 10000 (for example: "
            "1)\n");
}

TEST(TaskConfig, ThePlannersNumbersMakeSense) {
  TaskConfig config = joint_path();
  config.path = "rrt-connect";
  config.planner.max_iterations = 0;
  config.planner.clearance_m = -0.01;
  config.planner.resolution_m = 0.0;
  EXPECT_EQ(
      text_of(find_flaws(config)),
      "task.planner.max_iterations: task.planner.max_iterations must be from 1 to 10000000 (for "
      "example: 10000)\n"
      "task.planner.clearance_m: task.planner.clearance_m must not be negative (use 0 or more)\n"
      "task.planner.resolution_m: task.planner.resolution_m must be at least 0.0001 m (for "
      "example: 0.005)\n");
}

TEST(TaskConfig, ReplanningNeedsAPlanner) {
  TaskConfig config = joint_path();
  config.replan = "per-run";
  EXPECT_EQ(text_of(find_flaws(config)),
            "task.replan: task.replan has no effect on a path of kind 'joint' (remove task.replan, "
            "or use task.path: rrt-connect)\n");
}

}  // namespace
}  // namespace longarm::tasks
