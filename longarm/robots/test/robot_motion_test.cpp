// SPDX-License-Identifier: Apache-2.0
// Motions of an LR Mate: speeds, accelerations, paths and goals, measured in the engine.
#include <algorithm>
#include <cmath>

#include <malloc.h>

#include "longarm/robots/arm/robot_plan.h"
#include "longarm/robots/test/robot_bench.h"

namespace longarm::robots {
namespace {

constexpr SpeedLimits kBrisk{0.5, 3.0, 2.0, 10.0};

class RobotMotion : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new model::Cell(read_cell(model_file("aprs-fanuc"))); }
  static void TearDownTestSuite() { delete world_; }

  RobotMotion() : bench(*world_, fanuc_config("aprs-fanuc")) {}

  void expect_at(const Pose& X, double within_m = 1e-4, double within_rad = 1e-3) {
    const Pose off = X.inverse() * bench.X_BT();
    EXPECT_LT(off.translation().norm(), within_m);
    EXPECT_LT(Eigen::AngleAxisd(model::Matrix3(off.linear())).angle(), within_rad);
  }
  double speed() const { return bench.robot.state().twist_B.linear_W.norm(); }

  RobotBench bench;

 private:
  static inline model::Cell* world_ = nullptr;
};

TEST_F(RobotMotion, StartsAtHomeAndStaysThere) {
  const Pose home = bench.X_BT();
  // what home was made for: 0.38 m in front, 0.1 m to the right, 0.25 m up, tool down
  EXPECT_LT((home.translation() - Vector3(0.38, -0.10, 0.25)).norm(), 1e-3);
  EXPECT_NEAR(home.linear()(2, 2), -1.0, 1e-6);
  bench.run(0.2);
  expect_at(home, 1e-6, 1e-6);
  EXPECT_EQ(bench.robot.motion().state, MotionState::kIdle);
}

TEST_F(RobotMotion, TellsTheControlledPointAsTheEngineHasIt) {
  const Result<Duration> told =
      bench.robot.move(motion_to({tool_down(0.45, 0.1, 0.2, 0.7)}, kBrisk));
  ASSERT_TRUE(told) << told.error().message;
  bench.finish();
  // gripper::tcp is 0.194 m out of the flange, which is the origin of link 6 turned: x out
  const Pose X_W6 = bench.engine->pose(bench.robot.bodies()[6]);
  const Vector3 p_W = X_W6 * Vector3(0.194, 0.0, 0.0);
  EXPECT_LT((bench.robot.X_WB() * bench.p() - p_W).norm(), 1e-6);
  EXPECT_LT((p_W - Vector3(0.45, 0.1, 0.2)).norm(), 1e-4);
}

// 0.3 m at 0.2 m/s with 1 m/s²: 0.3/0.2 + 0.2/1 = 1.7 s, and 0.04 s of rounding off
TEST_F(RobotMotion, ReachesItsSpeedAndKeepsItsAcceleration) {
  const Vector3 start = bench.p();
  const Pose goal = tool_down(0.38, 0.2, 0.25);
  const Result<Duration> told = bench.robot.move(motion_to({goal}, {0.2, 1.0, 2.0, 10.0}));
  ASSERT_TRUE(told) << told.error().message;
  double fastest = 0.0;
  double hardest = 0.0;
  double farthest_off_line = 0.0;
  double last = 0.0;
  const Vector3 along = (goal.translation() - start).normalized();
  bench.finish([&] {
    hardest = std::max(hardest, std::abs(speed() - last) / 1e-3);
    last = speed();
    fastest = std::max(fastest, last);
    farthest_off_line = std::max(farthest_off_line, (bench.p() - start).cross(along).norm());
  });
  EXPECT_EQ(bench.robot.motion().state, MotionState::kDone);
  EXPECT_GT(fastest, 0.99 * 0.2);
  EXPECT_LT(fastest, 1.01 * 0.2);
  EXPECT_LT(hardest, 1.01 * 1.0);
  EXPECT_GT(hardest, 0.9 * 1.0);
  EXPECT_LT(farthest_off_line, 2e-5);
  EXPECT_NEAR(to_seconds(*told), 1.74, 0.02);
  expect_at(goal);
}

