// SPDX-License-Identifier: Apache-2.0
// Units, speeds, tolerances and frames: what a CRCL client sets, and what the robot is then told.
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using crcl::LengthUnit;

class CrclSettingsOf : public CrclBench {
 protected:
  void SetUp() override { begin(); }
  void move_and_arrive() {
    move();
    arrive();
  }
};

/// The same lengths in every unit: 0.3 m = 300 mm = 0.3 / 0.0254 inch.
class CrclLengths : public CrclSettingsOf, public ::testing::WithParamInterface<LengthUnit> {
 protected:
  void SetUp() override {
    begin();
    client_.say(crcl::SetLengthUnits{GetParam()});
  }
  double in(double metres) const { return metres / crcl::metres_in(GetParam()); }
};

TEST_P(CrclLengths, GiveTheSamePlaceToMoveTo) {
  client_.say(crcl::MoveTo{.is_straight = true, .end = at(in(0.3), in(-0.2), in(0.4))});
  EXPECT_TRUE(goal().X_BT.translation().isApprox(Vector3(0.3, -0.2, 0.4), 1e-12));
}

TEST_P(CrclLengths, GiveTheSamePlacesToMoveThroughTo) {
  client_.say(
      crcl::MoveThroughTo{.is_straight = false,
                          .waypoints = {at(in(0.3), 0.0, in(0.4)), at(in(0.35), 0.0, in(0.1))},
                          .number_of_positions = 2});
  ASSERT_EQ(robot_.cartesian->goals.size(), 2U);
  EXPECT_FALSE(robot_.cartesian->is_straight);
  EXPECT_NEAR(robot_.cartesian->goals[0].X_BT.translation().x(), 0.3, 1e-12);
  EXPECT_NEAR(robot_.cartesian->goals[1].X_BT.translation().z(), 0.1, 1e-12);
}

TEST_P(CrclLengths, GiveTheSameScrewToMoveScrew) {
  client_.say(crcl::MoveScrew{.start = at(in(0.3), 0.0, in(0.4)),
                              .axis_point = crcl::Point{in(0.31), 0.0, 0.0},
                              .free_distance = in(0.02),
                              .screw_distance = in(0.005),
                              .turn = 3.0});
  ASSERT_TRUE(robot_.screw && robot_.screw->start && robot_.screw->p_BA);
  EXPECT_NEAR(robot_.screw->start->X_BT.translation().z(), 0.4, 1e-12);
  EXPECT_NEAR(robot_.screw->p_BA->x(), 0.31, 1e-12);
  EXPECT_NEAR(robot_.screw->free_m, 0.02, 1e-12);
  EXPECT_NEAR(robot_.screw->screw_m, 0.005, 1e-12);
  EXPECT_DOUBLE_EQ(robot_.screw->turn_rad, 3.0);
}

TEST_P(CrclLengths, GiveTheSameJointPositionToASlide) {
  // joint 6 of the scripted robot slides, joint 1 turns
  client_.say(crcl::ActuateJoints{
      .joints = {{1, 0.5, crcl::JointSpeedAccel{}},
                 {6, in(0.25), crcl::JointSpeedAccel{.speed = in(0.1), .acceleration = in(0.4)}}},
      .tolerances = std::vector<crcl::JointTolerance>{{6, in(0.001)}}});
  ASSERT_EQ(robot_.goals.size(), 2U);
  EXPECT_DOUBLE_EQ(robot_.goals[0].position, 0.5);
  EXPECT_EQ(robot_.goals[0].tolerance, std::nullopt);
  EXPECT_NEAR(robot_.goals[1].position, 0.25, 1e-12);
  EXPECT_NEAR(*robot_.goals[1].speed, 0.1, 1e-12);
  EXPECT_NEAR(*robot_.goals[1].acceleration, 0.4, 1e-12);
  EXPECT_NEAR(*robot_.goals[1].tolerance, 0.001, 1e-12);
}

