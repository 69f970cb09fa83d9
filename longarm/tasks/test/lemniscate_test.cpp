// SPDX-License-Identifier: Apache-2.0
// Tests the lemniscate against its implicit equation, as points and as what the UR5's tool does.
#include "longarm/tasks/lemniscate.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/motion/kinematics.h"
#include "longarm/motion/test/ur5.h"

namespace longarm::tasks {
namespace {

using namespace std::chrono_literals;

/// The curve of scenario ur5-lemniscate.
LemniscateConfig curve() {
  LemniscateConfig config;
  config.centre_m_deg = {0.45, 0.05, 0.30, 180, 0, -90};
  config.width_m = 0.5;
  return config;
}

/// (x² + y²)² − a²·(x² − y²), which is zero on the curve, over its slope there: to first order the
/// distance from the curve. At the crossing the slope is zero and the distance between the branches
/// x = ±y counts instead.
double distance_from(const LemniscateConfig& config, const model::Vector3& p_R) {
  const model::Vector3 p = pose_of(config.centre_m_deg).inverse() * p_R;
  const double a2 = 0.25 * config.width_m * config.width_m;
  const double r2 = p.x() * p.x() + p.y() * p.y();
  const double f = r2 * r2 - a2 * (p.x() * p.x() - p.y() * p.y());
  const double slope =
      std::hypot(4.0 * p.x() * r2 - 2.0 * a2 * p.x(), 4.0 * p.y() * r2 + 2.0 * a2 * p.y());
  const double in_plane =
      r2 < 1e-8 ? std::min(std::abs(p.x() - p.y()), std::abs(p.x() + p.y())) : std::abs(f) / slope;
  return std::hypot(in_plane, p.z());
}

TEST(Lemniscate, PointsSatisfyTheImplicitEquation) {
  const LemniscateConfig config = curve();
  const std::vector<model::Pose> poses = lemniscate_poses(config);
  ASSERT_EQ(poses.size(), 65U);
  for (const model::Pose& pose : poses) {
    EXPECT_LT(distance_from(config, pose.translation()), 1e-12);
    EXPECT_TRUE(pose.linear().isApprox(pose_of(config.centre_m_deg).linear()));
  }
}

// The centre's x axis is the base's −y: yaw −90°. The tips are a quarter of a metre from the centre
// along it, and nothing is further out.
TEST(Lemniscate, IsAsWideAsAskedAlongTheCentresXAxis) {
  const std::vector<model::Pose> poses = lemniscate_poses(curve());
  double low = 1.0;
  double high = -1.0;
  for (const model::Pose& pose : poses) {
    low = std::min(low, pose.translation().y());
    high = std::max(high, pose.translation().y());
  }
  EXPECT_NEAR(low, 0.05 - 0.25, 1e-12);
  EXPECT_NEAR(high, 0.05 + 0.25, 1e-12);
  EXPECT_NEAR(poses.front().translation().y(), low, 1e-12);
  EXPECT_TRUE(poses.back().isApprox(poses.front()));
}

TEST(Lemniscate, PassesItsCentreTwicePerRound) {
  LemniscateConfig config = curve();
  config.rounds = 3;
  const std::vector<model::Pose> poses = lemniscate_poses(config);
  EXPECT_EQ(poses.size(), 3U * 64U + 1U);
  const model::Vector3 centre = pose_of(config.centre_m_deg).translation();
  const auto crossings = std::count_if(poses.begin(), poses.end(), [&](const model::Pose& pose) {
    return (pose.translation() - centre).norm() < 1e-12;
  });
  EXPECT_EQ(crossings, 6);
}

class Ur5Lemniscate : public testing::Test {
 protected:
  Ur5Lemniscate() {
    config_.path = "lemniscate";
    config_.lemniscate = curve();
    config_.acceleration_limit_rad_s2 = {1.2};
    cell_.placements.push_back(
        {"robot", motion::test::ur5_tree(), model::Pose::Identity(), true, {}});
  }
  Result<Plan> plan() const {
    return plan_task(config_, {cell_, 0, tool_, motion::test::ur5_home(), engines_, 0});
  }

  TaskConfig config_;
  model::Cell cell_;
  physics::EngineRegistry engines_ = physics::built_in_engines();
  motion::Kinematics arm_{motion::test::ur5_tree()};
  int tool_ = arm_.frame("tool0");
};

double fastest(const std::vector<double>& v) {
  double largest = 0.0;
  for (const double speed : v) {
    largest = std::max(largest, std::abs(speed));
  }
  return largest;
}

// The straight way to the tip is the only part off the curve; after the rest there, the tool is on
// the curve all the time, to a tenth of a millimetre with 64 points, and does not rest again.
TEST_F(Ur5Lemniscate, FollowsTheCurveWithoutARest) {
  const Result<Plan> planned = plan();
  ASSERT_TRUE(planned) << planned.error().message;
  const model::Vector3 tip = lemniscate_poses(config_.lemniscate).front().translation();
  std::vector<double> q(6);
  std::vector<double> v(6);
  Duration at_tip{0};
  double furthest = 0.0;
  double slowest = 1.0;
  int crossings = 0;
  double last_y = tip.y();
  for (Duration t{0}; t <= planned->hold_start; t += 1ms) {
    planned->trajectory.sample(t, q, v);
    const model::Vector3 p = arm_.position_of(tool_, q);
    if (at_tip == Duration(0)) {
      at_tip = (p - tip).norm() < 1e-9 ? t : Duration(0);
      continue;
    }
    furthest = std::max(furthest, distance_from(config_.lemniscate, p));
    crossings += (p.y() < 0.05) != (last_y < 0.05) ? 1 : 0;
    last_y = p.y();
    if (t > at_tip + Duration(500ms) && t < planned->hold_start - Duration(500ms)) {
      slowest = std::min(slowest, fastest(v));
    }
  }
  EXPECT_GT(at_tip, Duration(0));
  EXPECT_LT(furthest, 1e-4);
  EXPECT_EQ(crossings, 2);
  EXPECT_GT(slowest, 0.05);
  EXPECT_LT((arm_.position_of(tool_, planned->goal) - tip).norm(), 1e-6);
}

TEST_F(Ur5Lemniscate, SaysWhereItCannotBeReached) {
  config_.lemniscate.width_m = 2.0;
  const Result<Plan> planned = plan();
  ASSERT_FALSE(planned);
  EXPECT_TRUE(planned.error().message.starts_with(
      "on the way to the lemniscate: from home to waypoint 1, after "))
      << planned.error().message;
}

}  // namespace
}  // namespace longarm::tasks
