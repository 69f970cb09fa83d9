// SPDX-License-Identifier: Apache-2.0
// Who gets which packet at the primary, secondary and real-time ports, and whose scripts are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/test/ur_by_hand.h"
#include "longarm/protocols/test/ur_rtde_port.h"
#include "longarm/protocols/ur/framer.h"
#include "longarm/protocols/ur/primary.h"
#include "longarm/protocols/ur/realtime.h"
#include "longarm/protocols/ur/stream_door.h"

namespace longarm::protocols::ur {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ConnectionId kFirst{1};
constexpr ConnectionId kSecond{2};
constexpr Time kNow{};

class UrStreamDoor : public testing::Test {
 protected:
  UrStreamDoor() {
    controller_.controller_info = distinct_info();
    controller_.controller_state = distinct_state();
  }
  void end_cycle() {
    ++controller_.cycle_count;
    controller_.controller_state.timestamp_s =
        40.0 + 0.008 * static_cast<double>(controller_.cycle_count);
  }
  void say(RobotMessage message) {
    std::vector<RobotMessage>& said = controller_.controller_messages;
    message.number = said.empty() ? 0 : said.back().number + 1;
    said.push_back(std::move(message));
  }
  StreamDoor make(StreamKind kind, bool is_read_only = false) {
    return StreamDoor("ur5.stream", 30003, kind, is_read_only, controller_);
  }
  /// Cycles, counted from 1, in which the client got a packet.
  std::vector<std::uint64_t> cycles_with_packets(StreamDoor& door, ConnectionId client,
                                                 std::uint64_t until) {
    std::vector<std::uint64_t> cycles;
    while (controller_.cycle_count < until) {
      end_cycle();
      if (!door.take_cyclic(client).empty()) {
        cycles.push_back(controller_.cycle_count);
      }
    }
    return cycles;
  }

  ScriptedController controller_;
};

TEST_F(UrStreamDoor, RealTimeClientGetsEachCycleOnce) {
  StreamDoor door = make(StreamKind::kRealTime);
  door.open(kFirst, kNow);
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  for (int i = 1; i <= 3; ++i) {
    end_cycle();
    const std::string packet = door.take_cyclic(kFirst);
    ASSERT_EQ(packet.size(), 1116U);
    EXPECT_EQ(double_at(packet, 4), 40.0 + 0.008 * i);
    // the seven steps before the next cycle
    EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  }
}

TEST_F(UrStreamDoor, PacketsNotAskedForInTimeAreNotKept) {
  StreamDoor door = make(StreamKind::kRealTime);
  door.open(kFirst, kNow);
  for (int i = 0; i < 5; ++i) {
    end_cycle();
  }
  const std::string packet = door.take_cyclic(kFirst);
  ASSERT_EQ(packet.size(), 1116U);
  EXPECT_EQ(double_at(packet, 4), 40.0 + 0.008 * 5);
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
}

TEST_F(UrStreamDoor, ClientThatComesLaterBeginsWithTheNextCycle) {
  StreamDoor door = make(StreamKind::kRealTime);
  door.open(kFirst, kNow);
  end_cycle();
  door.open(kSecond, kNow);
  EXPECT_EQ(door.take_cyclic(kFirst).size(), 1116U);
  EXPECT_THAT(door.take_cyclic(kSecond), IsEmpty());
  end_cycle();
  const std::string packet = door.take_cyclic(kFirst);
  EXPECT_EQ(packet.size(), 1116U);
  EXPECT_EQ(door.take_cyclic(kSecond), packet);
}

TEST_F(UrStreamDoor, SizeIsThatOfTheFirmware) {
  controller_.controller_info.firmware = {3, 4, 0, 0};
  StreamDoor door = make(StreamKind::kRealTime);
  door.open(kFirst, kNow);
  end_cycle();
  EXPECT_EQ(door.take_cyclic(kFirst).size(), 1060U);
}

TEST_F(UrStreamDoor, PrimaryAndSecondaryClientsAreGreetedWithTheVersionOnce) {
  for (const StreamKind kind : {StreamKind::kPrimary, StreamKind::kSecondary}) {
    StreamDoor door = make(kind);
    door.open(kFirst, kNow);
    EXPECT_EQ(door.take_output(kFirst), encode_version({.firmware = {3, 15, 8, 106339}}));
    EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  }
}

TEST_F(UrStreamDoor, FirstStateDoesNotComeTogetherWithTheVersion) {
  StreamDoor door = make(StreamKind::kSecondary);
  door.open(kFirst, kNow);
  end_cycle();
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  EXPECT_EQ(door.take_output(kFirst).size(), 55U);
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  end_cycle();
  EXPECT_EQ(door.take_cyclic(kFirst).size(), 1186U);
}

TEST_F(UrStreamDoor, StatesComeAt10HzWithTheFirstCycleThatEndsAtOrAfterEachTenthOfASecond) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  // the first at once; 100 ms / 8 ms = 12.5, so the cycles that end at 104, 200, 304, 400 ms, …
  EXPECT_THAT(cycles_with_packets(door, kFirst, 64), ElementsAre(1, 13, 25, 38, 50, 63));
  // ten in each second of 125 cycles, without drift
  cycles_with_packets(door, kFirst, 125);
  EXPECT_EQ(cycles_with_packets(door, kFirst, 125 * 101).size(), 1000U);
}

