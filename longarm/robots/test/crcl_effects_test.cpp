// SPDX-License-Identifier: Apache-2.0
// What CRCL motion commands do to an arm in the engine.
#include "longarm/robots/test/crcl_effects.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace longarm::robots {
namespace {

using crcl::CommandState;
using crcl::LengthUnit;
using std::numbers::pi;

class CrclEffectsInUnits : public CrclEffects, public ::testing::WithParamInterface<LengthUnit> {
 protected:
  void SetUp() override {
    CrclEffects::SetUp();
    client_.say(crcl::SetLengthUnits{GetParam()});
  }
  double in(double metres) const { return metres / crcl::metres_in(GetParam()); }
  crcl::Waypoint down_in(double x_m, double y_m, double z_m) const {
    return down_at(in(x_m), in(y_m), in(z_m));
  }
};

TEST_P(CrclEffectsInUnits, MoveToBringsTheTipThere) {
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_in(0.45, 0.1, 0.35)});
  EXPECT_LT((tip().translation() - Vector3(0.45, 0.1, 0.35)).norm(), 5e-4);
  EXPECT_NEAR(tip().linear().col(2).z(), -1.0, 1e-4);
  const crcl::Point seen = client_.status().pose->pose.point;
  EXPECT_NEAR(seen.x * crcl::metres_in(GetParam()), tip().translation().x(), 1e-5);
}

TEST_P(CrclEffectsInUnits, MoveThroughToPassesItsWaypoints) {
  const Vector3 corner(0.45, 0.1, 0.40);
  double nearest_m = 1.0;
  client_.say(crcl::SetIntermediatePoseTolerance{{in(0.002), in(0.002), in(0.002), {}, {}}});
  cell_.expect_done(
      crcl::MoveThroughTo{.is_straight = true,
                          .waypoints = {down_in(0.45, 0.1, 0.40), down_in(0.45, -0.05, 0.40)},
                          .number_of_positions = 2},
      [&] { nearest_m = std::min(nearest_m, (tip().translation() - corner).norm()); });
  EXPECT_LT((tip().translation() - Vector3(0.45, -0.05, 0.40)).norm(), 5e-4);
  EXPECT_LT(nearest_m, 0.002 * std::sqrt(3.0) + 5e-4);
}

TEST_P(CrclEffectsInUnits, MoveScrewAdvancesAlongTheToolWhileTurning) {
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  cell_.expect_done(crcl::MoveScrew{.start = down_in(0.45, 0.0, 0.40),
                                    .axis_point = std::nullopt,
                                    .free_distance = in(0.03),
                                    .screw_distance = in(0.01),
                                    .turn = 90.0});
  // away from the end effector is down: 0.40 - 0.03 - 0.01
  EXPECT_LT((tip().translation() - Vector3(0.45, 0.0, 0.36)).norm(), 5e-4);
  // counter-clockwise seen from where the tool points to, i.e. about the tool's own z: x, which was
  // along the base's x, goes to where the tool's y was, and that is z × x = (0, -1, 0)
  EXPECT_NEAR(tip().linear().col(0).y(), -1.0, 1e-3);
}

TEST_P(CrclEffectsInUnits, SpeedAndAccelerationAreThoseSet) {
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_in(0.45, -0.1, 0.4)});
  client_.say(crcl::SetTransSpeed{{false, in(0.1)}});
  client_.say(crcl::SetTransAccel{{false, in(0.5)}});
  double fastest_m_s = 0.0;
  Vector3 last = tip().translation();
  const double span_s =
      cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_in(0.45, 0.1, 0.4)}, [&] {
        fastest_m_s = std::max(fastest_m_s, (tip().translation() - last).norm() / 1e-3);
        last = tip().translation();
      });
  EXPECT_NEAR(fastest_m_s, 0.1, 0.005);
  // 0.2 m at 0.1 m/s, and v/a = 0.2 s more for both ramps; then it has to settle
  EXPECT_NEAR(span_s, 2.2, 0.1);
}

TEST_P(CrclEffectsInUnits, GripperSeparationIsInThem) {
  client_.say(crcl::SetEndEffector{0.0});
  cell_.run();
  const double closed_m =
      std::get<crcl::ParallelGripper>(client_.status().gripper->kind).separation *
      crcl::metres_in(GetParam());
  client_.say(crcl::SetEndEffector{1.0});
  cell_.run();
  const double open_m = std::get<crcl::ParallelGripper>(client_.status().gripper->kind).separation *
                        crcl::metres_in(GetParam());
  EXPECT_NEAR(open_m - closed_m, 0.015, 5e-4);  // two fingers of 7.5 mm stroke
}

INSTANTIATE_TEST_SUITE_P(InEveryUnit, CrclEffectsInUnits,
                         ::testing::Values(LengthUnit::kMeter, LengthUnit::kMillimeter,
                                           LengthUnit::kInch),
                         [](const auto& unit) { return std::string(crcl::name_of(unit.param)); });

