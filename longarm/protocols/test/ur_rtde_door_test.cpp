// SPDX-License-Identifier: Apache-2.0
// Conversations with the RTDE server, byte by byte and through our own client: versions, outputs,
// refusals.
#include <limits>

#include <gmock/gmock.h>

#include "longarm/protocols/test/ur_rtde_talk.h"

namespace longarm::protocols::ur {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class Rtde : public RtdeTalk {};

TEST_F(Rtde, ShakesHandsInTheBytesOfVersion2) {
  controller.controller_info.firmware = {3, 15, 8, 1};
  controller.controller_state.robot_mode = RobotMode::kRunning;
  EXPECT_EQ(say("\x00\x05V\x00\x02"s), "\x00\x04V\x01"s);
  EXPECT_EQ(say("\x00\x03v"s),
            "\x00\x13v\x00\x00\x00\x03\x00\x00\x00\x0f\x00\x00\x00\x08\x00\x00\x00\x01"s);
  // 3 + 8 + 20 = 31 = 0x1f; 125 = 0x405f40…
  EXPECT_EQ(say("\x00\x1fO\x40\x5f\x40\x00\x00\x00\x00\x00timestamp,robot_mode"s),
            "\x00\x10O\x01"s + "DOUBLE,INT32");
  // 3 + 20 = 23 = 0x17
  EXPECT_EQ(say("\x00\x17Iinput_int_register_0"s), "\x00\x09I\x01INT32"s);
  EXPECT_EQ(say("\x00\x03S"s), "\x00\x04S\x01"s);
  EXPECT_EQ(door.take_cyclic(kClient), "") << "no cycle since the start";
  controller.cycle_count = 1;
  controller.controller_state.timestamp_s = 1.5;
  EXPECT_EQ(door.take_cyclic(kClient),
            "\x00\x10U\x01\x3f\xf8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07"s);
  EXPECT_EQ(door.take_cyclic(kClient), "") << "once per cycle";
  EXPECT_EQ(say("\x00\x08U\x01\xff\xff\xff\xfe"s), "") << "data is not answered";
  ASSERT_EQ(controller.written.size(), 1U);
  EXPECT_EQ(controller.written[0].has_integer, 1U);
  EXPECT_EQ(controller.written[0].registers.integers[0], -2);
  EXPECT_EQ(say("\x00\x03P"s), "\x00\x04P\x01"s);
  controller.cycle_count = 2;
  EXPECT_EQ(door.take_cyclic(kClient), "");
  EXPECT_EQ(door.counters().packets, 7U);
  EXPECT_EQ(door.counters().refusals, 0U);
}

TEST_F(Rtde, SpeaksVersion1UntilAskedForAnother) {
  EXPECT_EQ(say("\x00\x17Otimestamp,robot_mode"s), "\x00\x0fODOUBLE,INT32"s);
  EXPECT_EQ(say("\x00\x17Iinput_int_register_0"s), "\x00\x09I\x01INT32"s);
  EXPECT_EQ(say("\x00\x03S"s), "\x00\x04S\x01"s);
  controller.cycle_count = 1;
  controller.controller_state.timestamp_s = 1.5;
  // without a recipe, in every cycle
  EXPECT_EQ(door.take_cyclic(kClient),
            "\x00\x0fU\x3f\xf8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07"s);
  controller.cycle_count = 2;
  EXPECT_EQ(door.take_cyclic(kClient).size(), 15U);
  say("\x00\x08U\x01\x00\x00\x00\x05"s);
  EXPECT_EQ(controller.written.at(0).registers.integers[0], 5);
  // words are a level and a text: 3 + 1 + 32 bytes, 36 = 0x24
  EXPECT_EQ(say("\x00\x03X"s), "\x00\x1aM\x01unknown packet type 88"s);
}

TEST_F(Rtde, AnswersTheSameHoweverRequestsAreCut) {
  const std::string bytes =
      "\x00\x05V\x00\x02\x00\x03v\x00\x1fO\x40\x5f\x40\x00\x00\x00\x00\x00timestamp,robot_mode"s
      "\x00\x03S\x00\x03?\x00\x03P\x00\x04S!"s;
  const std::string whole = say(bytes);
  // V, v, O, S, text to '?', P, S refused and a text
  RtdeClient reader;
  reader.ask_version(RtdeVersion::k2);
  EXPECT_EQ(reader.hear(whole).size(), 8U);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const ConnectionId fresh{static_cast<std::uint32_t>(100 + cut)};
    door.open(fresh, Time{});
    std::string answers = say(bytes.substr(0, cut), fresh);
    answers += say(bytes.substr(cut), fresh);
    EXPECT_EQ(answers, whole) << cut;
    door.close(fresh, Time{});
  }
}

