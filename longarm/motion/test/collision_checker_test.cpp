// SPDX-License-Identifier: Apache-2.0
// Tests of margins, bounds of motion, corners that are cut and trajectories that are looked at, all
// with known geometry.
#include "longarm/motion/collision_checker.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/motion/corner_blend.h"
#include "longarm/motion/grown_cell.h"
#include "longarm/motion/test/obstacle_cell.h"
#include "longarm/motion/test/ur5.h"
#include "longarm/motion/trajectory_check.h"

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;
using test::at;
using test::obstacle;

model::Cell ball_and(const model::Placement& thing) {
  model::Cell cell;
  cell.placements = {test::sliding_ball(), thing};
  return cell;
}

/// Where the ball, coming along x from −2 m, is stopped: by bisection to a micrometre.
double first_touch(const model::Cell& cell, double margin_m, const std::string& engine) {
  const CellCollisionChecker checker(cell, 0, margin_m, physics::built_in_engines(), engine);
  double free = -1.9;
  double blocked = 1.0;
  EXPECT_TRUE(checker.is_free(std::vector{free, 0.0}));
  EXPECT_FALSE(checker.is_free(std::vector{blocked, 0.0}));
  while (blocked - free > 1e-6) {
    const double middle = 0.5 * (free + blocked);
    (checker.is_free(std::vector{middle, 0.0}) ? free : blocked) = middle;
  }
  return free;
}

class Margin : public testing::TestWithParam<const char*> {};

// Each thing stands at x = 1 m and reaches 0.3 m towards the ball, whose radius is 0.1 m: it
// touches at 1 − 0.3 − 0.1 = 0.6 m, and 0.05 m earlier with that margin.
TEST_P(Margin, IsKeptExactlyInFrontOfEveryShape) {
  const model::Pose lying =
      at(1.0, 0.0) * Eigen::AngleAxisd(std::numbers::pi / 2.0, model::Vector3::UnitY());
  // its outside faces the ball
  const model::Pose wall =
      at(0.7, 0.0) * Eigen::AngleAxisd(-std::numbers::pi / 2.0, model::Vector3::UnitY());
  for (const model::Placement& thing :
       {obstacle("box", model::Box{{0.6, 0.4, 0.4}}, at(1.0, 0.0)),
        obstacle("sphere", model::Sphere{0.3}, at(1.0, 0.0)),
        obstacle("cylinder", model::Cylinder{0.3, 0.5}, at(1.0, 0.0)),
        obstacle("lying cylinder", model::Cylinder{0.2, 0.6}, lying),
        obstacle("lying capsule", model::Capsule{0.2, 0.2}, lying),
        obstacle("wall", model::HalfSpace{}, wall)}) {
    EXPECT_NEAR(first_touch(ball_and(thing), 0.0, GetParam()), 0.6, 1e-4) << thing.name;
    EXPECT_NEAR(first_touch(ball_and(thing), 0.05, GetParam()), 0.55, 1e-4) << thing.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Margin, testing::Values("mujoco", "ode"));

/// A cube of 0.6 m as twelve triangles.
model::Mesh cube() {
  auto data = std::make_shared<model::MeshData>();
  for (int i = 0; i < 8; ++i) {
    data->vertices_m.emplace_back(i & 1 ? 0.3 : -0.3, i & 2 ? 0.3 : -0.3, i & 4 ? 0.3 : -0.3);
  }
  data->triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  model::Mesh mesh;
  mesh.data = std::move(data);
  return mesh;
}

TEST(CollisionChecker, KeepsTheMarginInFrontOfAMesh) {
  const model::Cell cell = ball_and(obstacle("cube", cube(), at(1.0, 0.0)));
  EXPECT_NEAR(first_touch(cell, 0.0, "mujoco"), 0.6, 1e-4);
  EXPECT_NEAR(first_touch(cell, 0.05, "mujoco"), 0.55, 1e-4);
}

TEST(CollisionChecker, RefusesAnEngineThatCannotTell) {
  const model::Cell cell = ball_and(obstacle("box", model::Box{{1, 1, 1}}, at(1, 0)));
  try {
    const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines(), "kinematic");
    FAIL();
  } catch (const std::invalid_argument& refusal) {
    EXPECT_STREQ(refusal.what(), "physics engine 'kinematic' cannot detect collisions");
  }
}

// Two obstacles that overlap each other, and one that overlaps the rail's root, are nobody's fault.
TEST(CollisionChecker, LooksAtTheArmOnly) {
  model::Cell cell = ball_and(obstacle("box", model::Box{{1, 1, 1}}, at(1.5, 0)));
  cell.placements.push_back(obstacle("other box", model::Box{{1, 1, 1}}, at(1.5, 0.2)));
  cell.placements[0].tree.bodies[0].collisions.push_back(
      {"", model::Pose::Identity(), model::Sphere{1.2}, {}});
  cell.placements[0].tree.ignored_contacts = {{0, 2}};
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  EXPECT_TRUE(checker.is_free(std::vector{0.0, 0.0}));
  EXPECT_FALSE(checker.is_free(std::vector{1.0, 0.0}));
}