TEST_P(CrclLengths, GiveTheSameSpeedsAndTolerancesToAMotion) {
  client_.say(crcl::SetTransSpeed{{false, in(0.7)}});
  client_.say(crcl::SetTransAccel{{false, in(3.0)}});
  client_.say(crcl::SetEndPoseTolerance{{in(0.002), {}, in(0.003), {}, {}}});
  client_.say(crcl::SetIntermediatePoseTolerance{{{}, in(0.01), {}, {}, {}}});
  client_.say(crcl::MoveThroughTo{.is_straight = true,
                                  .waypoints = {at(in(0.3), 0.0, 0.0), at(in(0.4), 0.0, 0.0)},
                                  .number_of_positions = 2});
  const MotionGoal& first = robot_.cartesian->goals[0];
  const MotionGoal& last = robot_.cartesian->goals[1];
  EXPECT_NEAR(last.limits.speed_m_s, 0.7, 1e-12);
  EXPECT_NEAR(last.limits.acceleration_m_s2, 3.0, 1e-12);
  EXPECT_NEAR(*last.tolerance.x_m, 0.002, 1e-12);
  EXPECT_EQ(last.tolerance.y_m, std::nullopt);
  EXPECT_NEAR(*last.tolerance.z_m, 0.003, 1e-12);
  EXPECT_NEAR(*first.tolerance.y_m, 0.01, 1e-12);
  EXPECT_EQ(first.tolerance.x_m, std::nullopt);
}

