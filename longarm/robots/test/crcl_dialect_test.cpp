// SPDX-License-Identifier: Apache-2.0
// How CRCL clients count: the lab's dialect, and what goes wrong in a client's own units and frame.
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using CrclUnits = CrclBench;

class CrclLab : public CrclBench {
 protected:
  static CrclDoorConfig lab() {
    CrclDoorConfig config;
    config.dialect = "nist-lab";
    return config;
  }

  CrclDoor lab_door_{"lab.crcl", robot_, X_WB_, lab()};
  CrclTalk lab_{lab_door_, 2, now_};
};

TEST_F(CrclLab, ReportsJointsFromTheStartInDegrees) {
  robot_.robot_state.joints[1].position = std::numbers::pi / 6.0;
  robot_.robot_state.joints[5].position = 0.25;  // slides
  const crcl::Status status = lab_.status();
  ASSERT_TRUE(status.joints.has_value());
  ASSERT_EQ(status.joints->size(), 6U);
  EXPECT_EQ(status.joints->at(1).joint, 2);
  EXPECT_NEAR(status.joints->at(1).position.value(), 30.0, 1e-9);
  EXPECT_NEAR(status.joints->at(5).position.value(), 250.0, 1e-9);
  EXPECT_FALSE(status.joints->at(1).velocity.has_value());
  EXPECT_FALSE(client_.status().joints.has_value()) << "the standard: once they are configured";
}

TEST_F(CrclLab, KeepsUnitsOverInitCanon) {
  robot_.robot_state.X_BT.translation() = Vector3(0.1, 0.0, 0.0);
  EXPECT_NEAR(lab_.status().pose->pose.point.x, 100.0, 1e-9) << "millimetres at first";
  lab_.say(crcl::InitCanon{});
  lab_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  lab_.say(crcl::InitCanon{});
  EXPECT_NEAR(lab_.status().pose->pose.point.x, 0.1 / 0.0254, 1e-9);
  client_.say(crcl::InitCanon{});
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  client_.say(crcl::InitCanon{});
  EXPECT_NEAR(client_.status().pose->pose.point.x, 0.1, 1e-12) << "the standard: metres again";
}

TEST_F(CrclUnits, AreThoseOfErrors) {
  robot_.refusal = "joint 2 cannot go to 1.5708 rad: at (0.5, -0.25, 0.1) m it is 2 mm off, 0.5°";
  begin();
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kMillimeter});
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  move();
  EXPECT_EQ(client_.description(),
            "joint 2 cannot go to 90°: at (500, -250, 100) mm it is 2 mm off, 0.5°");
}

TEST_F(CrclUnits, AreThoseOfErrorsOnTheWay) {
  begin();
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  move();
  robot_.report = {MotionState::kFailed,
                   "the controlled point stands 25.4 mm and 90° from its goal"};
  cycle();
  EXPECT_EQ(client_.description(), "the controlled point stands 1 in and 1.571 rad from its goal");
}

// The base stands at x = 1 m in the world, a quarter turn about z: its x is the world's y.
TEST_F(CrclUnits, AreThoseOfErrorsInTheClientsFrame) {
  robot_.refusal = "nothing leads to (0.5, 0, 0.1) m";
  begin();
  client_.say(crcl::SetRobotParameters{{{"frame", "world"}}});
  move();
  EXPECT_EQ(client_.description(), "nothing leads to (1, 0.5, 0.1) m");
}

TEST_F(CrclUnits, LeaveTheRestOfASentenceAlone) {
  CrclDialect dialect;
  dialect.units.length = crcl::LengthUnit::kMillimeter;
  const auto said = [&](std::string_view text) { return dialect.to_client(text); };
  EXPECT_EQ(said("'m4 m' moves 3 metres, gear-7 m and 12 N"),
            "'m4 m' moves 3 metres, gear-7 m and 12 N");
  EXPECT_EQ(said("-0.5 m"), "-500 mm");
  EXPECT_EQ(said("(1, 2, 3) rad"), "(1, 2, 3) rad");
  EXPECT_EQ(said(""), "");
}

TEST_F(CrclUnits, AFaultThatCanBeClearedIsClearedByInitCanon) {
  begin();
  move();
  robot_.fault_text = "overload at the wrist";
  robot_.can_be_cleared = true;
  cycle();
  EXPECT_EQ(client_.state(), crcl::CommandState::kError);
  EXPECT_EQ(client_.description(), "overload at the wrist");
  begin();
  EXPECT_EQ(client_.state(), crcl::CommandState::kDone);
}

}  // namespace
}  // namespace longarm::robots
