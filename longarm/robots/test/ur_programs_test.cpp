// SPDX-License-Identifier: Apache-2.0
// Tests what programs show and say: their state while the arm slows down, threads, popups, texts.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/ur_bench.h"
#include "longarm/robots/ur/sockets.h"

namespace longarm::robots {
namespace {

using protocols::ConnectionId;
using protocols::ur::RuntimeState;
using testing::ElementsAre;
using testing::HasSubstr;

class UrPrograms : public testing::Test {
 protected:
  RuntimeState state() { return bench_.state().runtime_state; }
  /// Cycles for which it stays.
  int lasts(RuntimeState wanted) {
    int count = 0;
    while (state() == wanted && count < 500) {
      bench_.cycles(1);
      ++count;
    }
    return count;
  }
  /// Without the key messages, which say that a program began and ended.
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const auto& each : bench_.controller().messages()) {
      if (each.kind != protocols::ur::RobotMessage::Kind::kKey) {
        all.push_back(each.text);
      }
    }
    return all;
  }

  UrBench bench_;
};

// 0.4 rad/s at 4 rad/s²: 0.1 s, 12.5 cycles
TEST_F(UrPrograms, AreStoppingWhileTheArmSlowsDown) {
  bench_.say("def go():\n  speedj([0.4,0,0,0,0,0], 4.0, 9.0)\nend\n");
  bench_.run(0.4);
  ASSERT_EQ(state(), RuntimeState::kPlaying);
  ASSERT_TRUE(bench_.controller().stop());
  bench_.cycles(1);
  EXPECT_EQ(lasts(RuntimeState::kStopping), 12);
  EXPECT_EQ(state(), RuntimeState::kStopped);
  EXPECT_EQ(bench_.state().qd_target, Joints{});
}

// time slows down and speeds up by 2 per second: 0.5 s, 62.5 cycles
TEST_F(UrPrograms, ArePausingAndResumingWhileTheirTimeChangesItsPace) {
  bench_.say("def go():\n  movej([1.5,-1.57,1.57,-1.57,-1.57,0], a=1.0, v=0.5)\nend\n");
  bench_.run(0.8);
  ASSERT_TRUE(bench_.controller().pause());
  bench_.cycles(1);
  EXPECT_EQ(lasts(RuntimeState::kPausing), 62);
  EXPECT_EQ(state(), RuntimeState::kPaused);
  EXPECT_EQ(bench_.state().qd_target, Joints{});
  bench_.run(0.2);
  ASSERT_TRUE(bench_.controller().play());
  bench_.cycles(1);
  EXPECT_EQ(lasts(RuntimeState::kResuming), 62);
  EXPECT_EQ(state(), RuntimeState::kPlaying);
}

TEST_F(UrPrograms, AreNotMovedByTwoThreadsAtOnce) {
  bench_.say(
      "def two():\n"
      "  thread other():\n"
      "    movej([0.5,-1.57,1.57,-1.57,-1.57,0])\n"
      "  end\n"
      "  h = run other()\n"
      "  movej([-0.5,-1.57,1.57,-1.57,-1.57,0])\n"
      "  textmsg(\"arrived\")\n"
      "end\n");
  bench_.cycles(3);
  EXPECT_EQ(bench_.last_message(), "Another thread is already controlling the robot");
  EXPECT_EQ(bench_.figures().runtime_exceptions.count, 1U);
  bench_.say(
      "def after():\n"
      "  thread other():\n"
      "    movej([0.1,-1.57,1.57,-1.57,-1.57,0], t=0.4)\n"
      "  end\n"
      "  h = run other()\n"
      "  sleep(0.1)\n"
      "  kill h\n"
      "  stopj(4.0)\n"
      "  textmsg(\"arrived\")\n"
      "end\n");
  bench_.finish();
  EXPECT_EQ(bench_.last_message(), "arrived");
}

TEST_F(UrPrograms, RefuseTimesBelowZero) {
  for (const std::string call :
       {"speedj([0.1,0,0,0,0,0], 1.0, -1.0)", "speedl([0.1,0,0,0,0,0], 1.0, -1.0)",
        "servoj([0,-1.57,1.57,-1.57,-1.57,0], t=-5)"}) {
    bench_.say(call + "\n");
    bench_.cycles(2);
    EXPECT_EQ(bench_.last_message(), call.substr(0, 6) + ": the time must not be negative");
    EXPECT_EQ(bench_.state().qd_target, Joints{});
  }
}

TEST_F(UrPrograms, WaitForABlockingPopupToBeClosed) {
  bench_.say("def ask():\n  popup(\"Ready?\", blocking=True)\n  textmsg(\"yes\")\nend\n");
  bench_.run(1.0);
  EXPECT_EQ(bench_.last_message(), "Ready?");
  EXPECT_EQ(state(), RuntimeState::kPlaying);
  bench_.controller().show_popup("");
  bench_.cycles(1);
  EXPECT_EQ(bench_.last_message(), "yes");
  EXPECT_EQ(state(), RuntimeState::kStopped);
}

