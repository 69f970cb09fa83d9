// SPDX-License-Identifier: Apache-2.0
// Grippers and the tool changer: fingers, a suction cup, and an arm that shares both.
#include <algorithm>
#include <cmath>

#include "longarm/robots/test/robot_bench.h"

namespace longarm::robots {
namespace {

constexpr SpeedLimits kGentle{0.3, 2.0, 2.0, 10.0};

class RobotFingers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new model::Cell(read_cell(model_file("aprs-fanuc"))); }
  static void TearDownTestSuite() { delete world_; }

  RobotFingers() : bench(*world_, fanuc_config("aprs-fanuc")) {}

  void settle() {
    for (int i = 0; i < 3000 && bench.robot.gripper().is_busy; ++i) {
      bench.step();
    }
  }

  RobotBench bench;

 private:
  static inline model::Cell* world_ = nullptr;
};

// 20 mm between them when open, 5 mm when closed, 7.5 mm of stroke each
TEST_F(RobotFingers, AreKnownFromTheModel) {
  const GripperReport report = bench.robot.gripper();
  EXPECT_EQ(report.kind, GripperKind::kParallel);
  EXPECT_NEAR(report.opening, 1.0, 1e-6);
  EXPECT_NEAR(report.separation_m, 0.020, 1e-6);
  EXPECT_FALSE(report.is_busy);
  EXPECT_FALSE(report.is_holding);
}

TEST_F(RobotFingers, CloseAndOpen) {
  bench.robot.set_gripper(0.0);
  bench.step();
  EXPECT_TRUE(bench.robot.gripper().is_busy);
  settle();
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.005, 1e-4);
  EXPECT_NEAR(bench.robot.gripper().opening, 0.0, 0.01);
  EXPECT_FALSE(bench.robot.gripper().is_holding);
  bench.robot.set_gripper(1.0);
  settle();
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.020, 1e-4);
}

TEST_F(RobotFingers, GoToAFractionAndToAPosition) {
  bench.robot.set_gripper(0.4);
  settle();
  // each 0.4 · 7.5 = 3 mm from closed, within the gripper's half a millimetre
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.005 + 2 * 0.003, 0.001);
  bench.robot.move_fingers(0.005, 0.0);
  settle();
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.005 + 2 * 0.005, 0.001);
}

TEST_F(RobotFingers, GoWithAVelocityUntilToldOtherwise) {
  bench.robot.drive_fingers(-0.01, 5.0);
  bench.run(0.3);
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.020 - 2 * 0.003, 1e-4);
  EXPECT_TRUE(bench.robot.gripper().is_busy);
  bench.robot.drive_fingers(0.02, 5.0);
  bench.run(0.1);
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.020 - 2 * 0.001, 1e-4);
  bench.robot.stop_gripper();
  bench.run(0.2);
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.020 - 2 * 0.001, 1e-4);
  EXPECT_FALSE(bench.robot.gripper().is_busy);
}

TEST_F(RobotFingers, ThatArePartOfTheArmCannotBePartedWith) {
  EXPECT_EQ(bench.robot.release_tool().error().message,
            "'aprs-fanuc' has no tool changer: its gripper is part of the arm");
  EXPECT_EQ(bench.robot.take_tool().error().message,
            "'aprs-fanuc' has no tool changer: its gripper is part of the arm");
}

class RobotTools : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    world_ = new model::Cell(
        read_cell(std::string(LONGARM_SOURCE_DIR) + "/longarm/robots/test/robot_tools.sdf"));
  }
  static void TearDownTestSuite() { delete world_; }

  static RobotConfig config() {
    RobotConfig config = fanuc_config("robot");
    config.tool_changer.tools = {"fingers", "suction"};
    return config;
  }

  RobotTools() : bench(*world_, config()) { bench.run(0.1); }

  void go(const Pose& X) {
    const Result<Duration> told = bench.robot.move(motion_to({X}, kGentle));
    ASSERT_TRUE(told) << told.error().message;
    bench.finish();
    ASSERT_EQ(bench.robot.motion().state, MotionState::kDone) << bench.robot.motion().failure;
  }
  Pose pose_of(const std::string& name) const {
    for (std::size_t i = 0; i < bench.cell.placements.size(); ++i) {
      if (bench.cell.placements[i].name == name) {
        return bench.engine->pose(
            static_cast<physics::BodyId>(bench.cell.first_body(static_cast<int>(i))));
      }
    }
    ADD_FAILURE() << "no " << name;
    return Pose::Identity();
  }

  RobotBench bench;

 private:
  static inline model::Cell* world_ = nullptr;
};