TEST_F(RobotMotion, TurnsNoFasterThanTold) {
  const Pose goal = tool_down(0.38, -0.1, 0.25, 1.5);
  ASSERT_TRUE(bench.robot.move(motion_to({goal}, {0.5, 3.0, 0.5, 2.0})));
  double fastest = 0.0;
  const double took_s = bench.finish(
      [&] { fastest = std::max(fastest, bench.robot.state().twist_B.angular_W.norm()); });
  EXPECT_GT(fastest, 0.99 * 0.5);
  EXPECT_LT(fastest, 1.01 * 0.5);
  // 1.5/0.5 + 0.5/2 = 3.25 s, 0.04 s of rounding off, 0.01 s until it counts as there
  EXPECT_NEAR(took_s, 3.30, 0.03);
  expect_at(goal);
}

TEST_F(RobotMotion, KeepsTheSpeedOfItsControlledPointOnAnyPath) {
  const Pose goal = tool_down(0.1, 0.45, 0.2, 1.0);
  ASSERT_TRUE(bench.robot.move(motion_to({goal}, {0.25, 2.0, 5.0, 20.0}, false)));
  double fastest = 0.0;
  bench.finish([&] { fastest = std::max(fastest, speed()); });
  EXPECT_GT(fastest, 0.98 * 0.25);
  EXPECT_LT(fastest, 1.01 * 0.25);
  expect_at(goal);
}

TEST_F(RobotMotion, PassesAGoalWithinItsToleranceWithoutAStop) {
  const Pose middle = tool_down(0.38, 0.05, 0.25);
  const Pose end = tool_down(0.5, 0.05, 0.25);
  CartesianMotion motion = motion_to({middle, end}, {0.2, 2.0, 2.0, 10.0});
  GoalTolerance& near = motion.goals[0].tolerance;
  near.x_m = near.y_m = near.z_m = 0.01;
  ASSERT_TRUE(bench.robot.move(motion));
  double nearest = 1.0;
  double slowest = 1.0;
  bench.finish([&] {
    nearest = std::min(nearest, (bench.p() - middle.translation()).norm());
    if ((bench.p() - middle.translation()).norm() < 0.02) {
      slowest = std::min(slowest, speed());
    }
  });
  EXPECT_LT(nearest, 0.01);
  EXPECT_GT(nearest, 1e-3);
  EXPECT_GT(slowest, 0.1);
  expect_at(end);
}

TEST_F(RobotMotion, PassesAGoalOnAnyPathWithoutAStop) {
  const Pose middle = tool_down(0.38, 0.05, 0.25);
  CartesianMotion motion = motion_to({middle, tool_down(0.5, 0.1, 0.2)}, kBrisk, false);
  GoalTolerance& near = motion.goals[0].tolerance;
  near.x_m = near.y_m = near.z_m = 0.01;
  ASSERT_TRUE(bench.robot.move(motion));
  double nearest = 1.0;
  double speed_there = 0.0;
  bench.finish([&] {
    const double off = (bench.p() - middle.translation()).norm();
    if (off < nearest) {
      nearest = off;
      speed_there = speed();
    }
  });
  EXPECT_LT(nearest, 0.0174);  // √3 · 10 mm
  EXPECT_GT(nearest, 1e-4);
  EXPECT_GT(speed_there, 0.1);
  expect_at(tool_down(0.5, 0.1, 0.2));
}

TEST_F(RobotMotion, StopsAtAGoalThatMustBeMetExactly) {
  const Pose middle = tool_down(0.38, 0.05, 0.25);
  ASSERT_TRUE(bench.robot.move(motion_to({middle, tool_down(0.5, 0.05, 0.25)}, kBrisk)));
  double nearest = 1.0;
  double speed_there = 1.0;
  bench.finish([&] {
    const double off = (bench.p() - middle.translation()).norm();
    if (off < nearest) {
      nearest = off;
      speed_there = speed();
    }
  });
  EXPECT_LT(nearest, 1e-4);
  EXPECT_LT(speed_there, 0.01);
}

TEST_F(RobotMotion, ScrewsAlongAndAboutTheToolsAxis) {
  const Pose start = bench.X_BT();
  ScrewMotion screw;
  screw.free_m = 0.02;
  screw.screw_m = 0.03;
  screw.turn_rad = 1.0;
  screw.limits = kBrisk;
  ASSERT_TRUE(bench.robot.move(screw));
  bench.finish();
  // the tool's z axis points down, so 50 mm away from the end effector are 50 mm down
  Pose end = start;
  end.translation() = start * Vector3(0.0, 0.0, 0.05);
  end.linear() = start.linear() * Eigen::AngleAxisd(1.0, Vector3::UnitZ()).toRotationMatrix();
  expect_at(end);
}

