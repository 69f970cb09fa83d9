// SPDX-License-Identifier: Apache-2.0
// Gripper, tool changer, sensors, parameters and words: what CRCL commands do to them.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class CrclGripper : public CrclBench {
 protected:
  void SetUp() override { begin(); }
  std::string parameters(std::vector<crcl::Parameter> given) {
    begin();
    return outcome(crcl::SetEndEffectorParameters{std::move(given)});
  }
};
using CrclParameters = CrclGripper;

TEST_F(CrclGripper, GoesToAFractionOfItsStrokeAndIsDoneWhenItRests) {
  robot_.gripper_report.is_busy = true;
  client_.say(crcl::SetEndEffector{0.25});
  EXPECT_THAT(robot_.openings, ElementsAre(0.25));
  cycle();
  EXPECT_EQ(client_.state(), crcl::CommandState::kWorking);
  robot_.gripper_report.is_busy = false;
  cycle();
  EXPECT_EQ(client_.state(), crcl::CommandState::kDone);
}

TEST_F(CrclGripper, IsNotDoneBeforeTheFingersHadTimeToStart) {
  client_.say(crcl::SetEndEffector{0.25});  // does not say yet that it is busy
  door_.update(now_);
  EXPECT_EQ(client_.state(), crcl::CommandState::kWorking);
  cycle();
  EXPECT_EQ(client_.state(), crcl::CommandState::kDone);
}

TEST_F(CrclGripper, PositionMeansMetresWhateverTheUnitsUntilPercentageIsBack) {
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kMillimeter});
  client_.say(crcl::SetEndEffectorParameters{{{"action", "position"}}});
  client_.say(crcl::SetEndEffector{0.04});
  EXPECT_THAT(robot_.finger_positions_m, ElementsAre(0.04));
  EXPECT_TRUE(robot_.openings.empty());
  cycle();
  client_.say(crcl::SetEndEffectorParameters{{{"action", "Percentage"}}});
  client_.say(crcl::SetEndEffector{1.0});
  EXPECT_THAT(robot_.openings, ElementsAre(1.0));
}

TEST_F(CrclGripper, APositionBeyondTheStrokeIsAnErrorThatNamesTheStroke) {
  robot_.gripper_report.stroke_m = 0.025;
  client_.say(crcl::SetEndEffectorParameters{{{"action", "position"}}});
  EXPECT_EQ(outcome(crcl::SetEndEffector{0.5}),
            "a position of 0.5 m is beyond the fingers' stroke: from 0 (closed) to 0.025 m (open)");
  EXPECT_TRUE(robot_.finger_positions_m.empty());
  begin();
  client_.say(crcl::SetEndEffectorParameters{{{"action", "position"}}});
  client_.say(crcl::SetEndEffector{0.025});
  EXPECT_THAT(robot_.finger_positions_m, ElementsAre(0.025));
}

// one test per branch of the lab's parser, of which NIST's notes of 2018 tell
TEST_F(CrclGripper, VelFmaxDrivesTheFingersAtOnce) {
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "0.1"}, {"fmax", "10."}}), "done");
  EXPECT_THAT(robot_.drives, ElementsAre(Pair(0.1, 10.0)));
}

TEST_F(CrclGripper, VelFmaxIsReadInAnyOrderAndAnyCase) {
  EXPECT_EQ(parameters({{"FMAX", "5"}, {"Vel", "-0.02"}, {"Action", "VEL/FMAX"}}), "done");
  EXPECT_THAT(robot_.drives, ElementsAre(Pair(-0.02, 5.0)));
}

TEST_F(CrclGripper, MissingOrBadVelFmaxIsAnErrorAndMovesNothing) {
  const std::string bad = "Bad vel/fmax ee parameters";
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "0.1"}}), bad);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"fmax", "10"}}), bad);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "fast"}, {"fmax", "10"}}), bad);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "0.1"}, {"fmax", "-1"}}), bad);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "nan"}, {"fmax", "10"}}), bad);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "0.1"}, {"fmax", "inf"}}), bad);
  EXPECT_TRUE(robot_.drives.empty());
}

TEST_F(CrclGripper, AnUnknownActionIsAnError) {
  EXPECT_EQ(parameters({{"action", "wave"}}),
            "unknown end effector action 'wave': use percentage, position or Vel/Fmax");
}

TEST_F(CrclGripper, ParametersWithoutAnActionAreKeptAndShown) {
  EXPECT_EQ(parameters({{"colour", "red"}}), "done");
  EXPECT_THAT(settings(client_).end_effector_parameters,
              ElementsAre(crcl::Parameter{"colour", "red"}));
}

