// SPDX-License-Identifier: Apache-2.0
// CRCL stops, guards and gripper commands on an arm in the engine.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_effects.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;

class CrclStops : public CrclEffects {
 protected:
  struct Stop {
    double distance_m = 0.0;  ///< from the command to standstill
    double span_s = 0.0;
    double off_line_m = 0.0;  ///< at most
  };

  /// On a line of 0.4 m along y at 0.4 m/s, with 1 m/s² on the ordinary ramp.
  Stop stop_in_full_motion(crcl::StopCondition condition) {
    go(0.42, -0.2, 0.42);
    client_.say(crcl::SetTransSpeed{{false, 0.4}});
    client_.say(crcl::SetTransAccel{{false, 1.0}});
    client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.42, 0.2, 0.42)});
    cell_.wait(0.5);  // the ramp takes 0.4 s
    const Vector3 begin = tip().translation();
    client_.say(crcl::StopMotion{condition});
    Stop stop;
    stop.span_s = cell_.run(5.0, [&] {
      const Vector3 p = tip().translation();
      stop.off_line_m = std::max(stop.off_line_m, std::hypot(p.x() - 0.42, p.z() - 0.42));
    });
    stop.distance_m = (tip().translation() - begin).norm();
    EXPECT_EQ(client_.state(), CommandState::kDone);
    const Vector3 end = tip().translation();
    cell_.wait(1.5);  // the drives of a fast stop go off after a second; the brakes hold
    EXPECT_LT((tip().translation() - end).norm(), 1e-3);
    return stop;
  }
};

TEST_F(CrclStops, NormalRampsDownOnThePath) {
  const Stop stop = stop_in_full_motion(crcl::StopCondition::kNormal);
  EXPECT_NEAR(stop.distance_m, 0.08, 0.015);  // v²/2a = 0.16 / 2
  EXPECT_LT(stop.off_line_m, 1e-3);
}

TEST_F(CrclStops, FastStaysOnThePathAndStopsInAFractionOfThat) {
  const Stop stop = stop_in_full_motion(crcl::StopCondition::kFast);
  EXPECT_LT(stop.distance_m, 0.04);
  EXPECT_LT(stop.off_line_m, 1e-3);
}

TEST_F(CrclStops, ImmediateIsTheShortestAndTheNextMotionStillWorks) {
  const Stop stop = stop_in_full_motion(crcl::StopCondition::kImmediate);
  EXPECT_LT(stop.distance_m, 0.02);
  go(0.42, 0.0, 0.42);
  EXPECT_LT((tip().translation() - Vector3(0.42, 0.0, 0.42)).norm(), 5e-4);
}

class CrclTouch : public CrclEffects {
 protected:
  double force_up_N() const {
    double sum = 0.0;
    for (const physics::Contact& contact : cell_.engine().contacts()) {
      sum += std::abs(contact.force_on_b_W.z());
    }
    return sum;
  }
  void approach() {
    go(0.45, 0.0, 0.23);
    client_.say(crcl::SetTransSpeed{{false, 0.02}});
    client_.say(crcl::SetEndPoseTolerance{{0.05, 0.05, 0.05, {}, {}}});
  }
};

TEST_F(CrclTouch, AGuardOnTheForceEndsAMotionIntoTheBlock) {
  approach();
  crcl::Guard guard;
  guard.sensor = "force_torque";
  guard.field = "Fz";
  guard.limit = crcl::GuardLimit::kIncreaseOverLimit;
  guard.value = 20.0;
  // 10 mm into the block, whose top is at 0.2 m
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.19)}, {guard});
  double most_N = 0.0;
  cell_.run(10.0, [&] { most_N = std::max(most_N, force_up_N()); });
  const crcl::Status status = client_.status();
  EXPECT_EQ(status.command.state, CommandState::kDone) << status.command.description.value_or("");
  ASSERT_TRUE(status.guards);
  EXPECT_EQ(status.guards->trigger_count, 1);
  EXPECT_NEAR(status.guards->trigger_pose->point.z, 0.2, 2e-3);
  EXPECT_NEAR(tip().translation().z(), 0.2, 2e-3);
  EXPECT_GT(most_N, 20.0);
  EXPECT_GT(status.guards->trigger_stop_microseconds, 0);
}

TEST_F(CrclTouch, WithoutTheGuardTheArmPressesOn) {
  approach();
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.19)});
  double most_N = 0.0;
  cell_.run(10.0, [&] { most_N = std::max(most_N, force_up_N()); });
  EXPECT_GT(most_N, 100.0);
  EXPECT_EQ(client_.state(), CommandState::kDone);  // 10 mm off is within 50 mm
}

// The drives can press with a few hundred newtons there, so the limit is set below that.
TEST_F(CrclTouch, AnOverloadAtTheWristIsAFaultUntilInitCanon) {
  RobotConfig weak = config();
  weak.overload_N = 60.0;
  CrclCell cell(*shared_, weak, Duration(1'000'000));
  CrclTalk& client = cell.client();
  client.say(crcl::InitCanon{});
  cell.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.23)});
  // 100 mm into the block, whose top is at 0.2 m
  client.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.1)});
  cell.run(10.0);
  EXPECT_EQ(client.state(), CommandState::kError);
  EXPECT_TRUE(client.description().starts_with("overload at the wrist: ")) << client.description();
  EXPECT_TRUE(client.description().ends_with(" N, and at most 60 N are allowed"));
  EXPECT_EQ(cell.robot().fault(), client.description());
  // the way out: clear it and go up, though it may still press at first
  cell.expect_done(crcl::InitCanon{});
  EXPECT_EQ(cell.robot().fault(), "");
  cell.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.23)});
  EXPECT_NEAR(client.status().pose->pose.point.z, 0.23, 1e-3);
  // and it is watched again
  client.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.1)});
  cell.run(10.0);
  EXPECT_EQ(client.state(), CommandState::kError);
  EXPECT_TRUE(client.description().starts_with("overload at the wrist: ")) << client.description();
}