TEST_F(Rtde, RefusesVersionsItDoesNotSpeak) {
  EXPECT_EQ(say("\x00\x05V\x00\x02"s), "\x00\x04V\x01"s);
  RtdeClient client;
  client.ask_version(RtdeVersion::k2);
  client.hear("\x00\x04V\x01"s);
  const std::vector<Heard> heard = client.hear(say("\x00\x05V\x00\x03"s));
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_FALSE(std::get<RtdeClient::VersionAnswer>(heard[0]).is_accepted);
  EXPECT_EQ(
      std::get<RtdeText>(heard[1]),
      (RtdeText{"unsupported protocol version 3; supported: 1 and 2", "RTDE", RtdeLevel::kError}));
  EXPECT_EQ(say("\x00\x0aOpayload"s).substr(0, 4), "\x00\x04O\x00"s)
      << "still version 2, which wants a frequency";
}

TEST_F(Rtde, NamesWhatIsNotFoundAndDoesNotStart) {
  RtdeClient client = client_of_version_2();
  const auto answer = ask<RtdeClient::OutputsAnswer>(
      client, client.set_up_outputs({"actual_q", "actual_g", "payload"}, 125));
  EXPECT_FALSE(answer.is_accepted);
  EXPECT_THAT(answer.types, ElementsAre("VECTOR6D", "NOT_FOUND", "DOUBLE"));
  EXPECT_EQ(words, "NOT_FOUND actual_g");
  EXPECT_FALSE(ask<RtdeClient::StartAnswer>(client, client.start()).is_accepted);
  EXPECT_EQ(words, "no outputs are set up");
  EXPECT_EQ(cycle(), "");
}

TEST_F(Rtde, ReplacesARecipeOfOutputsByTheNewest) {
  RtdeClient client = client_of_version_2();
  EXPECT_TRUE(
      ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"actual_q"}, 125)).is_accepted);
  ask<RtdeClient::StartAnswer>(client, client.start());
  EXPECT_EQ(cycle().size(), 4U + 48U);
  EXPECT_TRUE(
      ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"payload"}, 125)).is_accepted);
  EXPECT_EQ(cycle(), "") << "a setup ends the data until the next start";
  ask<RtdeClient::StartAnswer>(client, client.start());
  EXPECT_EQ(cycle().size(), 4U + 8U);
}

TEST_F(Rtde, SendsEveryNthCycleWhereNIsThePeriodRoundedDown) {
  // n = floor(125 / f), from the first cycle after the start
  EXPECT_THAT(cycles_of(125, 4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(cycles_of(100, 4), ElementsAre(1, 2, 3, 4)) << "floor(1.25) = 1";
  EXPECT_THAT(cycles_of(62.5, 6), ElementsAre(1, 3, 5));
  EXPECT_THAT(cycles_of(50, 6), ElementsAre(1, 3, 5)) << "floor(2.5) = 2";
  // as doubles, 125 / (125 / 15) is less than 15
  EXPECT_THAT(cycles_of(125.0 / 15.0, 40), ElementsAre(1, 16, 31));
  EXPECT_THAT(cycles_of(10, 40), ElementsAre(1, 13, 25, 37)) << "floor(12.5) = 12";
  EXPECT_THAT(cycles_of(1, 300), ElementsAre(1, 126, 251));
}

TEST_F(Rtde, DoesNotDriftWhenNobodyAsksForAWhile) {
  RtdeClient client = client_of_version_2();
  ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"timestamp"}, 25));
  ask<RtdeClient::StartAnswer>(client, client.start());
  controller.cycle_count = 13;  // 1, 6 and 11 are gone
  EXPECT_NE(door.take_cyclic(kClient), "") << "one packet, the newest state";
  EXPECT_EQ(door.take_cyclic(kClient), "");
  controller.cycle_count = 15;
  EXPECT_EQ(door.take_cyclic(kClient), "");
  controller.cycle_count = 16;
  EXPECT_NE(door.take_cyclic(kClient), "") << "1 + 3 × 5";
}