// An obstacle in two pieces, whose second one stands where its joint starts, 0.5 m further.
TEST(CollisionChecker, NamesTheBodyOfAnObstacleThatHasSeveral) {
  model::Placement thing = test::sliding_ball();
  thing.name = "machine";
  thing.X_WR = at(0.0, 1.0);
  thing.is_fixed = false;
  thing.initial_positions = {0.5, 0.0};
  model::Cell cell = ball_and(thing);
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  EXPECT_TRUE(checker.is_free(std::vector{0.0, 1.0}));
  const auto collision = checker.collision_at(std::vector{0.45, 0.9});
  ASSERT_TRUE(collision);
  EXPECT_EQ(collision->text(), "'ball' and 'machine/ball' overlap");
}

// A hull grown like a box: a tetrahedron's vertices move by the margin along each axis, both ways.
TEST(GrownCell, MovesAMeshToTheCornersOfACube) {
  auto data = std::make_shared<model::MeshData>();
  data->vertices_m = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  data->triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  model::Mesh mesh;
  mesh.data = data;
  model::Geometry geometry{"", model::Pose::Identity(), mesh, {}};
  grow(geometry, 0.1);
  const model::MeshData& grown = *std::get<model::Mesh>(geometry.shape).data;
  ASSERT_EQ(grown.vertices_m.size(), 32U);
  ASSERT_EQ(grown.triangles.size(), 32U);
  Eigen::AlignedBox3d box;
  for (const model::Vector3& vertex : grown.vertices_m) {
    box.extend(vertex);
  }
  EXPECT_TRUE(box.min().isApprox(model::Vector3::Constant(-0.1)));
  EXPECT_TRUE(box.max().isApprox(model::Vector3::Constant(1.1)));
  EXPECT_EQ(data->vertices_m.size(), 4U);
}

// A ball of radius 0.1 m at the end of a 0.5 m arm, on an elbow 0.4 m from the shoulder: 1 m and
// 0.6 m at most.
TEST(ArmSweep, AddsUpTheLengthsBehindAJoint) {
  model::BodyTree tree;
  tree.bodies.resize(3);
  for (int i = 0; i < 2; ++i) {
    model::TreeJoint joint;
    joint.parent_body = i;
    joint.X_PJ = i == 0 ? at(3.0, 0.0) : at(0.4, 0.0);
    tree.joints.push_back(joint);
  }
  tree.bodies[2].collisions.push_back({"", at(0.0, 0.5), model::Sphere{0.1}, {}});
  const ArmSweep sweep(tree);
  EXPECT_NEAR(sweep.reach_m()[0], 1.0, 1e-12);
  EXPECT_NEAR(sweep.reach_m()[1], 0.6, 1e-12);
  EXPECT_NEAR(sweep.bound_m(std::vector{0.0, 0.0}, std::vector{0.1, -0.2}), 0.22, 1e-12);
}

TEST(ArmSweep, IsNeverExceededByTheUr5) {
  const model::BodyTree tree = test::ur5_tree();
  const Kinematics arm(tree);
  const ArmSweep sweep(tree);
  const int tool = arm.frame("tool0");
  RandomStream random(7, "sweep");
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> a = test::random_configuration(i);
    std::vector<double> b = a;
    for (double& q : b) {
      q += random.uniform(-0.05, 0.05);
    }
    const double moved = (arm.position_of(tool, b) - arm.position_of(tool, a)).norm();
    ASSERT_LE(moved, sweep.bound_m(a, b));
  }
}

// Lines of 1 m meet at (1, 0) at a right angle. The largest cut takes 0.4 m of each; halfway round,
// the curve is at (1, 0) − 0.4/8·(1, 0) + 0.4/8·(0, 1) = (0.95, 0.05).
TEST(BlendCorners, CutsACornerWithTheStatedCurve) {
  const model::Cell cell = ball_and(obstacle("far", model::Sphere{0.1}, at(-1.5, -1.5)));
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  const FreeMotion motion(cell.placements[0].tree, checker, 0.01);
  const JointPath path = blend_corners({{0, 0}, {1, 0}, {1, 1}}, motion, 0.001);
  EXPECT_EQ(path.configurations.front(), (std::vector<double>{0, 0}));
  EXPECT_EQ(path.configurations.back(), (std::vector<double>{1, 1}));
  EXPECT_EQ(path.waypoints, (std::vector<std::size_t>{0, path.configurations.size() - 1}));
  double nearest = 1.0;
  for (std::size_t i = 0; i + 1 < path.configurations.size(); ++i) {
    const auto& a = path.configurations[i];
    const auto& b = path.configurations[i + 1];
    EXPECT_LE(std::hypot(b[0] - a[0], b[1] - a[1]), 0.00101);
    nearest = std::min(nearest, std::hypot(a[0] - 0.95, a[1] - 0.05));
  }
  EXPECT_LT(nearest, 0.0005);
}

