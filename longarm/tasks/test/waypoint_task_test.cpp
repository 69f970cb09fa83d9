// SPDX-License-Identifier: Apache-2.0
// Tests of plans for a two-joint arm in a plane, where the geometry is plain.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/tasks/task.h"

namespace longarm::tasks {
namespace {

using namespace std::chrono_literals;

/// A sliding table: joint 0 moves along x, joint 1 along y, so that joint space is the plane
/// itself.
model::BodyTree table() {
  model::BodyTree tree;
  tree.bodies.resize(3);
  tree.bodies[0].name = "base";
  for (int i = 0; i < 2; ++i) {
    model::TreeJoint joint;
    joint.name = i == 0 ? "x" : "y";
    joint.type = model::JointType::kPrismatic;
    joint.parent_body = i;
    joint.axis = i == 0 ? model::Vector3::UnitX() : model::Vector3::UnitY();
    joint.limits.velocity = 1.0;
    tree.joints.push_back(joint);
  }
  tree.frames.push_back({"tip", 2, model::Pose::Identity()});
  return tree;
}

Result<Plan> plan(const TaskConfig& config) {
  model::Cell cell;
  cell.placements.push_back({"table", table(), model::Pose::Identity(), true, {}});
  const physics::EngineRegistry engines = physics::built_in_engines();
  return plan_task(config, {cell, 0, 0, {0.0, 0.0}, engines, 0});
}

// 1 m at no more than 1 m/s and 2 m/s²: half a second up, half a second down, half a second in
// between: 1.5 s at best. The smoothing of the acceleration adds a little.
TEST(WaypointTask, TakesLittleLongerThanTheTrapezoid) {
  TaskConfig config;
  config.path = "joint";
  config.joints_rad = {{{1.0, 0.0}}};
  config.acceleration_limit_rad_s2 = {2.0};
  const Result<Plan> planned = plan(config);
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_GE(planned->hold_start, Duration(1500ms));
  EXPECT_LE(planned->hold_start, Duration(1700ms));
  EXPECT_EQ(planned->end, planned->hold_start + Duration(2s));
  EXPECT_EQ(planned->goal, (std::vector<double>{1.0, 0.0}));
}

TEST(WaypointTask, RespectsAPlanSlowerThanTheModel) {
  TaskConfig config;
  config.path = "joint";
  config.joints_rad = {{{1.0, 0.5}}};
  config.velocity_limit_rad_s = {0.25};
  const Result<Plan> planned = plan(config);
  ASSERT_TRUE(planned) << planned.error().message;
  double fastest = 0.0;
  std::vector<double> q(2);
  std::vector<double> v(2);
  for (Duration t{0}; t < planned->end; t += 1ms) {
    planned->trajectory.sample(t, q, v);
    fastest = std::max({fastest, std::abs(v[0]), std::abs(v[1])});
    EXPECT_NEAR(q[1], q[0] / 2.0, 1e-4);  // straight
  }
  EXPECT_LE(fastest, 0.2525);
  EXPECT_GE(fastest, 0.24);
}

TEST(WaypointTask, AStepAsksForTheGoalAtOnce) {
  TaskConfig config;
  config.path = "step";
  config.joints_rad = {{{0.3, 0.4}}};
  config.hold = 5s;
  const Result<Plan> planned = plan(config);
  ASSERT_TRUE(planned);
  std::vector<double> q(2);
  planned->trajectory.sample(Duration(0), q);
  EXPECT_EQ(q, (std::vector<double>{0.3, 0.4}));
  EXPECT_EQ(planned->hold_start, Duration(0));
  EXPECT_EQ(planned->end, Duration(5s));
}

}  // namespace
}  // namespace longarm::tasks