TEST_F(Rtde, RefusesFrequenciesBeyondTheCycle) {
  for (const double frequency_hz :
       {0.0, 0.99, 125.1, 500.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    RtdeClient client = client_of_version_2();
    const auto answer =
        ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"payload"}, frequency_hz));
    EXPECT_FALSE(answer.is_accepted) << frequency_hz;
    EXPECT_THAT(answer.types, ElementsAre("DOUBLE"));
    EXPECT_THAT(words, testing::HasSubstr("Hz, 1 to 125 expected"));
  }
  controller.controller_info.cycle = Duration{2'000'000};  // as an e-Series has
  RtdeClient client = client_of_version_2();
  EXPECT_TRUE(
      ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"payload"}, 500)).is_accepted);
}

TEST_F(Rtde, EndsAConversationWhoseSizesCannotBe) {
  EXPECT_EQ(say("\x00\x05V\x00\x02"s), "\x00\x04V\x01"s);
  RtdeClient client;
  client.ask_version(RtdeVersion::k2);
  client.hear("\x00\x04V\x01"s);
  const std::vector<Heard> heard = client.hear(say("\x00\x02S"s));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(std::get<RtdeText>(heard[0]).level, RtdeLevel::kException);
  EXPECT_TRUE(door.is_over(kClient));
  EXPECT_EQ(say("\x00\x03v"s), "");
  EXPECT_FALSE(door.is_over(kOther));
  EXPECT_EQ(door.counters().lost, 1U);
}

TEST_F(Rtde, SaysWhatIsWrongWithARequestAndGoesOn) {
  RtdeClient client = client_of_version_2();
  EXPECT_FALSE(ask<RtdeClient::VersionAnswer>(client, "\x00\x04V\x02"s).is_accepted);
  EXPECT_EQ(words, "a request of a protocol version of 1 bytes, 2 expected");
  EXPECT_FALSE(ask<RtdeClient::StartAnswer>(client, "\x00\x04S\x02"s).is_accepted);
  EXPECT_EQ(words, "a start of 1 bytes, 0 expected");
  EXPECT_FALSE(ask<RtdeClient::PauseAnswer>(client, "\x00\x05P\x02\x02"s).is_accepted);
  EXPECT_EQ(words, "a pause of 2 bytes, 0 expected");
  EXPECT_FALSE(ask<RtdeClient::OutputsAnswer>(client, "\x00\x05O\x02\x02"s).is_accepted);
  EXPECT_EQ(words, "a setup of outputs of 2 bytes, a frequency (8) and names expected");
  EXPECT_FALSE(ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({}, 125)).is_accepted);
  EXPECT_EQ(words, "no outputs are named");
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(client, client.set_up_inputs({})).recipe, 0);
  EXPECT_EQ(words, "no inputs are named");
  EXPECT_EQ(ask<RtdeText>(client, "\x00\x04v\x02"s).message,
            "a request of the controller's version of 1 bytes, 0 expected");
  EXPECT_THAT(client.hear(say(client.say({"hello", "test", RtdeLevel::kInfo}))), IsEmpty());
  EXPECT_EQ(ask<RtdeControllerVersion>(client, client.ask_controller_version())[0], 3U);
  EXPECT_FALSE(door.is_over(kClient));
}

TEST_F(Rtde, RefusesRecipesThatFitIntoNoPacket) {
  RtdeClient client = client_of_version_2();
  // 11 bytes a name, 13 a type in the answer: 5500 × 13 > 65535
  const std::vector<std::string> long_answer(5500, "joint_mode");
  EXPECT_FALSE(
      ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs(long_answer, 125)).is_accepted);
  EXPECT_EQ(words, "more outputs than a packet can hold");
  // 9 bytes a name, 48 a value: 1365 × 48 = 65520, with recipe and header 65524
  const std::vector<std::string> fits(1365, "actual_q");
  EXPECT_TRUE(ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs(fits, 125)).is_accepted);
  ask<RtdeClient::StartAnswer>(client, client.start());
  EXPECT_EQ(cycle().size(), 65'524U);
  const std::vector<std::string> long_data(1366, "actual_q");
  EXPECT_FALSE(
      ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs(long_data, 125)).is_accepted);
  // "a," of two bytes becomes "NOT_FOUND," of ten
  EXPECT_EQ(ask<RtdeClient::InputsAnswer>(
                client, client.set_up_inputs(std::vector<std::string>(30'000, "a")))
                .recipe,
            0);
  EXPECT_EQ(words, "more inputs than a packet can hold");
}

TEST_F(Rtde, SendsAwayWhoAsksWithoutListening) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) {
    bytes += "\x00\x03v"s;
  }
  door.receive(kClient, bytes, Time{});
  EXPECT_TRUE(door.is_over(kClient));
  EXPECT_LE(door.take_output(kClient).size(), 256U * 1024 + 19);
}

