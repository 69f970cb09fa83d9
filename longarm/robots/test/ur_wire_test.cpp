// SPDX-License-Identifier: Apache-2.0
// What client libraries wait for: key messages, changes of the safety mode, limits in words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/ur/sockets.h"
#include "ur_bench.h"

namespace longarm::robots {
namespace {

using protocols::ConnectionId;
using protocols::ur::ReportLevel;
using protocols::ur::RobotMessage;
using protocols::ur::SafetyMode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = RobotMessage::Kind;

/// "STARTED name" and so on, in order.
std::vector<std::string> keys_of(UrBench& bench) {
  std::vector<std::string> keys;
  for (const RobotMessage& each : bench.controller().messages()) {
    if (each.kind == Kind::kKey) {
      keys.push_back(each.title.substr(std::string("PROGRAM_XXX_").size()) + " " + each.text);
    }
  }
  return keys;
}

/// Codes of all messages of a kind.
std::vector<int> codes_of(UrBench& bench, Kind kind) {
  std::vector<int> codes;
  for (const RobotMessage& each : bench.controller().messages()) {
    if (each.kind == kind) {
      codes.push_back(each.code);
    }
  }
  return codes;
}

TEST(UrWire, KeyMessagesTellWhenAProgramBeginsAndEnds) {
  UrBench bench;
  bench.say("def first():\n  sleep(0.1)\nend\n");
  bench.cycles(1);
  EXPECT_THAT(keys_of(bench), ElementsAre("STARTED first"));
  bench.finish();
  EXPECT_THAT(keys_of(bench), ElementsAre("STARTED first", "STOPPED first"));
}

TEST(UrWire, AProgramThatIsReplacedStopsBeforeTheNextStarts) {
  UrBench bench;
  bench.say("def first():\n  sleep(1)\nend\n");
  bench.cycles(2);
  bench.say("def second():\n  x = 1 / 0\nend\n");
  bench.finish();
  EXPECT_THAT(keys_of(bench),
              ElementsAre("STARTED first", "STOPPED first", "STARTED second", "STOPPED second"));
}

TEST(UrWire, SecondaryProgramsAndBareStatementsHaveNoKeyMessages) {
  UrBench bench;
  bench.say("sec beside():\n  set_digital_out(0, True)\nend\n");
  bench.say("speedj([0.1,0,0,0,0,0],1.0,0.1)\n");
  bench.say("def last():\n  sync()\nend\n");
  bench.finish();
  EXPECT_THAT(keys_of(bench), ElementsAre("STARTED last", "STOPPED last"));
}

TEST(UrWire, EveryChangeOfTheSafetyModeIsToldOnce) {
  UrBench bench;
  bench.cycles(2);
  EXPECT_THAT(codes_of(bench, Kind::kSafetyMode), IsEmpty());
  bench.controller().protective_stop("a test");
  bench.cycles(2);
  EXPECT_THAT(codes_of(bench, Kind::kSafetyMode), ElementsAre(3));
  ASSERT_FALSE(bench.controller().unlock_protective_stop()) << "not within 5 s";
  ASSERT_TRUE(bench.controller().unlock_at_once());
  bench.cycles(2);
  EXPECT_THAT(codes_of(bench, Kind::kSafetyMode), ElementsAre(3, 1));
}

TEST(UrWire, AProtectiveStopIsAWarningAndARefusalNoReadOnlyPort) {
  UrBench bench;
  bench.controller().protective_stop("a test");
  bench.say("movej([0,0,0,0,0,0])\n");
  std::vector<std::pair<ReportLevel, bool>> errors;
  for (const RobotMessage& each : bench.controller().messages()) {
    if (each.kind == Kind::kErrorCode) {
      errors.emplace_back(each.level, each.code == 210);
    }
  }
  EXPECT_THAT(errors, ElementsAre(std::pair(ReportLevel::kWarning, false),
                                  std::pair(ReportLevel::kViolation, false)));
}

TEST(UrWire, RestartingSafetyEndsAnEmergencyStopWithoutPower) {
  UrBench bench;
  bench.controller().emergency_stop("a test");
  bench.cycles(3);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kRobotEmergencyStop);
  ASSERT_TRUE(bench.controller().restart_safety());
  bench.cycles(1);
  EXPECT_EQ(bench.state().safety_mode, SafetyMode::kNormal);
  EXPECT_EQ(bench.state().robot_mode, protocols::ur::RobotMode::kPowerOff);
}

TEST(UrWire, PayloadsAboveFiveKilogramsAreRefused) {
  UrBench bench;
  bench.say("set_payload(5.0)\n");
  bench.cycles(1);
  EXPECT_EQ(bench.state().payload_kg, 5.0);
  bench.say("set_payload(5.1)\n");
  bench.cycles(1);
  EXPECT_THAT(bench.last_message(),
              HasSubstr("set_payload: a payload of 5.1 kg; this robot carries 0 to 5 kg"));
  EXPECT_EQ(bench.state().payload_kg, 5.0);
  bench.say("set_payload_mass(7)\n");
  bench.cycles(1);
  EXPECT_THAT(bench.last_message(), HasSubstr("set_payload_mass: a payload of 7 kg"));
}

// 191 °/s are 3.3336 rad/s
TEST(UrWire, TheSafetyLimitOfJointSpeedIsAKey) {
  UrBench usual;
  usual.say("speedj([3.3,0,0,0,0,0],20.0,0.5)\n");
  usual.run(0.4);
  EXPECT_THAT(usual.figures().protective_stops, IsEmpty());
  EXPECT_NEAR(usual.state().qd_actual[0], 3.3, 1e-6);
  usual.say("speedj([3.34,0,0,0,0,0],20.0,0.5)\n");
  usual.run(0.1);
  EXPECT_EQ(usual.figures().protective_stops.size(), 1U);

  UrConfig config;
  config.joint_speed_rad_s = 1.0;
  config.safety_joint_speed_rad_s = 1.5;
  UrBench slow("kinematic", config);
  slow.say("speedj([1.6,0,0,0,0,0],20.0,0.5)\n");
  slow.run(0.1);
  ASSERT_EQ(slow.figures().protective_stops.size(), 1U);
  EXPECT_THAT(slow.figures().protective_stops[0].reason, HasSubstr("a joint may turn at 1.5"));
}

/// Answers the program's call, and sends in every step as long as the door takes it.
TEST(UrWire, AProgramThatReadsAPeerWhoNeverPausesIsNoInfiniteLoop) {
  UrBench bench;
  bench.after_step = [&](protocols::Door& door) {
    if (&door != &bench.controller().sockets()) {
      return;
    }
    if (door.take_call()) {
      door.open(ConnectionId{1}, bench.now);
    }
    if (door.has_room(ConnectionId{1})) {
      door.receive(ConnectionId{1}, std::string(16'384, '\1'), bench.now);
    }
  };
  bench.say(
      "def reader():\n"
      "  socket_open(\"peer\", 1)\n"
      "  count = 0\n"
      "  while count < 20000:\n"
      "    got = socket_read_binary_integer(1)\n"
      "    count = count + got[0]\n"
      "  end\n"
      "  textmsg(count)\n"
      "end\n");
  bench.finish();
  EXPECT_EQ(bench.last_message(), "20000");
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 0U);
}

}  // namespace
}  // namespace longarm::robots
