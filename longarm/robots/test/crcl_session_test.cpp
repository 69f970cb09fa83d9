// SPDX-License-Identifier: Apache-2.0
// The CRCL server's state machine, on a robot that does what the test says.
#include <chrono>

#include <gtest/gtest.h>

#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

using CrclSession = CrclBench;

TEST_F(CrclSession, IsReadyAndNamesNoCommandBeforeTheFirst) {
  const crcl::Status status = client_.status();
  EXPECT_EQ(status.command.state, CommandState::kReady);
  EXPECT_EQ(status.command.command_id, 0);
  EXPECT_EQ(status.command.status_id, 1);
}

TEST_F(CrclSession, CountsStatusesByOneForEachClient) {
  CrclTalk other(door_, 2, now_);
  EXPECT_EQ(client_.status().command.status_id, 1);
  EXPECT_EQ(client_.status().command.status_id, 2);
  EXPECT_EQ(other.status().command.status_id, 1);
}

TEST_F(CrclSession, RefusesEverythingBeforeInitCanon) {
  move();
  EXPECT_EQ(robot_.motions, 0);
  const crcl::Status status = client_.status();
  EXPECT_EQ(status.command.state, CommandState::kError);
  EXPECT_EQ(status.command.description, "not initialized: send InitCanon first");
}

TEST_F(CrclSession, TakesStopMotionAndEndCanonBeforeInitCanon) {
  client_.say(crcl::StopMotion{crcl::StopCondition::kNormal});
  EXPECT_EQ(client_.state(), CommandState::kDone);
  EXPECT_EQ(robot_.stops.size(), 1U);
  client_.say(crcl::EndCanon{});
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, WorksOnAMotionUntilTheRobotStandsAtItsGoal) {
  begin();
  EXPECT_EQ(client_.state(), CommandState::kDone);
  const std::int64_t id = move();
  cycle();
  EXPECT_EQ(client_.status().command.command_id, id);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  arrive();
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, QueuesAMotionBehindAnotherAndNamesItOnlyWhenItBegins) {
  begin();
  const std::int64_t first = move(0.3);
  const std::int64_t second = move(0.4);
  cycle();
  EXPECT_EQ(client_.status().command.command_id, first);
  EXPECT_EQ(robot_.motions, 1);
  arrive();  // and the second begins
  EXPECT_EQ(client_.status().command.command_id, second);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_EQ(robot_.motions, 2);
}

TEST_F(CrclSession, AppliesUnitsInTheOrderOfTheCommands) {
  begin();
  move(0.3);
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kMillimeter});
  move(400.0);
  arrive();
  ASSERT_TRUE(robot_.cartesian);
  EXPECT_DOUBLE_EQ(robot_.cartesian->goals[0].X_BT.translation().x(), 0.4);
}

TEST_F(CrclSession, FailsWhenTheQueueIsFull) {
  begin();
  move();
  for (int i = 0; i < 100; ++i) {
    client_.say(crcl::SetMotionCoordination{true});
  }
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  const std::int64_t last = client_.say(crcl::SetMotionCoordination{true});
  EXPECT_EQ(client_.status().command.command_id, last);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), "more than 100 commands are waiting");
  EXPECT_EQ(robot_.stops.size(), 1U);
}

TEST_F(CrclSession, StaysInErrorUntilInitCanon) {
  begin();
  robot_.refusal = "out of reach";
  const std::int64_t failed = move();
  EXPECT_EQ(client_.description(), "out of reach");
  robot_.refusal.clear();
  const std::int64_t next = move();
  EXPECT_EQ(client_.status().command.command_id, next);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), "in error since command " + std::to_string(failed) +
                                       ", until the next InitCanon: out of reach");
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(robot_.motions, 0);
  client_.say(crcl::InitCanon{});
  EXPECT_EQ(client_.state(), CommandState::kDone);
  EXPECT_EQ(client_.description(), "");
  move();
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclSession, FailsAgainWhenTheFailedCommandIsSentAgain) {
  begin();
  robot_.refusal = "out of reach";
  const std::int64_t failed = move();
  robot_.refusal.clear();
  client_.say_numbered(failed, crcl::MoveTo{.is_straight = true, .end = at(0.3, 0.0, 0.4)});
  EXPECT_EQ(client_.status().command.command_id, failed);
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(robot_.motions, 0);
}

TEST_F(CrclSession, DropsWhatWaitsWhenACommandFails) {
  begin();
  const std::int64_t failed = move();
  move();
  robot_.report = {MotionState::kFailed, "blocked"};
  cycle();
  EXPECT_EQ(client_.status().command.command_id, failed);
  EXPECT_EQ(client_.description(), "blocked");
  cycle();
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclSession, IgnoresACommandSentTwice) {
  begin();
  const std::int64_t id = move();
  client_.say_numbered(id, crcl::MoveTo{.is_straight = true, .end = at(0.5, 0.0, 0.4)});
  arrive();
  client_.say_numbered(id, crcl::MoveTo{.is_straight = true, .end = at(0.5, 0.0, 0.4)});
  EXPECT_EQ(robot_.motions, 1);
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, TakesNumbersInAnyOrder) {
  client_.say_numbered(900, crcl::InitCanon{});
  client_.say_numbered(-3, crcl::MoveTo{.is_straight = true, .end = at(0.5, 0.0, 0.4)});
  EXPECT_EQ(client_.status().command.command_id, -3);
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclSession, TakesTheSameNumberFromAnotherClientAsAnotherCommand) {
  CrclTalk other(door_, 2, now_);
  begin();
  const std::int64_t id = move();
  other.say_numbered(id, crcl::MoveTo{.is_straight = true, .end = at(0.5, 0.0, 0.4)});
  arrive();
  EXPECT_EQ(robot_.motions, 2);
}