// the way begins at its only pose so far, which must not be lost while the way grows
TEST_F(RobotMotion, ScrewsWithoutAFreeWayAndStaysOnItsAxis) {
  const Pose start = bench.X_BT();
  ScrewMotion screw;
  screw.screw_m = 0.03;
  screw.turn_rad = 1.0;
  screw.limits = kBrisk;
  const Result<Duration> told = bench.robot.move(screw);
  ASSERT_TRUE(told) << told.error().message;
  double off_axis_m = 0.0;
  double tilt_rad = 0.0;
  bench.finish([&] {
    const Pose X = start.inverse() * bench.X_BT();
    off_axis_m = std::max(off_axis_m, X.translation().head<2>().norm());
    tilt_rad = std::max(tilt_rad, X.linear().col(2).head<2>().norm());
  });
  EXPECT_LT(off_axis_m, 1e-3);
  EXPECT_LT(tilt_rad, 5e-3);
  Pose end = start;
  end.translation() = start * Vector3(0.0, 0.0, 0.03);
  end.linear() = start.linear() * Eigen::AngleAxisd(1.0, Vector3::UnitZ()).toRotationMatrix();
  expect_at(end);
}

// to the last bit, whatever is in memory that was given back; also where a plan fails
TEST_F(RobotMotion, PlansTheSameScrewsAlike) {
  const RobotArm arm(bench.cell, 0, RobotConfig{}.flange);
  const RobotPlanner planner(arm, 10.0);
  const auto plan = [&](double turn_rad) {
    ScrewMotion screw;
    screw.free_m = 0.02;
    screw.screw_m = 0.01;
    screw.turn_rad = turn_rad;
    screw.limits = kBrisk;
    return planner.plan(screw, fanuc_config("").home);
  };
  const auto numbers = [&] {
    const Result<PlannedMotion> planned = plan(1.57);
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; planned && i < planned->trajectory.points().size(); ++i) {
      out.push_back(planned->trajectory.points()[i].positions);
      out.push_back(planned->trajectory.points()[i].velocities);
    }
    return out;
  };
  const auto refusal = [&] {  // more turns than joint 6 has
    const Result<PlannedMotion> planned = plan(1000.0);
    return planned ? "" : planned.error().message;
  };
  const auto first_numbers = numbers();
  const std::string first_refusal = refusal();
  EXPECT_FALSE(first_numbers.empty());
  EXPECT_NE(first_refusal.find("it is out of reach"), std::string::npos) << first_refusal;
  for (const int dirt : {0x3f, 0x40, 0xa5}) {  // as doubles about 5e-4, 32 and -1e-130
    mallopt(M_PERTURB, dirt);
    EXPECT_EQ(numbers(), first_numbers);
    EXPECT_EQ(refusal(), first_refusal);
  }
  mallopt(M_PERTURB, 0);
}

TEST_F(RobotMotion, ScrewsAboutAnAxisBesideTheTool) {
  const Pose start = bench.X_BT();
  ScrewMotion screw;
  // 0.05 m towards +x of the base; half a turn about it ends 0.1 m further on, whatever its sense
  screw.p_BA = start.translation() + Vector3(0.05, 0.0, 0.0);
  screw.turn_rad = M_PI;
  screw.limits = kBrisk;
  ASSERT_TRUE(bench.robot.move(screw));
  double widest = 0.0;
  bench.finish([&] { widest = std::max(widest, (bench.p() - *screw.p_BA).norm()); });
  EXPECT_LT((bench.p() - start.translation() - Vector3(0.1, 0.0, 0.0)).norm(), 1e-4);
  EXPECT_NEAR(widest, 0.05, 1e-4);
}

TEST_F(RobotMotion, MovesJointsWithTheirOwnSpeeds) {
  const std::vector<JointState> before = bench.robot.state().joints;
  const std::vector<JointGoal> goals{{5, 1.2573, 0.5, 2.0, {}}};
  ASSERT_TRUE(bench.robot.move_joints(goals, {}));
  double fastest = 0.0;
  const double took_s = bench.finish(
      [&] { fastest = std::max(fastest, std::abs(bench.robot.state().joints[5].velocity)); });
  EXPECT_NEAR(fastest, 0.5, 0.005);
  // 1/0.5 + 0.5/2 = 2.25 s, 0.04 s of rounding off, 0.01 s until it counts as there
  EXPECT_NEAR(took_s, 2.30, 0.03);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(bench.robot.state().joints[j].position, before[j].position, 1e-5);
  }
  EXPECT_NEAR(bench.robot.state().joints[5].position, 1.2573, 1e-5);
}

