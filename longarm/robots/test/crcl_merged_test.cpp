// SPDX-License-Identifier: Apache-2.0
// What was set before a CRCL motion shows in that motion: in the engine, not in words.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_effects.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using std::numbers::pi;

class CrclMerged : public CrclEffects {
 protected:
  /// Down at a place, turned about the vertical.
  static crcl::Waypoint turned(double x, double y, double z, double turn_rad) {
    crcl::Waypoint waypoint = down_at(x, y, z);
    waypoint.pose.x_axis = {std::cos(turn_rad), std::sin(turn_rad), 0.0};
    return waypoint;
  }
  double heading() const {
    const Vector3 x = tip().linear().col(0);
    return std::atan2(x.y(), x.x());
  }
};

class CrclTurns : public CrclMerged, public ::testing::WithParamInterface<crcl::AngleUnit> {};

TEST_P(CrclTurns, AreAsFastAsSet) {
  go(0.42, 0.0, 0.42);
  const double unit = crcl::radians_in(GetParam());
  client_.say(crcl::SetAngleUnits{GetParam()});
  client_.say(crcl::SetRotSpeed{{false, 0.5 / unit}});
  client_.say(crcl::SetRotAccel{{false, 2.0 / unit}});
  double fastest = 0.0;
  double last = heading();
  const double span_s = cell_.expect_done(
      crcl::MoveTo{.is_straight = true, .end = turned(0.42, 0.0, 0.42, 1.0)}, [&] {
        fastest = std::max(fastest, std::abs(heading() - last) / 1e-3);
        last = heading();
      });
  EXPECT_NEAR(heading(), 1.0, 0.01);
  EXPECT_NEAR(fastest, 0.5, 0.025);
  // 1 rad at 0.5 rad/s, and 0.5 / 2 = 0.25 s for both ramps; then it has to settle
  EXPECT_NEAR(span_s, 2.25, 0.1);
}

INSTANTIATE_TEST_SUITE_P(InEveryUnit, CrclTurns,
                         ::testing::Values(crcl::AngleUnit::kRadian, crcl::AngleUnit::kDegree),
                         [](const auto& unit) { return std::string(crcl::name_of(unit.param)); });

TEST_F(CrclMerged, CoordinationLetsTurnAndWayEndTogether) {
  // the way takes 0.2 m at 0.1 m/s, the turn of 0.3 rad at 1.5 rad/s would be over long before;
  // without coordination they may end together, and this robot lets them
  go(0.42, -0.1, 0.42);
  client_.say(crcl::SetTransSpeed{{false, 0.1}});
  client_.say(crcl::SetMotionCoordination{true});
  double at_half = 0.0;
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = turned(0.42, 0.1, 0.42, 0.3)}, [&] {
    if (tip().translation().y() < 0.0) {
      at_half = heading();
    }
  });
  EXPECT_NEAR(at_half, 0.15, 0.01);
  EXPECT_NEAR(heading(), 0.3, 0.01);
}

TEST_F(CrclMerged, ALooseIntermediateToleranceCutsTheCorner) {
  const Vector3 corner(0.45, 0.1, 0.42);
  const auto nearest = [&](double tolerance_m) {
    go(0.37, 0.1, 0.42);
    client_.say(
        crcl::SetIntermediatePoseTolerance{{tolerance_m, tolerance_m, tolerance_m, {}, {}}});
    double nearest_m = 1.0;
    cell_.expect_done(
        crcl::MoveThroughTo{.is_straight = true,
                            .waypoints = {down_at(0.45, 0.1, 0.42), down_at(0.45, 0.02, 0.42)},
                            .number_of_positions = 2},
        [&] { nearest_m = std::min(nearest_m, (tip().translation() - corner).norm()); });
    return nearest_m;
  };
  const double tight_m = nearest(0.001);
  const double loose_m = nearest(0.02);
  EXPECT_LT(tight_m, 0.0025);
  EXPECT_GT(loose_m, 0.004);
  EXPECT_LT(loose_m, 0.02 * std::sqrt(2.0) + 5e-4);
}