TEST_F(UrPrograms, ReadFromADeadSocketWithoutBeingAnInfiniteLoop) {
  protocols::Door& door = bench_.controller().sockets();
  bench_.say(
      "def listen():\n"
      "  socket_open(\"peer\", 50001)\n"
      "  count = 0\n"
      "  while count < 50:\n"
      "    numbers = socket_read_binary_integer(1)\n"
      "    count = count + 1\n"
      "  end\n"
      "  textmsg(\"reads \", count)\n"
      "end\n");
  bench_.cycles(1);
  ASSERT_TRUE(door.take_call());
  door.open(ConnectionId{1}, bench_.now);
  bench_.cycles(1);
  door.close(ConnectionId{1}, bench_.now);
  EXPECT_GE(bench_.finish(), 50);
  EXPECT_EQ(bench_.last_message(), "reads 50");
}

TEST_F(UrPrograms, KeepTheirSocketsWhenABareStatementBesideThemEnds) {
  protocols::Door& door = bench_.controller().sockets();
  bench_.say(
      "def listen():\n"
      "  socket_open(\"peer\", 50001)\n"
      "  numbers = socket_read_binary_integer(1)\n"
      "  textmsg(\"heard \", numbers[1])\n"
      "end\n");
  bench_.cycles(1);
  ASSERT_TRUE(door.take_call());
  bench_.say("set_payload(2)\n");
  bench_.cycles(2);
  door.open(ConnectionId{1}, bench_.now);
  bench_.say("set_flag(1, True)\n");
  bench_.cycles(2);
  door.receive(ConnectionId{1}, std::string("\0\0\0\7", 4), bench_.now);
  bench_.finish();
  EXPECT_EQ(bench_.last_message(), "heard 7");
}

TEST_F(UrPrograms, SayWhyASocketWasNotOpened) {
  bench_.say(
      "def call():\n"
      "  a = socket_open(\"peer\", 99999)\n"
      "  b = socket_open(\"peer\", -1, \"b\")\n"
      "  c = socket_open(\"\", 50001)\n"
      "  textmsg(a or b or c)\n"
      "end\n");
  bench_.cycles(1);
  EXPECT_THAT(texts(),
              ElementsAre("call",
                          "socket_open to 'peer:99999': a port is a number from 1 to 65535, not "
                          "99999",
                          "socket_open to 'peer:-1': a port is a number from 1 to 65535, not -1",
                          "socket_open to ':50001': the address is empty", "False"));
}

TEST_F(UrPrograms, HaveEachTheirAnswerWhenTwoThreadsOpenTheSameSocket) {
  protocols::Door& door = bench_.controller().sockets();
  bench_.say(
      "def call():\n"
      "  thread other():\n"
      "    textmsg(\"b \", socket_open(\"b\", 2))\n"
      "  end\n"
      "  h = run other()\n"
      "  textmsg(\"a \", socket_open(\"a\", 1))\n"
      "  join h\n"
      "end\n");
  bench_.cycles(1);
  EXPECT_EQ(door.take_call()->host, "b");
  door.open(ConnectionId{1}, bench_.now);
  bench_.cycles(2);
  EXPECT_THAT(texts(), ElementsAre("call", "socket_open to 'a:1': there is no connection",
                                   "a False", "b True"));
}

TEST_F(UrPrograms, AreToldWhichOfSixNumbersDoesNotFit) {
  const std::pair<std::string, std::string> cases[] = {
      {"movej([0.2,0,0,0,0],1)", "argument 1 of movej must be six numbers, not 5"},
      {"movej([0,1e9,0,0,0,0],1)",
       "argument 1 of movej: number 2 of the six is 1e+09, beyond a million"},
      {"movej(7,1)", "argument 1 of movej must be six numbers, not an integer"},
      {"movej([0,True,0,0,0,0],1)",
       "argument 1 of movej must be six numbers; number 2 is a boolean"},
  };
  for (const auto& [call, text] : cases) {
    bench_.say(call + "\n");
    bench_.cycles(1);
    EXPECT_EQ(bench_.last_message(), text);
  }
}

TEST_F(UrPrograms, BlameTheAccelerationThatWasAskedFor) {
  bench_.say("speedl([5,0,0,0,0,0],50,1)\n");
  bench_.cycles(2);
  ASSERT_EQ(bench_.figures().protective_stops.size(), 1U);
  EXPECT_THAT(bench_.figures().protective_stops[0].reason,
              HasSubstr("rad/s², and may by 40: the tool is to change its speed too fast"));
}

TEST_F(UrPrograms, SpeakInTheOrderInWhichThingsHappen) {
  bench_.say("sec a():\n  x = 1 / 0\nend\n");
  bench_.say("sec b():\n  textmsg(\"b\")\nend\n");
  bench_.cycles(1);
  EXPECT_THAT(texts(), ElementsAre("division by zero", "b"));
}

TEST_F(UrPrograms, ScriptsThatAreTooLongAreSpokenOf) {
  bench_.controller().refuse_script("a line of more than 65536 bytes");
  EXPECT_EQ(bench_.last_message(), "a script was not taken: a line of more than 65536 bytes");
  EXPECT_EQ(bench_.figures().refused_scripts, 1U);
}

TEST_F(UrPrograms, RefusalsOfTheDashboardAreBareAndTheReasonIsAMessage) {
  const auto played = bench_.controller().play();
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "Failed to execute: play");
  EXPECT_EQ(bench_.last_message(), "play: no program is loaded");
  const auto paused = bench_.controller().pause();
  ASSERT_FALSE(paused);
  EXPECT_EQ(paused.error().message, "Failed to execute: pause");
  EXPECT_EQ(bench_.last_message(), "pause: no program is running");
}

}  // namespace
}  // namespace longarm::robots