TEST_F(RobotMotion, PushesWithAnEffortThatRisesAsTold) {
  bench.run(0.01);
  const double before = bench.robot.state().joints[0].effort;
  const std::vector<JointPush> pushes{{.joint = 0, .effort = 2.0, .change_rate = 10.0}};
  ASSERT_TRUE(bench.robot.move_joints({}, pushes));
  bench.run(0.1);
  EXPECT_NEAR(bench.robot.state().joints[0].effort, before + 1.0, 0.02);
  bench.run(0.2);
  EXPECT_NEAR(bench.robot.state().joints[0].effort, 2.0, 1e-9);
  EXPECT_GT(bench.robot.state().joints[0].velocity, 0.1);
  bench.robot.stop(StopKind::kImmediate);
  bench.finish();
  EXPECT_NEAR(bench.robot.state().joints[0].velocity, 0.0, 1e-3);
}

TEST_F(RobotMotion, RefusesWhatMakesNoSense) {
  const auto why = [&](const CartesianMotion& motion) {
    const Result<Duration> told = bench.robot.move(motion);
    return told ? "nothing" : told.error().message;
  };
  EXPECT_EQ(why(CartesianMotion{}), "a motion needs at least one goal");
  EXPECT_EQ(why(motion_to({tool_down(0.4, 0.0, 0.2)}, {0.0, 1.0, 1.0, 1.0})),
            "goal 1: a speed must be greater than zero");
  EXPECT_EQ(why(motion_to({tool_down(std::nan(""), 0.0, 0.2)}, kBrisk)),
            "goal 1: a pose must consist of finite numbers");
  EXPECT_NE(why(motion_to({tool_down(0.9, 0.0, 0.2)}, kBrisk)).find("out of reach"),
            std::string::npos);
  EXPECT_NE(
      why(motion_to({tool_down(0.9, 0.0, 0.2)}, kBrisk, false)).find("goal 1 is out of reach"),
      std::string::npos);
  const std::vector<JointGoal> beyond{{1, 3.0, {}, {}, {}}};
  EXPECT_NE(bench.robot.move_joints(beyond, {}).error().message.find("joint 2 cannot go to 3"),
            std::string::npos);
  const std::vector<JointGoal> none{{6, 0.0, {}, {}, {}}};
  EXPECT_EQ(bench.robot.move_joints(none, {}).error().message,
            "there is no joint 7: the arm has 6");
  EXPECT_EQ(bench.robot.motion().state, MotionState::kIdle);
}

TEST_F(RobotMotion, FailsInWordsIfAGoalCannotBeMetAsTold) {
  CartesianMotion motion = motion_to({tool_down(0.4, 0.0, 0.25)}, kBrisk);
  motion.goals[0].tolerance.x_m = 0.0;
  ASSERT_TRUE(bench.robot.move(motion));
  bench.finish();
  EXPECT_EQ(bench.robot.motion().state, MotionState::kFailed);
  EXPECT_NE(bench.robot.motion().failure.find("mm and 0.00° from its goal"), std::string::npos)
      << bench.robot.motion().failure;
}

TEST_F(RobotMotion, GoesTheSameWayOnEveryEngine) {
  for (const char* engine : {"ode", "kinematic"}) {
    RobotBench other(bench.cell, fanuc_config("aprs-fanuc"), engine);
    const Pose goal = tool_down(0.45, 0.1, 0.2, 0.7);
    ASSERT_TRUE(other.robot.move(motion_to({goal}, kBrisk)));
    other.finish();
    EXPECT_EQ(other.robot.motion().state, MotionState::kDone)
        << engine << ": " << other.robot.motion().failure;
    EXPECT_LT((other.p() - goal.translation()).norm(), 1e-4) << engine;
  }
}

TEST_F(RobotMotion, RepeatsBitByBit) {
  RobotBench other(bench.cell, fanuc_config("aprs-fanuc"));
  for (RobotBench* each : {&bench, &other}) {
    ASSERT_TRUE(each->robot.move(motion_to({tool_down(0.45, 0.1, 0.2, 0.7)}, kBrisk)));
    each->run(0.3);
  }
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_EQ(bench.robot.state().joints[j].position, other.robot.state().joints[j].position);
  }
}

}  // namespace
}  // namespace longarm::robots