TEST_F(CrclGripper, WithNothingMountedThereIsNothingToSetAndNoStatus) {
  robot_.gripper_report.kind = GripperKind::kNone;
  EXPECT_EQ(outcome(crcl::SetEndEffector{1.0}), "no end effector is mounted");
  EXPECT_EQ(client_.status().gripper, std::nullopt);
}

TEST_F(CrclGripper, AVacuumIsPoweredAndHasNoFingers) {
  robot_.gripper_report = {.kind = GripperKind::kVacuum, .name = "cup", .is_powered = true};
  client_.say(crcl::SetEndEffector{1.0});
  EXPECT_THAT(robot_.openings, ElementsAre(1.0));
  cycle();
  EXPECT_TRUE(std::get<crcl::VacuumGripper>(client_.status().gripper->kind).is_powered);
  EXPECT_EQ(parameters({{"action", "Vel/Fmax"}, {"vel", "0.1"}, {"fmax", "10"}}),
            "a vacuum gripper has no fingers to drive");
  begin();
  client_.say(crcl::SetEndEffectorParameters{{{"action", "position"}}});
  EXPECT_EQ(outcome(crcl::SetEndEffector{0.01}),
            "a vacuum gripper has no finger positions: set action to percentage");
}

TEST_F(CrclGripper, SaysWhetherItHoldsSomething) {
  robot_.gripper_report.is_holding = true;
  const crcl::GripperStatus status = *client_.status().gripper;
  EXPECT_EQ(status.is_holding, true);
  EXPECT_EQ(status.name, "two_fingers");  // blanks cannot stand in an NMTOKEN
}

TEST_F(CrclGripper, WhenDisabledDoesNothingUntilEnabled) {
  EXPECT_EQ(outcome(crcl::DisableGripper{"two_fingers"}), "done");
  EXPECT_EQ(robot_.gripper_stops, 1);
  EXPECT_EQ(outcome(crcl::SetEndEffector{1.0}),
            "the gripper is disabled: send EnableGripper first");
  begin();
  EXPECT_EQ(outcome(crcl::EnableGripper{"three_fingers", {}}),
            "gripper 'three_fingers' is not mounted; 'two_fingers' is");
  begin();
  EXPECT_EQ(outcome(crcl::EnableGripper{"two_fingers", {{"grip", "soft"}}}), "done");
  EXPECT_THAT(client_.status().gripper->options, ElementsAre(crcl::Parameter{"grip", "soft"}));
  client_.say(crcl::SetEndEffector{1.0});
  EXPECT_THAT(robot_.openings, ElementsAre(1.0));
}

TEST_F(CrclGripper, StopMotionStopsTheFingersToo) {
  robot_.gripper_report.is_busy = true;
  client_.say(crcl::SetEndEffector{0.0});
  cycle();
  client_.say(crcl::StopMotion{crcl::StopCondition::kNormal});
  EXPECT_EQ(robot_.gripper_stops, 1);
}

TEST_F(CrclGripper, ToolChangerPartsWithTheToolAndSaysWhyItCannotTakeOne) {
  EXPECT_EQ(outcome(crcl::OpenToolChanger{}), "done");
  EXPECT_EQ(robot_.releases, 1);
  EXPECT_EQ(outcome(crcl::CloseToolChanger{}), "no tool is at the flange");
}

TEST_F(CrclGripper, ToolChangerMovesTheFingersWhereTheLabsWayIsChosen) {
  EXPECT_EQ(outcome(crcl::SetRobotParameters{{{"toolChanger", "gripper"}}}), "done");
  client_.say(crcl::OpenToolChanger{});
  cycle();
  client_.say(crcl::CloseToolChanger{});
  EXPECT_THAT(robot_.openings, ElementsAre(1.0, 0.0));
  EXPECT_EQ(robot_.releases, 0);
}

TEST_F(CrclParameters, UnknownOnesAreRefusedAndThenNoneIsSet) {
  EXPECT_EQ(outcome(crcl::SetRobotParameters{{{"frame", "world"}, {"colour", "red"}}}),
            "unknown robot parameter 'colour'; valid names are: frame, reportModels, toolChanger");
  robot_.robot_state.X_BT.translation() = Vector3(0.3, 0.0, 0.4);
  EXPECT_NEAR(client_.status().pose->pose.point.x, 0.3, 1e-12);  // still from the base
  begin();
  EXPECT_EQ(outcome(crcl::SetRobotParameters{{{"frame", "moon"}}}),
            "robot parameter frame must be world or robot, not 'moon'");
}

