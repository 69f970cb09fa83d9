// SPDX-License-Identifier: Apache-2.0
// Guards end a command when a sensor passes a limit.
#include <chrono>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using crcl::GuardLimit;
using std::chrono_literals::operator""ms;

crcl::Guard guard(GuardLimit limit, double value, std::string field = "Fz") {
  crcl::Guard result;
  result.sensor = "force_torque";
  result.field = std::move(field);
  result.limit = limit;
  result.value = value;
  return result;
}

class CrclGuarded : public CrclBench {
 protected:
  void SetUp() override {
    begin();
    fz() = -5.0;
  }
  double& fz() { return robot_.readings[2].value; }
  void move_guarded(crcl::Guard with) {
    client_.say(crcl::MoveTo{.is_straight = true, .end = at(0.3, 0.0, 0.1)}, {std::move(with)});
  }
  /// Sends 2021's fields, which are read and not written.
  void move_guarded_2021(const std::string& fields) {
    client_.say_text(
        "<CRCLCommandInstance><CRCLCommand xsi:type=\"MoveToType\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><CommandID>50</CommandID>"
        "<Guard><SensorID>force_torque</SensorID><SubField>Fz</SubField>"
        "<LimitType>OVER_MAX</LimitType><LimitValue>10</LimitValue>" +
        fields +
        "</Guard><MoveStraight>true</MoveStraight><EndPosition>"
        "<Point><X>0.3</X><Y>0</Y><Z>0.1</Z></Point><XAxis><I>1</I><J>0</J><K>0</K></XAxis>"
        "<ZAxis><I>0</I><J>0</J><K>1</K></ZAxis></EndPosition></CRCLCommand>"
        "</CRCLCommandInstance>");
  }
  bool has_stopped() const { return !robot_.stops.empty(); }
};

TEST_F(CrclGuarded, OverMaxStopsTheMotionWhichIsThenDone) {
  move_guarded(guard(GuardLimit::kOverMax, 10.0));
  fz() = 10.0;
  cycle();
  EXPECT_FALSE(has_stopped());
  fz() = 10.5;
  robot_.robot_state.X_BT.translation() = Vector3(0.3, 0.0, 0.2);
  cycle();
  ASSERT_TRUE(has_stopped());
  EXPECT_EQ(client_.state(), CommandState::kWorking);  // until it stands
  cycle(20ms);
  arrive();
  const crcl::Status status = client_.status();
  EXPECT_EQ(status.command.state, CommandState::kDone);
  EXPECT_EQ(status.command.description, "guard force_torque.Fz OVER_MAX 10: 10.5");
  ASSERT_TRUE(status.guards);
  EXPECT_EQ(status.guards->trigger_count, 1);
  EXPECT_EQ(status.guards->trigger_value, 10.5);
  EXPECT_EQ(status.guards->trigger_stop_microseconds, 24'000);  // 20 ms, and the last cycle's 4
  EXPECT_NEAR(status.guards->trigger_pose->point.z, 0.2, 1e-12);
  ASSERT_EQ(status.guards->guards.size(), 1U);
  EXPECT_EQ(status.guards->guards[0].check_count, 2);
  EXPECT_EQ(status.guards->guards[0].last_check_value, 10.5);
}

TEST_F(CrclGuarded, UnderMinStopsBelowItsLimit) {
  move_guarded(guard(GuardLimit::kUnderMin, -20.0));
  cycle();
  EXPECT_FALSE(has_stopped());
  fz() = -20.1;
  cycle();
  EXPECT_TRUE(has_stopped());
}

TEST_F(CrclGuarded, IncreaseComparesWithTheStartOfTheCommand) {
  move_guarded(guard(GuardLimit::kIncreaseOverLimit, 3.0));  // from -5: fires above -2
  fz() = -2.1;
  cycle();
  EXPECT_FALSE(has_stopped());
  fz() = -1.9;
  cycle();
  EXPECT_TRUE(has_stopped());
}

TEST_F(CrclGuarded, DecreaseComparesWithTheStartOfTheCommand) {
  move_guarded(guard(GuardLimit::kDecreaseBeyondLimit, 3.0));  // from -5: fires below -8
  fz() = -7.9;
  cycle();
  EXPECT_FALSE(has_stopped());
  fz() = -8.1;
  cycle();
  EXPECT_TRUE(has_stopped());
}

TEST_F(CrclGuarded, ErrorOnTriggerIsAnError) {
  move_guarded_2021("<ErrorOnTrigger>true</ErrorOnTrigger>");
  fz() = 11.0;
  cycle();
  arrive();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), "guard force_torque.Fz OVER_MAX 10: 11");
}

