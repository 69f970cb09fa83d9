// SPDX-License-Identifier: Apache-2.0
// Clients of a CRCL door that come in numbers, never read, never end, or talk nonsense.
#include <chrono>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/crcl/framing.h"
#include "longarm/robots/test/crcl_bench.h"

namespace longarm::robots {
namespace {

using crcl::CommandState;
using CrclClients = CrclBench;
using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;

TEST_F(CrclClients, BeyondTheMostAreTurnedAway) {
  std::vector<std::unique_ptr<CrclTalk>> others;
  for (std::uint32_t i = 2; i <= 512; ++i) {
    others.push_back(std::make_unique<CrclTalk>(door_, i, now_));
  }
  CrclTalk surplus(door_, 513, now_);
  EXPECT_TRUE(surplus.is_over());
  EXPECT_EQ(door_.counts().turned_away, 1U);
  EXPECT_FALSE(others.back()->is_over());
  others.front()->close();
  CrclTalk late(door_, 514, now_);
  EXPECT_FALSE(late.is_over());
  EXPECT_EQ(late.status().command.status_id, 1);
}

TEST_F(CrclClients, WhoNeverReadIsDroppedAndOthersAreServed) {
  CrclTalk deaf(door_, 2, now_);
  for (int i = 0; i < 5000 && !deaf.is_over(); ++i) {
    deaf.say_numbered(1, crcl::GetStatus{});
  }
  EXPECT_TRUE(deaf.is_over());
  EXPECT_EQ(deaf.take_output(), "");
  EXPECT_EQ(door_.counts().dropped, 1U);
  EXPECT_EQ(client_.status().command.status_id, 1);
}

TEST_F(CrclClients, WhoNeverEndAMessageAreToldAndDropped) {
  CrclTalk endless(door_, 2, now_);
  endless.say_text("<CRCLCommandInstance>");
  const std::string filler(64 << 10, 'x');
  for (int i = 0; i < 17; ++i) {
    endless.say_text(filler);
  }
  EXPECT_TRUE(endless.is_over());
  EXPECT_EQ(endless.heard().command.state, CommandState::kError);
  EXPECT_EQ(client_.state(), CommandState::kReady);
}

TEST_F(CrclClients, WhoseMessageIsCutAnywhereAreUnderstood) {
  crcl::CommandInstance instance;
  instance.command = {.id = 3, .name = {}, .guards = {}, .body = crcl::InitCanon{}};
  const std::string text = *crcl::encode(instance);
  for (const char byte : text) {
    client_.say_text(std::string_view(&byte, 1));
  }
  EXPECT_EQ(client_.status().command.command_id, 3);
}

TEST_F(CrclClients, WhoSendWhatIsNoCommandAreToldSoAndTheRobotGoesOn) {
  begin();
  move();
  CrclTalk other(door_, 2, now_);
  other.say_text("<CRCLStatus/>");
  EXPECT_EQ(other.take_output(), "") << "nobody has asked";
  const crcl::Status answer = other.status();
  EXPECT_EQ(answer.command.state, CommandState::kError);
  EXPECT_EQ(answer.command.description, "expected a CRCLCommandInstance or a CRCLProgram");
  EXPECT_EQ(client_.state(), CommandState::kWorking);
  EXPECT_EQ(other.state(), CommandState::kWorking) << "said once";
  EXPECT_EQ(door_.counts().malformed, 1U);
  arrive();
  other.say(crcl::InitCanon{});
  EXPECT_EQ(other.state(), CommandState::kDone);
}

TEST_F(CrclClients, WhoTalkNonsenseAreToldSoAndDropped) {
  begin();
  move();
  CrclTalk other(door_, 2, now_);
  other.say_text("GET / HTTP/1.1\r\n\r\n<hello/>");
  EXPECT_EQ(other.heard().command.state, CommandState::kError);
  EXPECT_TRUE(other.is_over());
  EXPECT_EQ(door_.counts().malformed, 1U);
  EXPECT_EQ(client_.state(), CommandState::kWorking);
}

TEST_F(CrclClients, WhoseCommandCannotBeReadGetAnErrorForItsNumber) {
  begin();
  client_.say_text(
      "<CRCLCommandInstance><CRCLCommand xsi:type=\"DwellType\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><CommandID>41</CommandID>"
      "<DwellTime>long</DwellTime></CRCLCommand></CRCLCommandInstance>");
  const crcl::CommandStatus status = client_.status().command;
  EXPECT_EQ(status.command_id, 41);
  EXPECT_EQ(status.state, CommandState::kError);
  EXPECT_THAT(status.description.value_or(""), HasSubstr("DwellTime"));
}

TEST_F(CrclClients, WhoseStopCannotBeReadStopTheRobotAtOnceAndGetAnError) {
  const auto stop = [](const std::string& id) {
    return "<CRCLCommandInstance><CRCLCommand xsi:type=\"StopMotionType\" "
           "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">" +
           id + "<StopCondition>Sloppy</StopCondition></CRCLCommand></CRCLCommandInstance>";
  };
  begin();
  move(0.3);
  move(0.4);
  client_.say_text(stop("<CommandID>41</CommandID>"));
  EXPECT_EQ(robot_.stops, std::vector{StopKind::kNormal});
  const crcl::CommandStatus status = client_.status().command;
  EXPECT_EQ(status.command_id, 41);
  EXPECT_EQ(status.state, CommandState::kError);
  EXPECT_THAT(status.description.value_or(""), HasSubstr("StopCondition"));
  arrive();
  EXPECT_EQ(robot_.motions, 1) << "what waited is dropped";
  client_.say(crcl::InitCanon{});
  move();
  client_.say_text(stop(""));  // not even a number
  EXPECT_EQ(robot_.stops.size(), 2U);
  EXPECT_EQ(client_.state(), CommandState::kError);
}

TEST_F(CrclClients, HearNothingFromADeadControllerAndStartAfreshAfterwards) {
  begin();
  move();
  client_.say_numbered(9, crcl::GetStatus{});
  door_.set_silent(true);
  EXPECT_EQ(client_.take_output(), "");
  client_.say_numbered(9, crcl::GetStatus{});
  client_.say(crcl::StopMotion{});
  cycle();
  EXPECT_EQ(client_.take_output(), "");
  EXPECT_TRUE(robot_.stops.empty());
  EXPECT_FALSE(client_.is_over());  // nobody told them
  door_.set_silent(false);
  EXPECT_TRUE(client_.is_over());
  CrclTalk again(door_, 2, now_);
  EXPECT_EQ(again.status().command.state, CommandState::kReady);
  EXPECT_EQ(again.status().command.command_id, 0);
}

TEST_F(CrclClients, AnswerEveryQuestionInOrder) {
  client_.say_numbered(1, crcl::GetStatus{});
  client_.say_numbered(2, crcl::InitCanon{});
  client_.say_numbered(3, crcl::GetStatus{});
  crcl::Framing framing;
  framing.feed(client_.take_output());
  const crcl::Status first = *crcl::decode_status(*framing.next().value());
  const crcl::Status second = *crcl::decode_status(*framing.next().value());
  EXPECT_EQ(first.command.state, CommandState::kReady);
  EXPECT_EQ(second.command.state, CommandState::kDone);
  EXPECT_EQ(second.command.command_id, 2);
  EXPECT_EQ(second.command.status_id, 2);
}

TEST(CrclDoor, ListensAtTheConfiguredPort) {
  ScriptedRobot robot;
  CrclDoorConfig config;
  config.port = 64445;
  EXPECT_EQ(CrclDoor("arm.crcl", robot, Pose::Identity(), config).port(), 64445);
}

TEST(CrclPush, TellsEveryClientOncePerPeriodWithoutBeingAsked) {
  Time now{};
  ScriptedRobot robot;
  CrclDoorConfig config;
  config.status_period = 50ms;
  CrclDoor door("arm.crcl", robot, Pose::Identity(), config);
  CrclTalk client(door, 1, now);
  int heard = 0;
  for (int i = 0; i <= 50; ++i) {  // 0 … 200 ms: at 0, 52, 104, 156 with cycles of 4 ms
    door.update(now);
    heard += client.take_output().empty() ? 0 : 1;
    now += 4ms;
  }
  EXPECT_EQ(heard, 4);
}

}  // namespace
}  // namespace longarm::robots