TEST_F(RobotTools, AreTakenAndPartedWithAtTheirStands) {
  EXPECT_EQ(bench.robot.gripper().kind, GripperKind::kNone);
  EXPECT_NE(bench.robot.take_tool().error().message.find("no tool at the flange"),
            std::string::npos);
  go(tool_down(0.40, -0.15, 0.40));
  go(tool_down(0.40, -0.15, 0.253));
  const Pose flange = bench.X_BT();
  const Result<bool> taken = bench.robot.take_tool();
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(bench.robot.gripper().kind, GripperKind::kParallel);
  EXPECT_EQ(bench.robot.gripper().name, "fingers");
  // the controlled point is now the tool's, 0.194 m out
  EXPECT_NEAR((bench.p() - flange.translation()).norm(), 0.194, 0.002);
  EXPECT_EQ(bench.robot.take_tool().error().message, "'robot' already carries 'fingers'");

  // up and to the side: the tool comes along, and hangs where it was taken
  go(tool_down(0.40, -0.05, 0.30));
  const Vector3 tip = pose_of("fingers") * Vector3(0.0, 0.0, 0.194);
  EXPECT_LT((bench.robot.X_WB() * bench.p() - tip).norm(), 5e-4);
  EXPECT_LT((tip - Vector3(0.40, -0.05, 0.30)).norm(), 1e-3);
  bench.robot.set_gripper(0.0);
  bench.run(0.5);
  EXPECT_NEAR(bench.robot.gripper().separation_m, 0.005, 2e-4);

  // back into its stand
  go(tool_down(0.40, -0.15, 0.252 - 0.194 + 0.002));
  ASSERT_TRUE(bench.robot.release_tool());
  EXPECT_EQ(bench.robot.gripper().kind, GripperKind::kNone);
  EXPECT_EQ(bench.robot.release_tool().error().message, "'robot' carries no tool");
  go(tool_down(0.40, -0.15, 0.40));
  bench.run(0.2);
  EXPECT_LT((pose_of("fingers").translation() - Vector3(0.40, -0.15, 0.252)).norm(), 2e-3);
}

TEST_F(RobotTools, TakesTheCupNextAndLiftsWithIt) {
  go(tool_down(0.40, 0.15, 0.40));
  go(tool_down(0.40, 0.15, 0.251));
  ASSERT_TRUE(bench.robot.take_tool());
  EXPECT_EQ(bench.robot.gripper().kind, GripperKind::kVacuum);
  EXPECT_FALSE(bench.robot.gripper().is_powered);
  go(tool_down(0.40, 0.15, 0.30));
  go(tool_down(0.55, 0.0, 0.18));
  bench.robot.set_gripper(1.0);
  EXPECT_TRUE(bench.robot.gripper().is_powered);
  // the block's top is at 0.14 m; pressed on lightly
  go(tool_down(0.55, 0.0, 0.1398));
  bench.run(0.1);
  EXPECT_TRUE(bench.robot.gripper().is_holding);
  go(tool_down(0.55, 0.0, 0.20));
  EXPECT_NEAR(pose_of("block").translation().z(), 0.18, 0.002);
  bench.robot.set_gripper(0.0);
  bench.run(0.4);
  EXPECT_NEAR(pose_of("block").translation().z(), 0.12, 0.002);
}

TEST_F(RobotTools, CanStartWithOne) {
  RobotConfig started = config();
  started.tool_changer.mounted = "fingers";
  RobotBench other(bench.cell, started);
  other.run(0.3);
  EXPECT_EQ(other.robot.gripper().name, "fingers");
  // home puts the flange where tool_down(0.38, -0.10, 0.25) has the tip of a gripper as long
  EXPECT_LT((other.p() - Vector3(0.38, -0.10, 0.25)).norm(), 1e-3);
}

TEST(RobotConfig, SaysWhatIsWrong) {
  const model::Cell cell = read_cell(model_file("aprs-fanuc"));
  const auto first = [&](const RobotConfig& config) {
    const auto remarks = judge_robot(config, cell, "robots.fanuc.");
    return remarks.empty() ? "nothing" : remarks.front().key + ": " + remarks.front().message;
  };
  EXPECT_EQ(first(fanuc_config("aprs-fanuc")), "nothing");
  EXPECT_EQ(first(fanuc_config("fanuk")), "robots.fanuc.drives: there is no 'fanuk' in this world");
  RobotConfig config = fanuc_config("aprs-fanuc");
  config.home = {0.0, 0.0};
  EXPECT_EQ(first(config),
            "robots.fanuc.home: home has 2 joint positions, but the arm has 6 joints");
  config.home = {0.0, 3.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(first(config), "robots.fanuc.home: home is beyond the limits of a joint");
  config = fanuc_config("aprs-fanuc");
  config.flange = "tool9";
  EXPECT_EQ(first(config), "robots.fanuc.flange: 'aprs-fanuc' has no frame 'tool9'");
  config = fanuc_config("aprs-fanuc");
  config.servo_gain = -1.0;
  EXPECT_EQ(first(config),
            "robots.fanuc.servo_gain: robots.fanuc.servo_gain is -1: it must be greater than zero");
  config = fanuc_config("aprs-fanuc");
  config.tool_changer.mounted = "hook";
  EXPECT_EQ(first(config), "robots.fanuc.tool_changer.mounted: 'hook' is not one of the tools");
}

}  // namespace
}  // namespace longarm::robots