TEST_P(CrclLengths, ShowTheSameThingsInTheStatus) {
  robot_.robot_state.X_BT.translation() = Vector3(0.3, -0.2, 0.4);
  robot_.robot_state.twist_B.linear_W = Vector3(0.0, 0.5, 0.0);
  robot_.robot_state.joints[5] = {.position = 0.25, .velocity = 0.1, .effort = 4.0};
  robot_.gripper_report.separation_m = 0.08;
  client_.say(crcl::SetTransSpeed{{false, in(0.7)}});
  client_.say(crcl::ConfigureJointReports{.resets_all = true, .reports = {{6, true, true, true}}});
  const crcl::SettingsStatus kept = settings(client_);
  const crcl::Status status = client_.status();
  EXPECT_NEAR(status.pose->pose.point.y, in(-0.2), 1e-9);
  EXPECT_NEAR(status.pose->twist->linear.j, in(0.5), 1e-9);
  ASSERT_EQ(status.joints->size(), 1U);
  EXPECT_NEAR(*(*status.joints)[0].position, in(0.25), 1e-9);
  EXPECT_NEAR(*(*status.joints)[0].velocity, in(0.1), 1e-9);
  EXPECT_NEAR(*(*status.joints)[0].torque_or_force, 4.0, 1e-12);
  EXPECT_NEAR(std::get<crcl::ParallelGripper>(status.gripper->kind).separation, in(0.08), 1e-9);
  EXPECT_EQ(kept.length_unit, GetParam());
  EXPECT_NEAR(*kept.translation_speed_absolute, in(0.7), 1e-9);
  EXPECT_NEAR(*kept.joint_limits[5].max_position, in(3.0), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(InEveryUnit, CrclLengths,
                         ::testing::Values(LengthUnit::kMeter, LengthUnit::kMillimeter,
                                           LengthUnit::kInch),
                         [](const auto& unit) { return std::string(crcl::name_of(unit.param)); });

TEST_F(CrclSettingsOf, AClientThatCountsInDegreesTurnAsInRadians) {
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  client_.say(crcl::SetRotSpeed{{false, 90.0}});
  client_.say(crcl::SetRotAccel{{false, 180.0}});
  client_.say(crcl::SetEndPoseTolerance{{{}, {}, {}, 1.0, 2.0}});
  move_and_arrive();
  const double degree = std::numbers::pi / 180.0;
  EXPECT_DOUBLE_EQ(goal().limits.turn_speed_rad_s, 90.0 * degree);
  EXPECT_DOUBLE_EQ(goal().limits.turn_acceleration_rad_s2, 180.0 * degree);
  EXPECT_DOUBLE_EQ(*goal().tolerance.x_axis_rad, degree);
  EXPECT_DOUBLE_EQ(*goal().tolerance.z_axis_rad, 2.0 * degree);
  client_.say(crcl::ActuateJoints{.joints = {{2, 45.0, crcl::JointSpeedAccel{10.0, {}}}},
                                  .tolerances = std::nullopt});
  EXPECT_DOUBLE_EQ(robot_.goals[0].position, 45.0 * degree);
  EXPECT_DOUBLE_EQ(*robot_.goals[0].speed, 10.0 * degree);
  arrive();
  client_.say(crcl::MoveScrew{.start = std::nullopt,
                              .axis_point = std::nullopt,
                              .free_distance = std::nullopt,
                              .screw_distance = 0.01,
                              .turn = 360.0});
  EXPECT_DOUBLE_EQ(robot_.screw->turn_rad, 2.0 * std::numbers::pi);
}

TEST_F(CrclSettingsOf, ForcesAndTorquesAreInTheirOwnUnits) {
  // 1 lbf = 0.45359237 kg · 9.80665 m/s², 1 ft·lbf = 0.3048 m of that
  constexpr double kPound = 0.45359237 * 9.80665;
  client_.say(crcl::SetForceUnits{crcl::ForceUnit::kPound});
  client_.say(crcl::SetTorqueUnits{crcl::TorqueUnit::kFootPound});
  client_.say(crcl::ActuateJoints{
      .joints = {{1, 0.0, crcl::JointForceTorque{.setting = 2.0, .change_rate = 4.0}},
                 {6, 0.0, crcl::JointForceTorque{3.0, {}}}},
      .tolerances = std::nullopt});
  ASSERT_EQ(robot_.pushes.size(), 2U);
  EXPECT_NEAR(robot_.pushes[0].effort, 2.0 * 0.3048 * kPound, 1e-12);
  EXPECT_NEAR(*robot_.pushes[0].change_rate, 4.0 * 0.3048 * kPound, 1e-12);
  EXPECT_NEAR(robot_.pushes[1].effort, 3.0 * kPound, 1e-12);
  arrive();
  robot_.robot_state.wrench_B.force_W.z() = kPound;
  robot_.robot_state.wrench_B.torque_W.x() = 0.3048 * kPound;
  const crcl::Status status = client_.status();
  EXPECT_NEAR(status.pose->wrench->force.k, 1.0, 1e-12);
  EXPECT_NEAR(status.pose->wrench->moment.i, 1.0, 1e-12);
}

TEST_F(CrclSettingsOf, FractionsAreOfTheFastest) {
  // fastest: 2 m/s, 8 m/s², 3 rad/s, 20 rad/s²
  client_.say(crcl::SetTransSpeed{{true, 0.25}});
  client_.say(crcl::SetTransAccel{{true, 0.5}});
  client_.say(crcl::SetRotSpeed{{true, 0.1}});
  client_.say(crcl::SetRotAccel{{true, 0.05}});
  move_and_arrive();
  EXPECT_DOUBLE_EQ(goal().limits.speed_m_s, 0.5);
  EXPECT_DOUBLE_EQ(goal().limits.acceleration_m_s2, 4.0);
  EXPECT_NEAR(goal().limits.turn_speed_rad_s, 0.3, 1e-15);
  EXPECT_DOUBLE_EQ(goal().limits.turn_acceleration_rad_s2, 1.0);
  const crcl::SettingsStatus kept = settings(client_);
  EXPECT_EQ(kept.translation_speed_relative, 0.25);
  EXPECT_EQ(kept.translation_speed_absolute, 0.5);
}

TEST_F(CrclSettingsOf, MoreThanTheFastestIsTheFastestAndShownAsThat) {
  client_.say(crcl::SetTransSpeed{{false, 50.0}});
  move_and_arrive();
  EXPECT_DOUBLE_EQ(goal().limits.speed_m_s, 2.0);
  EXPECT_EQ(settings(client_).translation_speed_absolute, 2.0);
}

TEST_F(CrclSettingsOf, ASpeedOfNothingIsRefused) {
  const std::string at_least =
      "a speed or acceleration must be a number, at least 1e-06 in your units";
  EXPECT_EQ(outcome(crcl::SetTransSpeed{{false, 0.0}}), at_least);
  begin();
  EXPECT_EQ(outcome(crcl::SetTransSpeed{{false, 1e-12}}), at_least);
  begin();
  EXPECT_EQ(outcome(crcl::SetRotAccel{{false, -1.0}}), at_least);
  begin();
  client_.say(crcl::SetLengthUnits{LengthUnit::kMillimeter});
  EXPECT_EQ(outcome(crcl::SetTransSpeed{{false, 1e-12}}),
            "a speed or acceleration must be a number, at least 0.001 in your units");
  begin();
  EXPECT_EQ(outcome(crcl::SetTransAccel{{true, 0.0}}), "a fraction must be from 1e-06 to 1");
  begin();
  EXPECT_EQ(outcome(crcl::SetEndPoseTolerance{{-0.1, {}, {}, {}, {}}}),
            "a tolerance must be above 0");
}

TEST_F(CrclSettingsOf, ASegmentsOwnSettingsHoldForThatSegmentOnly) {
  client_.say(crcl::SetMotionCoordination{false});
  crcl::Waypoint special = at(0.3, 0.0, 0.4);
  special.settings = crcl::SegmentSettings{.is_coordinated = true,
                                           .translation_speed = crcl::Rate{false, 0.1},
                                           .rotation_speed = crcl::Rate{true, 0.5},
                                           .translation_acceleration = std::nullopt,
                                           .rotation_acceleration = std::nullopt,
                                           .tolerance = crcl::PoseTolerance{0.005, {}, {}, {}, {}}};
  client_.say(crcl::MoveThroughTo{
      .is_straight = true, .waypoints = {special, at(0.4, 0.0, 0.4)}, .number_of_positions = 2});
  const MotionGoal& first = robot_.cartesian->goals[0];
  const MotionGoal& second = robot_.cartesian->goals[1];
  EXPECT_DOUBLE_EQ(first.limits.speed_m_s, 0.1);
  EXPECT_DOUBLE_EQ(first.limits.turn_speed_rad_s, 1.5);
  EXPECT_DOUBLE_EQ(first.limits.acceleration_m_s2, 4.0);  // usual: half of 8
  EXPECT_TRUE(first.is_coordinated);
  EXPECT_EQ(first.tolerance.x_m, 0.005);
  EXPECT_DOUBLE_EQ(second.limits.speed_m_s, 1.0);  // usual: half of 2
  EXPECT_FALSE(second.is_coordinated);
  EXPECT_EQ(second.tolerance.x_m, std::nullopt);
}

TEST_F(CrclSettingsOf, InitCanonBringsBackUnitsAndSettings) {
  client_.say(crcl::SetLengthUnits{LengthUnit::kInch});
  client_.say(crcl::SetTransSpeed{{true, 0.25}});
  client_.say(crcl::InitCanon{});
  const crcl::SettingsStatus kept = settings(client_);
  EXPECT_EQ(kept.length_unit, LengthUnit::kMeter);
  EXPECT_EQ(kept.translation_speed_relative, 0.5);
}

TEST_F(CrclSettingsOf, InitCanonBringsBackFrameAndModelReports) {
  door_.set_models([] { return std::vector<CrclModelReport>{{"gear", Pose::Identity(), {}}}; });
  robot_.robot_state.X_BT.translation() = Vector3(0.3, 0.0, 0.4);
  client_.say(crcl::SetRobotParameters{{{"frame", "world"}, {"reportModels", "true"}}});
  EXPECT_NEAR(client_.status().pose->pose.point.y, 0.3, 1e-12);  // see below
  EXPECT_NE(client_.last_text().find("ModelStatus"), std::string::npos);
  client_.say(crcl::InitCanon{});
  EXPECT_NEAR(client_.status().pose->pose.point.x, 0.3, 1e-12);
  EXPECT_EQ(client_.last_text().find("ModelStatus"), std::string::npos);
}

TEST_F(CrclSettingsOf, EveryClientSeesTheSameMotionInItsOwnUnits) {
  CrclTalk other(door_, 2, now_);
  other.say(crcl::SetLengthUnits{LengthUnit::kMillimeter});
  client_.say(crcl::SetLengthUnits{LengthUnit::kInch});
  robot_.robot_state.X_BT.translation() = Vector3(0.254, 0.0, 0.0);
  EXPECT_NEAR(client_.status().pose->pose.point.x, 10.0, 1e-12);
  EXPECT_NEAR(other.status().pose->pose.point.x, 254.0, 1e-12);
  other.say(crcl::MoveTo{.is_straight = true, .end = at(300.0, 0.0, 0.0)});
  EXPECT_NEAR(goal().X_BT.translation().x(), 0.3, 1e-12);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
}

TEST_F(CrclSettingsOf, AxesOfAPoseAreMadeSquareAndParallelOnesRefused) {
  crcl::MoveTo move_to{.is_straight = true, .end = at(0.3, 0.0, 0.4)};
  move_to.end.pose.x_axis = {3.0, 0.0, 1.0};  // leans towards z, which stays
  move_to.end.pose.z_axis = {0.0, 0.0, -2.0};
  client_.say(move_to);
  // x = (1, 0, 0), z = (0, 0, -1), so y = z × x = (0, -1, 0)
  Eigen::Matrix3d expected;
  expected << 1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0;
  EXPECT_TRUE(goal().X_BT.linear().isApprox(expected, 1e-12));
  arrive();
  move_to.end.pose.x_axis = {0.0, 0.0, 5.0};
  EXPECT_EQ(outcome(move_to), "XAxis and ZAxis are parallel and do not define an orientation");
  begin();
  move_to.end.pose.x_axis = {0.0, 0.0, 0.0};
  EXPECT_EQ(outcome(move_to), "XAxis and ZAxis must not be zero vectors");
}

TEST_F(CrclSettingsOf, PosesAreInTheBaseFrameUnlessAClientSaysWorld) {
  // The base is at (1, 0, 0), a quarter turn about z: its x axis is the world's y axis.
  robot_.robot_state.X_BT.translation() = Vector3(0.3, 0.0, 0.4);
  EXPECT_NEAR(client_.status().pose->pose.point.x, 0.3, 1e-12);
  EXPECT_EQ(outcome(crcl::SetRobotParameters{{{"frame", "world"}}}), "done");
  const crcl::Pose seen = client_.status().pose->pose;
  EXPECT_NEAR(seen.point.x, 1.0, 1e-12);
  EXPECT_NEAR(seen.point.y, 0.3, 1e-12);
  EXPECT_NEAR(seen.x_axis.j, 1.0, 1e-12);
  // the world's (1, 0.5, 0.4) is (0.5, 0, 0.4) from the base
  client_.say(crcl::MoveTo{.is_straight = true, .end = at(1.0, 0.5, 0.4)});
  EXPECT_TRUE(goal().X_BT.translation().isApprox(Vector3(0.5, 0.0, 0.4), 1e-12));
}

TEST_F(CrclSettingsOf, NumPositionsMustBeTrue) {
  EXPECT_EQ(outcome(crcl::MoveThroughTo{.is_straight = true,
                                        .waypoints = {at(0.3, 0.0, 0.4), at(0.4, 0.0, 0.4)},
                                        .number_of_positions = 3}),
            "NumPositions is 3, but there are 2 waypoints");
}

TEST_F(CrclSettingsOf, JointsAreCountedFromOneAndNamedOnce) {
  const auto actuate = [](std::vector<std::int32_t> numbers) {
    crcl::ActuateJoints command;
    for (const std::int32_t number : numbers) {
      command.joints.push_back({number, 0.1, crcl::JointSpeedAccel{}});
    }
    return command;
  };
  EXPECT_EQ(outcome(actuate({0})), "there is no joint 0; joints are 1 to 6");
  begin();
  EXPECT_EQ(outcome(actuate({7})), "there is no joint 7; joints are 1 to 6");
  begin();
  EXPECT_EQ(outcome(actuate({2, 2})), "joint 2 is named twice");
  begin();
  EXPECT_EQ(outcome(crcl::SetDefaultJointPositionsTolerances{{{1, 0.01}, {6, 0.002}}}), "done");
  client_.say(actuate({1, 2, 6}));
  EXPECT_EQ(robot_.goals[0].joint, 0U);
  EXPECT_EQ(robot_.goals[0].tolerance, 0.01);
  EXPECT_EQ(robot_.goals[1].tolerance, std::nullopt);
  EXPECT_EQ(robot_.goals[2].tolerance, 0.002);
}

}  // namespace
}  // namespace longarm::robots