TEST_F(CrclGuarded, RequireTriggerIsAnErrorIfTheMotionEndsWithout) {
  move_guarded_2021("<RequireTrigger>true</RequireTrigger>");
  cycle();
  arrive();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(),
            "guard force_torque.Fz OVER_MAX 10 was required and has not triggered");
}

TEST_F(CrclGuarded, WithoutATriggerTheMotionEndsAsEver) {
  move_guarded(guard(GuardLimit::kOverMax, 10.0));
  cycle();
  arrive();
  const crcl::Status status = client_.status();
  EXPECT_EQ(status.command.state, CommandState::kDone);
  EXPECT_EQ(status.guards->trigger_count, 0);
  EXPECT_FALSE(has_stopped());
}

TEST_F(CrclGuarded, IsCheckedNoOftenerThanItSays) {
  crcl::Guard slow = guard(GuardLimit::kOverMax, 10.0);
  slow.recheck_microseconds = 8'000;
  move_guarded(slow);
  cycle(4ms);  // checked
  fz() = 11.0;
  cycle(4ms);
  EXPECT_FALSE(has_stopped());
  cycle(4ms);  // 8 ms after the check
  EXPECT_TRUE(has_stopped());
}

TEST_F(CrclGuarded, EndsADwellAndAGripperCommandToo) {
  client_.say(crcl::Dwell{100.0}, {guard(GuardLimit::kOverMax, 10.0)});
  fz() = 11.0;
  cycle();
  cycle();
  EXPECT_EQ(client_.state(), CommandState::kDone);
  robot_.gripper_report.is_busy = true;
  client_.say(crcl::SetEndEffector{0.0}, {guard(GuardLimit::kOverMax, 10.0)});
  cycle();
  EXPECT_EQ(robot_.gripper_stops, 1);
}

TEST_F(CrclGuarded, OnAnUnknownSensorIsRefusedAndNothingMoves) {
  crcl::Guard wrong = guard(GuardLimit::kOverMax, 1.0);
  wrong.sensor = "nose";
  EXPECT_EQ(outcome(crcl::MoveTo{.is_straight = true, .end = at(0.3, 0.0, 0.1)}, {wrong}),
            "guard: unknown sensor 'nose'; valid names are: force_torque, gripper");
  begin();
  wrong = guard(GuardLimit::kOverMax, 1.0, "Fq");
  EXPECT_EQ(outcome(crcl::MoveTo{.is_straight = true, .end = at(0.3, 0.0, 0.1)}, {wrong}),
            "guard: SubField of sensor 'force_torque' must be one of: Fx, Fy, Fz, Tx, Ty, Tz");
  EXPECT_EQ(robot_.motions, 0);
  begin();
  crcl::Guard single = guard(GuardLimit::kOverMax, 1.0);  // one field: need not be named
  single.sensor = "gripper";
  single.field.reset();
  client_.say(crcl::MoveTo{.is_straight = true, .end = at(0.3, 0.0, 0.1)}, {single});
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclGuarded, WithATimeOrACountBelowZeroIsRefused) {
  for (const std::string field : {"RecheckTimeMicroSeconds", "CheckCount"}) {
    move_guarded_2021("<" + field + ">-5</" + field + ">");
    EXPECT_EQ(client_.description(),
              "guard: RecheckTimeMicroSeconds and CheckCount cannot be below 0")
        << field;
    begin();
  }
  EXPECT_EQ(robot_.motions, 0);
}

}  // namespace
}  // namespace longarm::robots
