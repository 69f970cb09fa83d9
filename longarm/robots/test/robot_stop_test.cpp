// SPDX-License-Identifier: Apache-2.0
// Stops of an LR Mate: three kinds, the safety system's, a break-down, and one motion after
// another.
#include <algorithm>
#include <cmath>

#include "longarm/robots/test/robot_bench.h"

namespace longarm::robots {
namespace {

class RobotStop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new model::Cell(read_cell(model_file("aprs-fanuc"))); }
  static void TearDownTestSuite() { delete world_; }

  RobotStop() : bench(*world_, fanuc_config("aprs-fanuc")), start(bench.p()) {}

  /// At 0.2 m/s along +y.
  void set_off() {
    ASSERT_TRUE(bench.robot.move(motion_to({goal}, {0.2, 1.0, 2.0, 10.0})));
    bench.run(0.8);
    ASSERT_NEAR(bench.robot.state().twist_B.linear_W.norm(), 0.2, 0.002);
  }
  double off_line() const {
    const Vector3 along = (goal.translation() - start).normalized();
    return (bench.p() - start).cross(along).norm();
  }

  RobotBench bench;
  Vector3 start;
  const Pose goal = tool_down(0.38, 0.2, 0.25);

 private:
  static inline model::Cell* world_ = nullptr;
};

// v²/2a = 0.04/2 = 20 mm
TEST_F(RobotStop, NormallyStaysOnItsPathWithTheOrdinaryRamp) {
  set_off();
  const Vector3 at = bench.p();
  bench.robot.stop(StopKind::kNormal);
  EXPECT_EQ(bench.robot.motion().state, MotionState::kMoving);
  const double took_s = bench.finish();
  EXPECT_EQ(bench.robot.motion().state, MotionState::kDone);
  EXPECT_NEAR((bench.p() - at).norm(), 0.020, 0.0005);
  EXPECT_NEAR(took_s, 0.2, 0.01);
  EXPECT_LT(off_line(), 2e-5);
  bench.run(0.2);
  EXPECT_LT(bench.robot.state().twist_B.linear_W.norm(), 1e-5);
}

TEST_F(RobotStop, FastIsHarderAndStillOnItsPath) {
  set_off();
  const Vector3 at = bench.p();
  bench.robot.stop(StopKind::kFast);
  bench.finish();
  EXPECT_EQ(bench.robot.motion().state, MotionState::kDone);
  EXPECT_LT((bench.p() - at).norm(), 0.006);
  EXPECT_LT(off_line(), 2e-5);
}

TEST_F(RobotStop, ImmediateLeavesTheBrakesOn) {
  set_off();
  const Vector3 at = bench.p();
  bench.robot.stop(StopKind::kImmediate);
  bench.finish();
  EXPECT_EQ(bench.robot.motion().state, MotionState::kDone);
  EXPECT_LT((bench.p() - at).norm(), 0.002);
  // and it can be told to move again
  const Pose next = tool_down(0.4, 0.0, 0.2);
  ASSERT_TRUE(bench.robot.move(motion_to({next}, {0.5, 3.0, 2.0, 10.0})));
  bench.finish();
  EXPECT_LT((bench.p() - next.translation()).norm(), 1e-4);
}

TEST_F(RobotStop, BySafetyPausesTheMotionAndResumesIt) {
  set_off();
  Vector3 last = bench.p();
  bench.robot.safety_stop();
  EXPECT_TRUE(bench.robot.is_safety_stopped());
  EXPECT_EQ(bench.robot.fault(), "'aprs-fanuc' is stopped by the safety system");
  double covered = 0.0;
  for (int i = 0; i < 500; ++i) {
    bench.step();
    covered += (bench.p() - last).norm();
    last = bench.p();
  }
  EXPECT_EQ(bench.robot.motion().state, MotionState::kMoving);
  EXPECT_NEAR(bench.robot.stop_distance_m(), covered, 2e-6);
  EXPECT_GT(covered, 1e-4);
  EXPECT_LT(covered, 0.006);
  EXPECT_LT(bench.robot.state().twist_B.linear_W.norm(), 1e-5);
  EXPECT_FALSE(bench.robot.move(motion_to({goal}, {0.2, 1.0, 2.0, 10.0})));

  bench.robot.safety_resume();
  EXPECT_EQ(bench.robot.fault(), "");
  double farthest_off = 0.0;
  bench.finish([&] { farthest_off = std::max(farthest_off, off_line()); });
  EXPECT_EQ(bench.robot.motion().state, MotionState::kDone);
  EXPECT_LT(farthest_off, 2e-5);
  EXPECT_LT((bench.p() - goal.translation()).norm(), 1e-4);
  EXPECT_EQ(bench.robot.safety_stops(), 1);
}

TEST_F(RobotStop, BreakDownIsForGood) {
  set_off();
  bench.robot.break_down();
  EXPECT_EQ(bench.robot.motion().state, MotionState::kFailed);
  EXPECT_EQ(bench.robot.fault(), "'aprs-fanuc' has broken down");
  EXPECT_EQ(bench.robot.move(motion_to({goal}, {0.2, 1.0, 2.0, 10.0})).error().message,
            "'aprs-fanuc' has broken down");
  bench.run(0.2);
  const Vector3 at = bench.p();
  bench.robot.safety_stop();
  bench.robot.safety_resume();
  bench.run(0.5);
  EXPECT_LT((bench.p() - at).norm(), 1e-5);
}

// told after 0.8 s: 0.2 s to stop, then the new motion
TEST_F(RobotStop, ANewMotionLetsTheOldOneStopOnItsPathFirst) {
  set_off();
  const Pose next = tool_down(0.45, -0.1, 0.3);
  const Result<Duration> told = bench.robot.move(motion_to({next}, {0.3, 1.0, 2.0, 10.0}));
  ASSERT_TRUE(told) << told.error().message;
  double slowest = 1.0;
  double at_slowest_off_line = 1.0;
  double hardest = 0.0;
  Vector3 last = bench.robot.state().twist_B.linear_W;
  const double took_s = bench.finish([&] {
    const Vector3 v = bench.robot.state().twist_B.linear_W;
    hardest = std::max(hardest, (v - last).norm() / 1e-3);
    last = v;
    if (v.norm() < slowest && (bench.p() - next.translation()).norm() > 0.05) {
      slowest = v.norm();
      at_slowest_off_line = off_line();
    }
  });
  EXPECT_LT(slowest, 0.003);
  EXPECT_LT(at_slowest_off_line, 1e-4);
  EXPECT_LT(hardest, 1.05);
  EXPECT_NEAR(took_s, to_seconds(*told), 0.02);
  EXPECT_LT((bench.p() - next.translation()).norm(), 1e-4);
}

}  // namespace
}  // namespace longarm::robots