TEST_F(UrStreamDoor, AChangeOfTheSafetyModeIsToldAtOnce) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  cycles_with_packets(door, kFirst, 3);
  controller_.controller_state.safety_mode = SafetyMode::kProtectiveStop;
  EXPECT_THAT(cycles_with_packets(door, kFirst, 13), ElementsAre(4, 13));
}

TEST_F(UrStreamDoor, StatesOfAllClientsAreTheSame) {
  StreamDoor door = make(StreamKind::kSecondary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  cycles_with_packets(door, kFirst, 5);
  door.open(kSecond, kNow);
  door.take_output(kSecond);
  end_cycle();
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  EXPECT_EQ(door.take_cyclic(kSecond), encode_robot_state(describe(controller_.controller_info,
                                                                   controller_.controller_state)));
  while (controller_.cycle_count < 13) {
    end_cycle();
  }
  const std::string packet = door.take_cyclic(kFirst);
  EXPECT_EQ(packet, encode_robot_state(
                        describe(controller_.controller_info, controller_.controller_state)));
  EXPECT_EQ(door.take_cyclic(kSecond), packet);
}

TEST_F(UrStreamDoor, PrimaryClientsHearMessagesInOrderAndOnce) {
  StreamDoor door = make(StreamKind::kPrimary);
  say({.text = "before"});
  door.open(kFirst, kNow);
  door.open(kSecond, kNow);
  door.take_output(kFirst);
  door.take_output(kSecond);
  // cycle 2 ended at 16 ms, when the controller's clock showed 40.016 s: 40 s ahead
  end_cycle();
  end_cycle();
  say({.time = Time(std::chrono::milliseconds(16)), .text = "one"});
  say({.kind = RobotMessage::Kind::kRuntimeException,
       .time = Time(std::chrono::milliseconds(16)),
       .text = "two",
       .code = 4});
  end_cycle();
  door.take_cyclic(kFirst);
  door.take_cyclic(kSecond);
  const std::string expected =
      encode_message({RobotMessage::Kind::kText, 40'016'000, -3, "one"}) +
      encode_message({RobotMessage::Kind::kRuntimeException, 40'016'000, -3, "two", 4});
  EXPECT_EQ(door.take_output(kFirst), expected);
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  say({.time = Time(std::chrono::milliseconds(23)), .text = "three"});
  EXPECT_EQ(door.take_output(kSecond),
            expected + encode_message({RobotMessage::Kind::kText, 40'023'000, -3, "three"}));
}

// a client that reads of a stop and asks at once whether the robot has stopped must find that it
// has
TEST_F(UrStreamDoor, MessagesFollowTheStateOfTheirCycle) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  end_cycle();
  door.take_cyclic(kFirst);
  // said when the second cycle began, and in the middle of it
  say({.time = Time(std::chrono::milliseconds(8)), .text = "one"});
  say({.time = Time(std::chrono::milliseconds(12)), .text = "two"});
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  controller_.controller_state.safety_mode = SafetyMode::kProtectiveStop;
  end_cycle();
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  EXPECT_THAT(door.take_cyclic(kFirst), testing::Not(IsEmpty()));
  // said when the third began
  say({.time = Time(std::chrono::milliseconds(16)), .text = "three"});
  EXPECT_THAT(door.take_output(kFirst), testing::EndsWith("two"));
  end_cycle();
  door.take_cyclic(kFirst);
  EXPECT_THAT(door.take_output(kFirst), testing::EndsWith("three"));
}

TEST_F(UrStreamDoor, MessagesThatTheControllerHasForgottenAreNotMissed) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  for (int i = 0; i < 10; ++i) {
    say({.text = std::to_string(i)});
  }
  controller_.controller_messages.erase(controller_.controller_messages.begin(),
                                        controller_.controller_messages.begin() + 9);
  end_cycle();
  door.take_cyclic(kFirst);
  EXPECT_THAT(door.take_output(kFirst), testing::EndsWith("9"));
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
}

TEST_F(UrStreamDoor, SecondaryClientsHearNoMessages) {
  StreamDoor door = make(StreamKind::kSecondary);
  door.open(kFirst, kNow);
  door.take_output(kFirst);
  say({.text = "one"});
  end_cycle();
  door.take_cyclic(kFirst);
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
}