TEST_F(Rtde, HearsOfNothingBeforeTheStartAndAfterThePause) {
  RtdeClient client = client_of_version_2();
  ask<RtdeClient::OutputsAnswer>(client, client.set_up_outputs({"timestamp"}, 125));
  EXPECT_EQ(cycle(), "");
  // a start and a pause before the same cycle
  EXPECT_EQ(say(client.start() + client.pause()), "\x00\x04S\x01\x00\x04P\x01"s);
  EXPECT_EQ(cycle(), "");
  // a second start changes nothing
  EXPECT_EQ(say(client.start()), "\x00\x04S\x01"s);
  EXPECT_EQ(say(client.start()), "\x00\x04S\x01"s);
  const std::vector<Heard> heard = client.hear(cycle());
  ASSERT_EQ(heard.size(), 1U);
  // the third cycle ends at 24 ms
  EXPECT_THAT(std::get<RtdeClient::Data>(heard[0]).values, ElementsAre(RtdeValue(0.008 * 3.0)));
  EXPECT_EQ(say(client.pause() + client.start()), "\x00\x04P\x01\x00\x04S\x01"s);
  EXPECT_NE(cycle(), "");
}

TEST_F(Rtde, ServesManyClientsAtRatesOfTheirOwn) {
  std::vector<RtdeClient> clients(512);
  for (std::uint32_t i = 0; i < clients.size(); ++i) {
    const ConnectionId id{1000 + i};
    door.open(id, Time{});
    say(clients[i].ask_version(RtdeVersion::k2), id);
    clients[i].hear("\x00\x04V\x01"s);
    const double frequency_hz = 125.0 / (1 + i % 5);
    clients[i].hear(say(clients[i].set_up_outputs({"timestamp", "actual_q"}, frequency_hz), id));
    say(clients[i].start(), id);
  }
  std::vector<std::size_t> packets(clients.size());
  for (int step = 0; step < 60; ++step) {
    ++controller.cycle_count;
    for (std::uint32_t i = 0; i < clients.size(); ++i) {
      packets[i] += clients[i].hear(door.take_cyclic(ConnectionId{1000 + i})).size();
    }
  }
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(packets[i], 60 / (1 + i % 5)) << i;
  }
}

TEST_F(Rtde, TurnsAwayMoreClientsThanItHasRoomFor) {
  // two are there already
  for (std::uint32_t i = 3; i <= RtdeDoor::kMaxClients + 1; ++i) {
    door.open(ConnectionId{i}, Time{});
  }
  EXPECT_FALSE(door.is_over(ConnectionId{RtdeDoor::kMaxClients}));
  EXPECT_TRUE(door.is_over(ConnectionId{RtdeDoor::kMaxClients + 1}));
  EXPECT_EQ(say("\x00\x03v"s, ConnectionId{RtdeDoor::kMaxClients + 1}), "");
  EXPECT_EQ(door.clients(), RtdeDoor::kMaxClients);
}

TEST(RtdeClient, LeavesOutWhatItCannotUnderstand) {
  RtdeClient client;
  // data before a setup, an acceptance of two bytes, an unknown type
  EXPECT_THAT(client.hear("\x00\x04U\x01\x00\x05S\x01\x01\x00\x03?"s), IsEmpty());
  EXPECT_EQ(client.not_understood(), 3U);
  EXPECT_FALSE(client.is_lost());
  client.hear("\x00\x00"s);
  EXPECT_FALSE(client.is_lost()) << "a header is three bytes";
  client.hear("V"s);
  EXPECT_TRUE(client.is_lost());
}

}  // namespace
}  // namespace longarm::protocols::ur