TEST_F(CrclParameters, AreShownToThoseWhoAskForThem) {
  client_.say(crcl::EnableRobotParameterStatus{"frame"});
  client_.say(crcl::EnableRobotParameterStatus{"message"});
  client_.say(crcl::Message{"tray 3 is empty"});
  EXPECT_THAT(settings(client_).robot_parameters,
              ElementsAre(crcl::Parameter{"frame", "robot"},
                          crcl::Parameter{"message", "tray 3 is empty"}));
  EXPECT_EQ(door_.last_message(), "tray 3 is empty");
  client_.say(crcl::DisableRobotParameterStatus{"frame"});
  EXPECT_EQ(settings(client_).robot_parameters.size(), 1U);
  EXPECT_EQ(outcome(crcl::EnableRobotParameterStatus{"mood"}),
            "unknown robot parameter 'mood'; valid names are: frame, reportModels, toolChanger, "
            "message, fault");
}

TEST_F(CrclParameters, NativeProgramsAndLooseLoopsAreRefusedWithAReason) {
  EXPECT_EQ(outcome(crcl::RunProgram{"movej()"}),
            "RunProgram: this controller has no native programming language");
  begin();
  client_.say_text(
      "<CRCLCommandInstance><CRCLCommand xsi:type=\"LoopBlockStartType\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><CommandID>77</CommandID>"
      "<LoopName>a</LoopName></CRCLCommand></CRCLCommandInstance>");
  EXPECT_EQ(client_.status().command.command_id, 77);
  EXPECT_EQ(client_.description(),
            "a loop needs the commands it repeats: send it within a CRCLProgram");
}

TEST_F(CrclParameters, SensorsShowOnceEnabledWithTheirReadings) {
  EXPECT_EQ(client_.status().sensors, std::nullopt);
  EXPECT_EQ(outcome(crcl::EnableSensor{"force_torque", {{"rate", "high"}}}), "done");
  client_.say(crcl::EnableSensor{"gripper", {}});
  robot_.readings[2].value = -12.5;
  robot_.readings[6].value = 3.0;
  cycle();
  cycle();
  const crcl::SensorStatuses sensors = *client_.status().sensors;
  ASSERT_EQ(sensors.force_torque.size(), 1U);
  EXPECT_EQ(sensors.force_torque[0].fz_N, -12.5);
  EXPECT_EQ(sensors.force_torque[0].header.read_count, 2);
  EXPECT_EQ(sensors.force_torque[0].header.last_read_ms, 8);  // two cycles of 4 ms
  EXPECT_THAT(sensors.force_torque[0].header.parameters,
              ElementsAre(crcl::Parameter{"rate", "high"}));
  ASSERT_EQ(sensors.scalar.size(), 1U);
  EXPECT_EQ(sensors.scalar[0].value, 3.0);
  client_.say(crcl::DisableSensor{"gripper"});
  EXPECT_TRUE(client_.status().sensors->scalar.empty());
  EXPECT_EQ(outcome(crcl::EnableSensor{"nose", {}}),
            "unknown sensor 'nose'; valid names are: force_torque, gripper");
}

TEST_F(CrclParameters, SectionsShowAsEachClientConfiguresThem) {
  CrclTalk other(door_, 2, now_);
  other.say(crcl::ConfigureStatusReport{.with_joints = false,
                                        .with_pose = false,
                                        .with_gripper = false,
                                        .with_settings = true,
                                        .with_sensors = false,
                                        .with_guards = false});
  const crcl::Status theirs = other.status();
  EXPECT_FALSE(theirs.pose || theirs.gripper || theirs.joints || theirs.sensors || theirs.guards);
  EXPECT_TRUE(theirs.settings);
  const crcl::Status ours = client_.status();
  EXPECT_TRUE(ours.pose && ours.gripper);
  EXPECT_FALSE(ours.settings);
}

TEST_F(CrclParameters, ModelsShowOnlyToThoseWhoAskAndInTheirUnits) {
  door_.set_models([] {
    CrclModelReport gear{.name = "gear<1>", .X_WM = Pose::Identity(), .properties = {}};
    gear.X_WM.translation() = Vector3(1.0, 0.25, 0.5);
    gear.properties = {{"slot", "2"}};
    return std::vector{gear};
  });
  client_.status();
  EXPECT_EQ(client_.last_text().find("ModelStatus"), std::string::npos);
  client_.say(crcl::SetRobotParameters{{{"reportModels", "true"}}});
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kMillimeter});
  client_.status();
  // from the base, which looks along the world's y: 0.25 m ahead
  EXPECT_THAT(client_.last_text(), ::testing::HasSubstr("<Name>gear&lt;1&gt;</Name>"));
  EXPECT_THAT(client_.last_text(), ::testing::HasSubstr("<Point><X>250</X>"));
  EXPECT_THAT(client_.last_text(), ::testing::HasSubstr("<key>slot</key><value>2</value>"));
}

}  // namespace
}  // namespace longarm::robots
