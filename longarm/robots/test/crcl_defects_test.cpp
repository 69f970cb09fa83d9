// SPDX-License-Identifier: Apache-2.0
// The twelve defects found in the lab's CRCL servers, none of which this one has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;

class CrclSeedDefect : public CrclBench {
 protected:
  void SetUp() override { begin(); }
};

TEST_F(CrclSeedDefect, N01MillimetresAreTaken) {
  EXPECT_EQ(outcome(crcl::SetLengthUnits{crcl::LengthUnit::kMillimeter}), "done");
  EXPECT_EQ(settings(client_).length_unit, crcl::LengthUnit::kMillimeter);
}

TEST_F(CrclSeedDefect, N02ForceUnitsAreNotTorqueUnits) {
  EXPECT_EQ(outcome(crcl::SetForceUnits{crcl::ForceUnit::kOunce}), "done");
  const crcl::SettingsStatus kept = settings(client_);
  EXPECT_EQ(kept.force_unit, crcl::ForceUnit::kOunce);
  EXPECT_EQ(kept.torque_unit, crcl::TorqueUnit::kNewtonMeter);
}

TEST_F(CrclSeedDefect, N03RotationSpeedAndAccelerationAreHonoured) {
  client_.say(crcl::SetRotSpeed{{false, 0.75}});
  client_.say(crcl::SetRotAccel{{false, 2.5}});
  move();
  EXPECT_EQ(goal().limits.turn_speed_rad_s, 0.75);
  EXPECT_EQ(goal().limits.turn_acceleration_rad_s2, 2.5);
}

TEST_F(CrclSeedDefect, N04RelativeAccelerationScalesTheAccelerationNotTheSpeed) {
  client_.say(crcl::SetTransAccel{{true, 0.25}});
  move();
  EXPECT_EQ(goal().limits.acceleration_m_s2, 2.0);  // a quarter of 8 m/s²
  EXPECT_EQ(goal().limits.speed_m_s, 1.0);          // as before: half of 2 m/s
}

TEST_F(CrclSeedDefect, N05AFractionOfTheRotationSpeedIsNotRoundedToNothing) {
  client_.say(crcl::SetRotSpeed{{true, 0.5}});
  move();
  EXPECT_EQ(goal().limits.turn_speed_rad_s, 1.5);  // half of 3 rad/s
}

TEST_F(CrclSeedDefect, N06GetStatusLeavesTheCommandIdAlone) {
  const std::int64_t id = move();
  client_.say_numbered(4711, crcl::GetStatus{});
  client_.take_output();
  EXPECT_EQ(client_.status().command.command_id, id);
}

TEST_F(CrclSeedDefect, N07StopMotionStops) {
  move();
  client_.say(crcl::StopMotion{crcl::StopCondition::kImmediate});
  EXPECT_THAT(robot_.stops, ::testing::ElementsAre(StopKind::kImmediate));
}

TEST_F(CrclSeedDefect, N08MoveThroughToGoesThroughEveryWaypoint) {
  client_.say(
      crcl::MoveThroughTo{.is_straight = true,
                          .waypoints = {at(0.3, 0.0, 0.4), at(0.4, 0.0, 0.4), at(0.4, 0.0, 0.2)},
                          .number_of_positions = 3});
  EXPECT_EQ(robot_.cartesian->goals.size(), 3U);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
}

TEST_F(CrclSeedDefect, N09AStatusGoesToWhoAskedOnly) {
  CrclTalk other(door_, 2, now_);
  client_.say_numbered(9, crcl::GetStatus{});
  EXPECT_EQ(other.take_output(), "");
  EXPECT_NE(client_.take_output(), "");
}

TEST_F(CrclSeedDefect, N10NumbersDoNotWrapAt256) {
  client_.say_numbered(5'000'000'000, crcl::SetMotionCoordination{true});
  EXPECT_EQ(client_.status().command.command_id, 5'000'000'000);
  for (int i = 0; i < 300; ++i) {
    client_.status();
  }
  EXPECT_EQ(client_.status().command.status_id, 302);
}

TEST_F(CrclSeedDefect, N11JointReportsAreAsConfigured) {
  EXPECT_EQ(client_.status().joints, std::nullopt);
  robot_.robot_state.joints[1] = {.position = 0.5, .velocity = 0.25, .effort = 7.0};
  client_.say(crcl::ConfigureJointReports{
      .resets_all = false, .reports = {{2, true, false, true}, {4, true, false, false}}});
  std::vector<crcl::JointStatus> joints = *client_.status().joints;
  ASSERT_EQ(joints.size(), 2U);
  EXPECT_EQ(joints[0].joint, 2);
  EXPECT_EQ(joints[0].position, 0.5);
  EXPECT_EQ(joints[0].velocity, 0.25);
  EXPECT_EQ(joints[0].torque_or_force, std::nullopt);
  EXPECT_EQ(joints[1].joint, 4);
  client_.say(
      crcl::ConfigureJointReports{.resets_all = true, .reports = {{2, false, true, false}}});
  joints = *client_.status().joints;
  ASSERT_EQ(joints.size(), 1U);
  EXPECT_EQ(joints[0].torque_or_force, 7.0);
  EXPECT_EQ(joints[0].position, std::nullopt);
  client_.say(crcl::ConfigureJointReports{.resets_all = true, .reports = {}});
  EXPECT_EQ(client_.status().joints, std::nullopt);
  EXPECT_EQ(outcome(crcl::ConfigureJointReports{
                .resets_all = true, .reports = {{4, true, true, true}, {2, true, true, true}}}),
            "joint numbers must ascend, each at most once");
  begin();
  EXPECT_EQ(outcome(crcl::ConfigureJointReports{
                .resets_all = true, .reports = {{2, true, true, true}, {2, true, true, true}}}),
            "joint numbers must ascend, each at most once");
}

TEST_F(CrclSeedDefect, N12WordsWithNanInThemStayAsTheyAre) {
  client_.say(crcl::EnableRobotParameterStatus{"message"});
  client_.say(crcl::Message{"banana nan Nancy"});
  EXPECT_THAT(settings(client_).robot_parameters,
              ::testing::ElementsAre(crcl::Parameter{"message", "banana nan Nancy"}));
}

}  // namespace
}  // namespace longarm::robots