TEST_F(UrStreamDoor, ScriptsOfEveryClientAreRunInTheOrderOfTheirEnds) {
  StreamDoor door = make(StreamKind::kRealTime);
  door.open(kFirst, kNow);
  door.open(kSecond, kNow);
  door.receive(kFirst, "def p():\n sync()\n", kNow);
  door.receive(kSecond, "stopj(2)\nstopl", kNow);
  door.receive(kFirst, "end\n", kNow);
  door.receive(kSecond, "(1)\n", kNow);
  EXPECT_THAT(controller_.asked,
              ElementsAre("stopj(2)\n", "def p():\n sync()\nend\n", "stopl(1)\n"));
  EXPECT_EQ(door.figures().scripts, 3U);
}

TEST_F(UrStreamDoor, LinesThatAreOrdersGoToTheControllerItself) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.receive(kFirst,
               "stop program\npause\n play \r\npower on\n\npower off\nset robotmode run\n"
               "set unlock protective stop\n",
               kNow);
  EXPECT_THAT(controller_.asked, ElementsAre("stop", "pause", "play", "power_on", "power_off",
                                             "release_brakes", "unlock_at_once"));
}

TEST_F(UrStreamDoor, OrdersInsideOfProgramsAreNone) {
  StreamDoor door = make(StreamKind::kSecondary);
  door.open(kFirst, kNow);
  door.receive(kFirst, "def p():\n pause\nend\npauses\n", kNow);
  EXPECT_THAT(controller_.asked, ElementsAre("def p():\n pause\nend\n", "pauses\n"));
}

TEST_F(UrStreamDoor, ScriptsThatAreTooLongAreCountedAndTheControllerIsToldInTurn) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.receive(kFirst, "stopj(1)\n" + std::string(100'000, 'x') + "\nstopj(2)\n", kNow);
  EXPECT_THAT(controller_.asked,
              ElementsAre("stopj(1)\n", "refused a line of more than 65536 bytes", "stopj(2)\n"));
  EXPECT_EQ(door.figures().dropped, 1U);
  EXPECT_EQ(door.figures().last_drop, "a line of more than 65536 bytes");
}

TEST_F(UrStreamDoor, TheControllerIsToldOfAProgramWhoseEndNeverCame) {
  StreamDoor door = make(StreamKind::kSecondary);
  door.open(kFirst, kNow);
  door.receive(kFirst, "def half():\n  movej(q)\n", kNow);
  EXPECT_THAT(controller_.asked, IsEmpty());
  door.close(kFirst, kNow);
  EXPECT_THAT(controller_.asked,
              ElementsAre("refused the connection was closed before the 'end' of 'def half():'"));
  EXPECT_EQ(door.figures().dropped, 1U);
}

TEST_F(UrStreamDoor, ReadOnlyPortsIgnoreWhatTheyReceive) {
  StreamDoor door = make(StreamKind::kRealTime, true);
  door.open(kFirst, kNow);
  door.receive(kFirst, "stopj(2)\n", kNow);
  EXPECT_THAT(controller_.asked, IsEmpty());
  end_cycle();
  EXPECT_EQ(door.take_cyclic(kFirst).size(), 1116U);
  EXPECT_FALSE(door.is_over(kFirst));
}

TEST_F(UrStreamDoor, NothingIsKeptOfAClientThatIsGone) {
  StreamDoor door = make(StreamKind::kPrimary);
  door.open(kFirst, kNow);
  door.receive(kFirst, "def p():\n", kNow);
  door.close(kFirst, kNow);
  EXPECT_EQ(door.clients(), 0U);
  end_cycle();
  EXPECT_THAT(door.take_output(kFirst), IsEmpty());
  EXPECT_THAT(door.take_cyclic(kFirst), IsEmpty());
  controller_.asked.clear();  // of the half program it was told
  door.receive(kFirst, "stopj(2)\n", kNow);
  EXPECT_THAT(controller_.asked, IsEmpty());
  // the same id again is a new client: greeted, and not in the middle of a block
  door.open(kFirst, kNow);
  EXPECT_EQ(int_at(door.take_output(kFirst), 0), 55);
  door.receive(kFirst, "stopj(2)\n", kNow);
  EXPECT_THAT(controller_.asked, ElementsAre("stopj(2)\n"));
}

TEST_F(UrStreamDoor, ClientsBeyondTheMostThereCanBeAreTurnedAway) {
  StreamDoor door = make(StreamKind::kRealTime);
  for (std::uint32_t i = 0; i <= StreamDoor::kMaxClients; ++i) {
    door.open(ConnectionId{i}, kNow);
  }
  EXPECT_FALSE(door.is_over(ConnectionId{0}));
  EXPECT_TRUE(door.is_over(ConnectionId{StreamDoor::kMaxClients}));
  door.close(ConnectionId{StreamDoor::kMaxClients}, kNow);
  EXPECT_EQ(door.clients(), StreamDoor::kMaxClients);
}

TEST_F(UrStreamDoor, NameAndPortAreThoseItWasGiven) {
  StreamDoor door = make(StreamKind::kRealTime);
  EXPECT_EQ(door.name(), "ur5.stream");
  EXPECT_EQ(door.port(), 30003);
}

}  // namespace
}  // namespace longarm::protocols::ur