TEST_F(CrclEffects, AStraightMoveStaysOnItsLineAndAnyOtherNeedNot) {
  go(0.4, -0.2, 0.4);
  double straight_m = 0.0;
  cell_.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(0.4, 0.2, 0.4)}, [&] {
    const Vector3 p = tip().translation();
    straight_m = std::max(straight_m, std::hypot(p.x() - 0.4, p.z() - 0.4));
  });
  EXPECT_LT(straight_m, 1e-3);
  double free_m = 0.0;
  cell_.expect_done(crcl::MoveTo{.is_straight = false, .end = down_at(0.4, -0.2, 0.4)}, [&] {
    const Vector3 p = tip().translation();
    free_m = std::max(free_m, std::hypot(p.x() - 0.4, p.z() - 0.4));
  });
  // turning about its base at a radius of hypot(0.4, 0.2) = 0.447 m it bulges by nearly 47 mm
  EXPECT_GT(free_m, 0.02);
}

TEST_F(CrclEffects, ActuateJointsMovesThoseNamedAndNoOther) {
  const std::vector<JointState> before = cell_.robot().state().joints;
  cell_.expect_done(crcl::ActuateJoints{
      .joints = {{1, 0.3, crcl::JointSpeedAccel{0.5, {}}}, {6, -0.4, crcl::JointSpeedAccel{}}},
      .tolerances = std::vector<crcl::JointTolerance>{{1, 0.001}}});
  const std::vector<JointState> after = cell_.robot().state().joints;
  EXPECT_NEAR(after[0].position, 0.3, 0.001);
  EXPECT_NEAR(after[5].position, -0.4, 0.01);
  EXPECT_NEAR(after[1].position, before[1].position, 0.002);
  EXPECT_NEAR(after[4].position, before[4].position, 0.002);
}

TEST_F(CrclEffects, AJointSpeedIsHonoured) {
  double fastest = 0.0;
  cell_.expect_done(
      crcl::ActuateJoints{.joints = {{1, 0.5, crcl::JointSpeedAccel{0.4, {}}}}, .tolerances = {}},
      [&] { fastest = std::max(fastest, std::abs(cell_.robot().state().joints[0].velocity)); });
  EXPECT_NEAR(fastest, 0.4, 0.02);
}

TEST_F(CrclEffects, AJointThatPushesTurnsUntilItIsToldToGoSomewhere) {
  cell_.client().say(crcl::ActuateJoints{.joints = {{6, 0.0, crcl::JointForceTorque{0.05, {}}}},
                                         .tolerances = {}});
  cell_.wait(0.1);
  EXPECT_GT(cell_.robot().state().joints[5].position, 0.01);
  EXPECT_NEAR(cell_.robot().state().joints[5].effort, 0.05, 0.005);
  cell_.expect_done(
      crcl::ActuateJoints{.joints = {{6, 0.2, crcl::JointSpeedAccel{}}}, .tolerances = {}});
  EXPECT_NEAR(cell_.robot().state().joints[5].position, 0.2, 0.01);
}

TEST_F(CrclEffects, DwellLetsTheArmStandForItsTime) {
  const Vector3 before = tip().translation();
  EXPECT_NEAR(cell_.expect_done(crcl::Dwell{0.25}), 0.25, 1e-9);
  EXPECT_LT((tip().translation() - before).norm(), 1e-4);
}

TEST_F(CrclEffects, OutOfReachIsAnErrorAndNothingMoves) {
  const Vector3 before = tip().translation();
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(3.0, 0.0, 0.4)});
  cell_.run();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_FALSE(client_.description().empty());
  EXPECT_LT((tip().translation() - before).norm(), 1e-4);
}

TEST_F(CrclEffects, ASafetyStopHoldsTheArmAndTheMotionEndsWhereItShould) {
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.15, 0.35)});
  cell_.wait(0.15);
  cell_.robot().safety_stop();
  cell_.wait(0.5);
  const Vector3 held = tip().translation();
  cell_.wait(0.5);
  EXPECT_LT((tip().translation() - held).norm(), 1e-4);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_FALSE(client_.description().empty());
  cell_.robot().safety_resume();
  cell_.run();
  EXPECT_EQ(client_.state(), CommandState::kDone);
  EXPECT_LT((tip().translation() - Vector3(0.45, 0.15, 0.35)).norm(), 5e-4);
}

TEST_F(CrclEffects, StopMotionDuringASafetyStopIsDoneAndNothingGoesOnAfterwards) {
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.15, 0.35)});
  cell_.wait(0.15);
  cell_.robot().safety_stop();
  cell_.wait(0.5);
  client_.say(crcl::StopMotion{crcl::StopCondition::kNormal});
  cell_.run(2.0);
  EXPECT_EQ(client_.state(), CommandState::kDone);
  const Vector3 held = tip().translation();
  cell_.robot().safety_resume();
  cell_.wait(1.0);
  EXPECT_LT((tip().translation() - held).norm(), 1e-3);
}

TEST_F(CrclEffects, TheSameWordsAtTheSameInstantsGiveTheSameBits) {
  const auto run = [&] {
    CrclCell cell(*shared_, config(), Duration(1'000'000));
    cell.client().say(crcl::InitCanon{});
    cell.expect_done(crcl::MoveTo{.is_straight = false, .end = down_at(0.45, 0.15, 0.35)});
    cell.expect_done(crcl::SetEndEffector{0.3});
    return cell.client().last_text();
  };
  EXPECT_EQ(run(), run());
}

TEST_F(CrclEffects, ABrokenRobotIsAnErrorThatSaysSo) {
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.15, 0.35)});
  cell_.wait(0.15);
  cell_.robot().break_down();
  cell_.wait(0.01);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), cell_.robot().fault());
}

}  // namespace
}  // namespace longarm::robots