// A box in the crook, beside the first line up to x = 0.9 and only 0.01 mm out of the ball's way.
// Cuts of 0.4 m and 0.2 m leave the line where the box still is; one of 0.1 m begins where it ends
// and is at (1 − 0.1/8, 0.1/8) halfway round.
TEST(BlendCorners, MakesACutSmallerUntilItIsFree) {
  const model::Cell cell =
      ball_and(obstacle("box", model::Box{{0.4, 0.4, 1.0}}, at(0.7 - 1e-5, 0.3 + 1e-5)));
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  const FreeMotion motion(cell.placements[0].tree, checker, 0.001);
  const JointPath path = blend_corners({{0, 0}, {1, 0}, {1, 1}}, motion, 0.001);
  EXPECT_EQ(path.waypoints.size(), 2U);
  double nearest = 1.0;
  for (const std::vector<double>& q : path.configurations) {
    EXPECT_TRUE(checker.is_free(q));
    nearest = std::min(nearest, std::hypot(q[0] - 0.9875, q[1] - 0.0125));
  }
  EXPECT_LT(nearest, 0.0005);
}

/// Free is the line itself and nothing beside it.
class Tightrope : public CollisionChecker {
 private:
  bool do_is_free(std::span<const double> q) const override {
    return std::abs(q[1]) < 1e-9 || std::abs(q[0] - 1.0) < 1e-9;
  }
  std::optional<Collision> do_collision_at(std::span<const double> q) const override {
    return is_free(q) ? std::nullopt : std::optional<Collision>({"walker", "abyss", 0.0});
  }
};

TEST(BlendCorners, KeepsACornerThatCannotBeCut) {
  const Tightrope checker;
  const FreeMotion motion(test::sliding_ball().tree, checker, 0.01);
  const JointPath path = blend_corners({{0, 0}, {1, 0}, {1, 1}}, motion);
  ASSERT_EQ(path.waypoints.size(), 3U);
  EXPECT_EQ(path.configurations[path.waypoints[1]], (std::vector<double>{1, 0}));
  EXPECT_EQ(path.configurations.back(), (std::vector<double>{1, 1}));
}

TEST(BlendCorners, KeepsACornerWhereTheLineTurnsBack) {
  const Tightrope checker;
  const FreeMotion motion(test::sliding_ball().tree, checker, 0.01);
  const JointPath path = blend_corners({{0, 0}, {1, 0}, {0.2, 0}}, motion);
  ASSERT_EQ(path.waypoints.size(), 3U);
  EXPECT_EQ(path.configurations[path.waypoints[1]], (std::vector<double>{1, 0}));
}

// At 1 m/s the ball meets the box at 0.6 m, as above: after 0.6 s, and it is looked at every 5 mm.
TEST(TrajectoryCheck, TellsWhenAndWhereTheFirstCollisionIs) {
  const model::Cell cell = ball_and(obstacle("box", model::Box{{0.6, 0.4, 0.4}}, at(1.0, 0.0)));
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  const FreeMotion motion(cell.placements[0].tree, checker, 0.005);
  const Result<Trajectory> through =
      Trajectory::make({{0ms, {0.0, 0.0}, {}, {}}, {1s, {1.0, 0.0}, {}, {}}});
  const auto found = first_collision(through.value(), motion);
  ASSERT_TRUE(found);
  EXPECT_GE(to_seconds(found->time), 0.6);
  EXPECT_LE(to_seconds(found->time), 0.605);
  EXPECT_NEAR(found->positions[0], to_seconds(found->time), 1e-9);
  EXPECT_EQ(found->collision.text(), "'ball' and 'box' overlap");
  const Result<Trajectory> before =
      Trajectory::make({{0ms, {0.0, 0.0}, {}, {}}, {1s, {0.599, 0.0}, {}, {}}});
  EXPECT_FALSE(first_collision(before.value(), motion));
}

// There and back within one segment of half a second, as a cubic does: a look at its ends alone
// would miss it. From rest at 0.59 m with 0.8 m/s at first and −0.8 m/s at last the ball bulges by
// v·T/4 = 0.1 m.
TEST(TrajectoryCheck, LooksBetweenThePoints) {
  const model::Cell cell = ball_and(obstacle("box", model::Box{{0.6, 0.4, 0.4}}, at(1.0, 0.0)));
  const CellCollisionChecker checker(cell, 0, 0.0, physics::built_in_engines());
  const FreeMotion motion(cell.placements[0].tree, checker, 0.005);
  const Result<Trajectory> bulge = Trajectory::make({{0ms, {0.0, 0.0}, {0.0, 0.0}, {}},
                                                     {1s, {0.59, 0.0}, {0.8, 0.0}, {}},
                                                     {1500ms, {0.59, 0.0}, {-0.8, 0.0}, {}}});
  ASSERT_TRUE(bulge);
  EXPECT_TRUE(first_collision(bulge.value(), motion));
}

}  // namespace
}  // namespace longarm::motion
