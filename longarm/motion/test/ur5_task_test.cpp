// SPDX-License-Identifier: Apache-2.0
// Tests the waypoints published for the ready UR5 tasks: reachable, regular, as long and as fast as
// they claim.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/motion/nearest_distance.h"
#include "longarm/motion/test/ur5.h"
#include "longarm/motion/time_parametrisation.h"

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;
using test::tool_down;
using test::ur5_home;
using test::ur5_tree;

constexpr double kAcceleration = 1.2;  // rad/s², all joints; velocities from the model

std::vector<Pose> five_waypoints() {
  return {tool_down(0.50, 0.40, 0.20), tool_down(0.50, -0.40, 0.20), tool_down(0.35, -0.25, 0.50),
          tool_down(0.35, 0.35, 0.35), tool_down(0.60, 0.10, 0.25)};
}

std::vector<Pose> three_waypoints() {
  return {tool_down(0.30, 0.55, 0.20), tool_down(0.30, -0.55, 0.20), tool_down(0.50, 0.40, 0.50)};
}

class Ur5Task : public testing::TestWithParam<std::vector<Pose>> {
 protected:
  model::BodyTree tree_ = ur5_tree();
  Kinematics arm_{tree_};
  int tool_ = arm_.frame("tool0");
  MotionLimits limits_ = motion_limits(tree_, kAcceleration);
  JointPath path_;
  Trajectory trajectory_;

  void SetUp() override {
    InverseKinematics ik(tree_, tool_);
    Result<JointPath> path = straight_in_space(ik, ur5_home(), GetParam());
    ASSERT_TRUE(path.has_value()) << path.error().message;
    path_ = std::move(path).value();
    Result<Trajectory> trajectory = time_parametrise(path_, limits_);
    ASSERT_TRUE(trajectory.has_value()) << trajectory.error().message;
    trajectory_ = std::move(trajectory).value();
  }

  template <typename Visit>
  void each_half_millisecond(Visit&& visit) const {
    std::vector<double> q(6), v(6), a(6);
    Trajectory::Cursor cursor;
    for (Duration t = 0ns; t <= trajectory_.end(); t += 500us) {
      trajectory_.sample(t, q, v, a, cursor);
      visit(q, v, a);
    }
  }
};

TEST_P(Ur5Task, IsFarFromSingularAndFromJointLimits) {
  InverseKinematics ik(tree_, tool_);
  for (const std::vector<double>& q : path_.configurations) {
    ASSERT_GT(ik.smallest_singular_value(q), 0.1);
    ASSERT_GT(q[2], 0.5);  // elbow up and bent
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_LT(std::abs(q[j]), tree_.joints[j].limits.upper - 0.5);
    }
  }
}

TEST_P(Ur5Task, LastsEightToTenSecondsAndMovesAJointFasterThanOneRadianPerSecond) {
  EXPECT_GE(trajectory_.end(), 8s);
  EXPECT_LE(trajectory_.end(), 10s);
  double fastest = 0.0;
  each_half_millisecond([&](const auto&, const auto& v, const auto&) {
    for (const double speed : v) {
      fastest = std::max(fastest, std::abs(speed));
    }
  });
  EXPECT_GT(fastest, 1.1);
}

TEST_P(Ur5Task, KeepsVelocityAndAccelerationLimits) {
  each_half_millisecond([&](const auto&, const auto& v, const auto& a) {
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_LE(std::abs(v[j]), limits_.velocity[j]);
      ASSERT_LE(std::abs(a[j]), limits_.acceleration[j] * (1.0 + 1e-9));
    }
  });
}

// The geometric path is known exactly: straight lines between the waypoints.
TEST_P(Ur5Task, KeepsTheToolOnTheLinesAndPointingDown) {
  std::vector<Vector3> corners{arm_.position_of(tool_, ur5_home())};
  for (const Pose& pose : GetParam()) {
    corners.push_back(pose.translation());
  }
  const PlannedCurve lines(corners, 0.0);
  const Matrix3 orientation = GetParam().front().linear();
  PlannedCurve::Cursor cursor;
  each_half_millisecond([&](const auto& q, const auto&, const auto&) {
    const Pose pose = arm_.pose_of(tool_, q);
    ASSERT_LT(lines.distance(pose.translation(), cursor), 0.05e-3);
    ASSERT_LT((pose.linear() - orientation).norm(), 1e-4);
  });
}

TEST_P(Ur5Task, EndsAtRestAtTheLastWaypoint) {
  const TrajectoryPoint& last = trajectory_.points().back();
  EXPECT_EQ(last.positions, path_.configurations.back());
  EXPECT_EQ(last.velocities, std::vector<double>(6, 0.0));
  const Vector3 p = arm_.position_of(tool_, last.positions);
  EXPECT_LT((p - GetParam().back().translation()).norm(), 1e-9);
}

TEST_P(Ur5Task, ComesOutTheSameBitByBitTwice) {
  InverseKinematics ik(tree_, tool_);
  const Result<JointPath> again = straight_in_space(ik, ur5_home(), GetParam());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again.value().configurations, path_.configurations);
}

INSTANTIATE_TEST_SUITE_P(FiveWaypoints, Ur5Task, testing::Values(five_waypoints()));
INSTANTIATE_TEST_SUITE_P(ThreeWaypoints, Ur5Task, testing::Values(three_waypoints()));

// The same waypoints straight in the joints: the tool leaves the straight lines by centimetres, and
// the run is shorter because no joint has to follow a bent path.
TEST(Ur5JointTask, IsFasterThanStraightInSpaceAndBulges) {
  const model::BodyTree tree = ur5_tree();
  const Kinematics arm(tree);
  const int tool = arm.frame("tool0");
  InverseKinematics ik(tree, tool);
  const Result<JointPath> straight = straight_in_space(ik, ur5_home(), five_waypoints());
  ASSERT_TRUE(straight.has_value());
  std::vector<std::vector<double>> waypoints;
  for (const std::size_t index : straight.value().waypoints) {
    waypoints.push_back(straight.value().configurations[index]);
  }
  const Result<JointPath> bulging = straight_in_joints(waypoints);
  ASSERT_TRUE(bulging.has_value());
  const MotionLimits limits = motion_limits(tree, kAcceleration);
  const Result<Trajectory> in_space = time_parametrise(straight.value(), limits);
  const Result<Trajectory> in_joints = time_parametrise(bulging.value(), limits);
  ASSERT_TRUE(in_space.has_value() && in_joints.has_value());
  EXPECT_LT(in_joints.value().end(), in_space.value().end());
  const PlannedCurve curve = planned_curve(in_space.value(), arm, tool);
  double bulge = 0.0;
  for (const std::vector<double>& q : bulging.value().configurations) {
    bulge = std::max(bulge, curve.distance(arm.position_of(tool, q)));
  }
  EXPECT_GT(bulge, 0.01);
}

}  // namespace
}  // namespace longarm::motion