// The SIA20F presses with more than 2 kN before its drives give up: with the ordinary limit that is
// a fault, and the way out is open at once, though what was squeezed swings for a while.
TEST(CrclOverload, PressingIntoATableIsAFaultWithTheOrdinaryLimit) {
  const model::Cell table = load_crcl_cell("crcl_table.sdf");
  RobotConfig config;
  config.placement = "motoman";
  config.home = {-0.8164, 0.2287, 0.3823, -1.5735, 0.0867, -1.3562, 0.4246};
  for (const double wait_s : {0.0, 0.003, 0.03}) {
    SCOPED_TRACE(wait_s);
    CrclCell cell(table, config, Duration(1'000'000));
    CrclTalk& client = cell.client();
    client.say(crcl::InitCanon{});
    cell.expect_done(crcl::SetEndEffector{0.0});
    cell.expect_done(crcl::MoveTo{.is_straight = false, .end = down_at(0.6, 0.2, 0.3)});
    cell.expect_done(crcl::SetTransSpeed{{false, 0.1}});
    client.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.6, 0.2, -0.3)});
    cell.run(10.0);
    EXPECT_EQ(client.state(), CommandState::kError);
    double force_N = 0.0;
    ASSERT_EQ(std::sscanf(client.description().c_str(), "overload at the wrist: %lf N", &force_N),
              1)
        << client.description();
    EXPECT_GT(force_N, 1000.0);
    // without waiting until it has come to rest
    cell.wait(wait_s);
    cell.expect_done(crcl::InitCanon{});
    cell.expect_done(crcl::MoveTo{.is_straight = true, .end = down_at(0.6, 0.2, 0.3)});
    EXPECT_NEAR(client.status().pose->pose.point.z, 0.3, 1e-3);
    // and it is watched again
    client.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.6, 0.2, -0.3)});
    cell.run(10.0);
    EXPECT_TRUE(client.description().ends_with(" at most 1000 N are allowed"))
        << client.description();
  }
}

TEST_F(CrclTouch, ATightToleranceThatTheBlockForbidsIsAnError) {
  approach();
  client_.say(crcl::SetEndPoseTolerance{{0.001, 0.001, 0.001, {}, {}}});
  client_.say(crcl::MoveTo{.is_straight = true, .end = down_at(0.45, 0.0, 0.19)});
  cell_.run(10.0);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_FALSE(client_.description().empty());
}

TEST_F(CrclTouch, TheSensorShowsWhatTheToolCarriesAndTouches) {
  client_.say(crcl::EnableSensor{"force_torque", {}});
  approach();
  const double free_N = client_.status().sensors->force_torque.at(0).fz_N;
  EXPECT_NEAR(free_N, 0.0, 1.0);  // the tool's own weight is taken off
  EXPECT_GT(client_.status().sensors->force_torque.at(0).header.read_count, 100);
}

class CrclFingers : public CrclEffects {};

TEST_F(CrclFingers, CloseOpenAndGoToAFraction) {
  cell_.expect_done(crcl::SetEndEffector{1.0});
  EXPECT_NEAR(closed_by(), 0.0, 5e-4);
  cell_.expect_done(crcl::SetEndEffector{0.0});
  EXPECT_NEAR(closed_by(), 0.0075, 5e-4);
  cell_.expect_done(crcl::SetEndEffector{0.4});
  EXPECT_NEAR(closed_by(), 0.6 * 0.0075, 5e-4);
}

TEST_F(CrclFingers, GoToAPositionInMetres) {
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  client_.say(crcl::SetEndEffectorParameters{{{"action", "position"}}});
  cell_.expect_done(crcl::SetEndEffector{0.003});  // 3 mm from closed
  EXPECT_NEAR(closed_by(), 0.0045, 5e-4);
}

TEST_F(CrclFingers, AreDrivenBySpeedAndForce) {
  cell_.expect_done(crcl::SetEndEffector{1.0});
  client_.say(
      crcl::SetEndEffectorParameters{{{"action", "Vel/Fmax"}, {"vel", "-0.01"}, {"fmax", "10"}}});
  EXPECT_EQ(client_.state(), CommandState::kDone);  // at once
  cell_.wait(0.3);
  EXPECT_NEAR(closed_by(), 0.003, 7e-4);  // 0.3 s at 10 mm/s
  cell_.wait(0.7);
  EXPECT_NEAR(closed_by(), 0.0075, 5e-4);  // the end of the stroke
}

TEST_F(CrclFingers, MoveWithTheToolChangerWhereTheLabsWayIsChosen) {
  client_.say(crcl::SetRobotParameters{{{"toolChanger", "gripper"}}});
  cell_.expect_done(crcl::CloseToolChanger{});
  EXPECT_NEAR(closed_by(), 0.0075, 5e-4);
  cell_.expect_done(crcl::OpenToolChanger{});
  EXPECT_NEAR(closed_by(), 0.0, 5e-4);
}

TEST_F(CrclFingers, CannotBeTakenOffWithoutAToolChanger) {
  client_.say(crcl::OpenToolChanger{});
  cell_.run();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_NE(client_.description().find("no tool changer"), std::string::npos)
      << client_.description();
}

}  // namespace
}  // namespace longarm::robots