TEST_F(CrclMerged, ASegmentsOwnSpeedHoldsOnThatSegment) {
  go(0.42, -0.1, 0.42);
  client_.say(crcl::SetTransSpeed{{false, 0.2}});
  crcl::Waypoint slow = down_at(0.42, 0.0, 0.42);
  slow.settings = crcl::SegmentSettings{.is_coordinated = true,
                                        .translation_speed = crcl::Rate{false, 0.05},
                                        .rotation_speed = {},
                                        .translation_acceleration = {},
                                        .rotation_acceleration = {},
                                        .tolerance = {}};
  double first_m_s = 0.0;
  double second_m_s = 0.0;
  Vector3 last = tip().translation();
  cell_.expect_done(crcl::MoveThroughTo{.is_straight = true,
                                        .waypoints = {slow, down_at(0.42, 0.1, 0.42)},
                                        .number_of_positions = 2},
                    [&] {
                      const Vector3 p = tip().translation();
                      double& fastest = p.y() < -0.01 ? first_m_s : second_m_s;
                      fastest = std::max(fastest, (p - last).norm() / 1e-3);
                      last = p;
                    });
  EXPECT_NEAR(first_m_s, 0.05, 0.005);
  EXPECT_NEAR(second_m_s, 0.2, 0.01);
}

TEST_F(CrclMerged, AFractionOfTheSpeedIsThatOfTheRobotsFastest) {
  go(0.42, -0.1, 0.42);
  client_.say(crcl::SetTransSpeed{{true, 0.1}});
  double fastest_m_s = 0.0;
  Vector3 last = tip().translation();
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(0.42, 0.1, 0.42)}, [&] {
    fastest_m_s = std::max(fastest_m_s, (tip().translation() - last).norm() / 1e-3);
    last = tip().translation();
  });
  EXPECT_NEAR(fastest_m_s, 0.1 * cell_.robot().info().fastest.speed_m_s, 0.005);
}

TEST_F(CrclMerged, JointsAreReportedAsTheEngineHasThemInTheClientsUnits) {
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  client_.say(crcl::SetTorqueUnits{crcl::TorqueUnit::kFootPound});
  client_.say(crcl::ConfigureJointReports{.resets_all = true, .reports = {{2, true, true, true}}});
  cell_.expect_done(
      crcl::ActuateJoints{.joints = {{2, 20.0, crcl::JointSpeedAccel{}}}, .tolerances = {}});
  cell_.wait(0.2);
  const crcl::JointStatus joint = client_.status().joints->at(0);
  EXPECT_NEAR(*joint.position, cell_.engine().positions()[1] * 180.0 / pi, 1e-9);
  EXPECT_NEAR(*joint.position, 20.0, 0.5);
  // it carries the arm: its torque in foot-pounds is 0.3048 m · 4.4482 N less than in N·m
  EXPECT_GT(std::abs(cell_.engine().efforts()[1]), 5.0);
  EXPECT_NEAR(*joint.torque_or_force, cell_.engine().efforts()[1] / 1.3558179483314, 1e-6);
}

TEST_F(CrclMerged, InTheWorldsFrameAGoalIsThereWhereverTheBaseStands) {
  model::Cell elsewhere = *shared_;
  Pose& X_WR = elsewhere.placements[0].X_WR;
  X_WR = Eigen::Translation3d(1.0, 2.0, 0.5) * Pose(Eigen::AngleAxisd(pi / 2, Vector3::UnitZ()));
  CrclCell cell(elsewhere, config(), Duration(1'000'000));
  cell.client().say(crcl::InitCanon{});
  cell.client().say(crcl::SetRobotParameters{{{"frame", "world"}}});
  // 0.45 m before the base, which looks along the world's y
  crcl::Waypoint goal = down_at(1.0, 2.45, 0.9);
  goal.pose.x_axis = {0.0, 1.0, 0.0};
  cell.expect_done(crcl::MoveTo{.is_straight = false, .end = goal});
  const Vector3 left = cell.engine().pose(left_).translation();
  const Vector3 right = cell.engine().pose(right_).translation();
  // finger frames are 0.042 m behind the tips
  EXPECT_LT(((left + right) / 2.0 - Vector3(1.0, 2.45, 0.942)).norm(), 5e-4);
  EXPECT_NEAR(cell.client().status().pose->pose.point.y, 2.45, 5e-4);
}

TEST_F(CrclMerged, ADisabledGripperStaysAsItIs) {
  cell_.expect_done(crcl::SetEndEffector{1.0});
  const std::string name = client_.status().gripper->name;
  cell_.expect_done(crcl::DisableGripper{name});
  client_.say(crcl::SetEndEffector{0.0});
  cell_.wait(0.3);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_NEAR(closed_by(), 0.0, 5e-4);
  client_.say(crcl::InitCanon{});
  cell_.expect_done(crcl::EnableGripper{name, {}});
  cell_.expect_done(crcl::SetEndEffector{0.0});
  EXPECT_NEAR(closed_by(), 0.0075, 5e-4);
}

}  // namespace
}  // namespace longarm::robots