TEST_F(CrclSession, AfterEndCanonTakesOnlyInitCanon) {
  begin();
  client_.say(crcl::EndCanon{});
  EXPECT_EQ(client_.state(), CommandState::kDone);
  move();
  EXPECT_EQ(client_.state(), CommandState::kError);
  client_.say(crcl::InitCanon{});
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, StopsAtOnceAndForgetsWhatWaits) {
  begin();
  move();
  move();
  const std::int64_t stop = client_.say(crcl::StopMotion{crcl::StopCondition::kFast});
  ASSERT_EQ(robot_.stops.size(), 1U);
  EXPECT_EQ(robot_.stops[0], StopKind::kFast);
  EXPECT_EQ(client_.status().command.command_id, stop);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  arrive();
  EXPECT_EQ(client_.state(), CommandState::kDone);
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclSession, PassesEveryKindOfStopOn) {
  for (const auto condition : {crcl::StopCondition::kImmediate, crcl::StopCondition::kFast,
                               crcl::StopCondition::kNormal}) {
    client_.say(crcl::StopMotion{condition});
  }
  EXPECT_EQ(robot_.stops, (std::vector{StopKind::kImmediate, StopKind::kFast, StopKind::kNormal}));
}

TEST_F(CrclSession, StopsTheRobotEvenInErrorAndStaysInError) {
  begin();
  client_.say(crcl::RunProgram{"movej(...)"});
  client_.say(crcl::StopMotion{crcl::StopCondition::kNormal});
  EXPECT_EQ(robot_.stops.size(), 1U);
  EXPECT_EQ(client_.state(), CommandState::kError);
}

TEST_F(CrclSession, DwellsForItsTimeInSeconds) {
  begin();
  client_.say(crcl::SetAngleUnits{crcl::AngleUnit::kDegree});
  client_.say(crcl::Dwell{0.5});
  cycle(499ms);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  cycle(1ms);
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, CountsADwellFromWhenItCameNotFromTheCycleBefore) {
  begin();
  cycle();
  now_ += 3ms;  // between two control cycles
  client_.say(crcl::Dwell{0.010});
  now_ += 9ms;
  door_.update(now_);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  now_ += 1ms;
  door_.update(now_);
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, FailsWhenTheRobotBreaksDown) {
  begin();
  move();
  robot_.fault_text = "broken down";
  cycle();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), "broken down");
  client_.say(crcl::InitCanon{});
  EXPECT_EQ(client_.state(), CommandState::kError);
  robot_.fault_text.clear();
  client_.say(crcl::InitCanon{});
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, SaysThatTheSafetySystemStopsItAndGoesOnAfterwards) {
  begin();
  move();
  robot_.fault_text = "safety stop: light curtain";
  robot_.is_stopped = true;
  for (int i = 0; i < 20; ++i) {
    cycle(1s);  // longer than any plan: the time does not count
  }
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_EQ(client_.description(), "safety stop: light curtain");
  robot_.fault_text.clear();
  robot_.is_stopped = false;
  cycle();
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_EQ(client_.description(), "");
  arrive();
  EXPECT_EQ(client_.state(), CommandState::kDone);
}

TEST_F(CrclSession, BeginsAMotionThatCameDuringASafetyStopWhenThatIsOver) {
  begin();
  robot_.fault_text = "safety stop: light curtain";
  robot_.is_stopped = true;
  move();
  cycle();
  EXPECT_EQ(robot_.motions, 0);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_EQ(client_.description(), "safety stop: light curtain");
  robot_.fault_text.clear();
  robot_.is_stopped = false;
  cycle();
  EXPECT_EQ(robot_.motions, 1);
}

TEST_F(CrclSession, GivesUpOnAMotionThatNeverEnds) {
  begin();
  move();  // planned: 1 s, and 10 s more are allowed
  cycle(11s);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  cycle();
  EXPECT_EQ(client_.state(), CommandState::kError);
  EXPECT_EQ(client_.description(), "the robot has not come to rest at its goal in time");
  EXPECT_EQ(robot_.stops.size(), 1U);
}

TEST_F(CrclSession, GivesUpOnAGripperThatNeverRests) {
  begin();
  robot_.gripper_report.is_busy = true;
  client_.say(crcl::SetEndEffector{0.5});
  cycle(5s);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  cycle();
  EXPECT_EQ(client_.description(), "the gripper has not come to rest in time");
}

TEST_F(CrclSession, GoesOnWithWhatAClientAskedForWhenItIsGone) {
  CrclTalk watcher(door_, 2, now_);
  begin();
  move(0.3);
  client_.say(crcl::SetLengthUnits{crcl::LengthUnit::kInch});
  const std::int64_t last = move(10.0);
  client_.close();
  arrive();
  EXPECT_EQ(watcher.status().command.command_id, last);
  EXPECT_DOUBLE_EQ(robot_.cartesian->goals[0].X_BT.translation().x(), 0.254);
  EXPECT_TRUE(client_.is_over());
}

TEST_F(CrclSession, EchoesWhereInWhichProgramACommandStands) {
  crcl::CommandInstance instance;
  instance.command = {.id = 7, .name = {}, .guards = {}, .body = crcl::InitCanon{}};
  instance.program_file = "kit.xml";
  instance.program_index = 0;
  instance.program_length = 12;
  client_.say_text(*crcl::encode(instance));
  const crcl::CommandStatus status = client_.status().command;
  EXPECT_EQ(status.program_file, "kit.xml");
  EXPECT_EQ(status.program_index, 0);
  EXPECT_EQ(status.program_length, 12);
}

}  // namespace
}  // namespace longarm::robots
