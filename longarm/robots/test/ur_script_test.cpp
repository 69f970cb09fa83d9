// SPDX-License-Identifier: Apache-2.0
// Tests programs end to end: a driver's with its socket back, and what they hear from sockets.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/robots/test/ur_bench.h"
#include "longarm/robots/ur/sockets.h"

namespace longarm::robots {
namespace {

using protocols::ConnectionId;
using protocols::ur::RuntimeState;
using std::numbers::pi;
using testing::HasSubstr;

/// As drivers upload it: one thread servos to the newest goal, the other reads goals.
const char* const kDriverProgram =
    "def driver():\n"
    "  global goal = get_actual_joint_positions()\n"
    "  global is_on = False\n"
    "  thread servo():\n"
    "    while True:\n"
    "      enter_critical\n"
    "      q = goal\n"
    "      on = is_on\n"
    "      exit_critical\n"
    "      if on:\n"
    "        servoj(q, t=0.008, lookahead_time=0.03, gain=1000)\n"
    "      else:\n"
    "        sync()\n"
    "      end\n"
    "    end\n"
    "  end\n"
    "  if not socket_open(\"192.168.0.7\", 50001):\n"
    "    textmsg(\"nobody there\")\n"
    "    halt\n"
    "  end\n"
    "  handle = run servo()\n"
    "  keep = 1\n"
    "  while keep > 0:\n"
    "    numbers = socket_read_binary_integer(7)\n"
    "    if numbers[0] > 0:\n"
    "      enter_critical\n"
    "      goal = [numbers[1] / 1000000.0, numbers[2] / 1000000.0, numbers[3] / 1000000.0,\n"
    "              numbers[4] / 1000000.0, numbers[5] / 1000000.0, numbers[6] / 1000000.0]\n"
    "      is_on = True\n"
    "      exit_critical\n"
    "      keep = numbers[7]\n"
    "    else:\n"
    "      keep = 0\n"
    "    end\n"
    "  end\n"
    "  kill handle\n"
    "  stopj(4.0)\n"
    "  socket_close()\n"
    "end\n";

/// Whoever is called by the program: answers the call and sends frames.
class Peer {
 public:
  explicit Peer(UrBench& bench) : bench_(bench), door_(bench.controller().sockets()) {
    bench_.after_step = [this](protocols::Door& door) {
      if (&door != &door_) {
        return;
      }
      if (const auto call = door_.take_call()) {
        called = *call;
        door_.open(id, bench_.now);
      }
      heard += door_.take_output(id);
    };
  }
  void send(std::string_view bytes) { door_.receive(id, bytes, bench_.now); }
  void send_frame(const Joints& q, std::int32_t keep) {
    std::string bytes;
    for (const double each : q) {
      add(static_cast<std::int32_t>(std::lround(each * 1e6)), bytes);
    }
    add(keep, bytes);
    send(bytes);
  }

  static constexpr ConnectionId id{1};
  std::optional<protocols::Call> called;
  std::string heard;

 private:
  static void add(std::int32_t value, std::string& bytes) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(static_cast<std::uint32_t>(value) >> shift & 0xFFU);
    }
  }

  UrBench& bench_;
  protocols::Door& door_;
};

TEST(UrScript, ADriversProgramCallsBackAndFollowsWhatItIsSent) {
  UrBench bench;
  Peer peer(bench);
  bench.say(kDriverProgram);
  bench.cycles(2);
  ASSERT_TRUE(peer.called);
  EXPECT_EQ(peer.called->host, "192.168.0.7");
  EXPECT_EQ(peer.called->port, 50001);
  Joints goal{0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0};
  for (int i = 0; i < 250; ++i) {
    goal[0] = 0.2 * (1.0 - std::cos(pi * 0.008 * i));
    peer.send_frame(goal, 1);
    bench.cycles(1);
  }
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPlaying);
  EXPECT_EQ(bench.figures().socket_timeouts.count, 0U);
  // the goal was followed 0.03 s late, and stands still at the end of its wave
  EXPECT_NEAR(bench.state().q_actual[0], goal[0], 0.01);
  peer.send_frame(goal, 0);
  bench.finish();
  EXPECT_TRUE(bench.controller().sockets().is_over(Peer::id));
  EXPECT_TRUE(bench.figures().protective_stops.empty());
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 0U) << bench.last_message();
  EXPECT_EQ(bench.state().qd_target, Joints{});
}

// nothing comes for 2 s after the last frame: the read gives up, and the program with it
TEST(UrScript, ADriverThatFallsSilentTripsTheReadsTimeOut) {
  UrBench bench;
  Peer peer(bench);
  bench.say(kDriverProgram);
  bench.cycles(2);
  const Joints goal{0.1, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0};
  peer.send_frame(goal, 1);
  bench.cycles(200);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPlaying);
  bench.cycles(60);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kStopped);
  EXPECT_EQ(bench.figures().socket_timeouts.count, 1U);
  // read in the cycle of 16 ms, then 250 cycles of waiting: 16 ms + 2 s
  EXPECT_EQ(bench.figures().socket_timeouts.first, Time(Duration(2'016'000'000)));
}

TEST(UrScript, ACallThatFailsIsFalse) {
  UrBench bench;
  bench.after_step = [&](protocols::Door& door) {
    if (door.take_call()) {
      door.call_failed(bench.now);
    }
  };
  bench.say(kDriverProgram);
  bench.finish();
  EXPECT_EQ(bench.last_message(), "nobody there");
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 0U);
}

// in case nobody carries calls: 10 s
TEST(UrScript, ACallThatNobodyAnswersIsGivenUp) {
  UrBench bench;
  bench.say("def alone():\n  textmsg(socket_open(\"nowhere\", 1))\nend\n");
  EXPECT_EQ(bench.finish(), 1252);
  EXPECT_EQ(bench.last_message(), "False");
}

TEST(UrScript, HearsAndSaysNumbersTextsAndVariables) {
  UrBench bench;
  Peer peer(bench);
  bench.say(
      "def talk():\n"
      "  socket_open(\"peer\", 1)\n"
      "  socket_send_string(\"hi\")\n"
      "  socket_send_line(\"you\")\n"
      "  socket_send_int(258)\n"
      "  socket_send_byte(65)\n"
      "  socket_set_var(\"x\", 3)\n"
      "  textmsg(socket_read_ascii_float(2))\n"
      "  textmsg(socket_read_byte_list(2))\n"
      "  textmsg(socket_read_line())\n"
      "  textmsg(socket_read_string(\"socket_0\", \"<\", \">\"))\n"
      "  textmsg(socket_get_var(\"speed\"))\n"
      "  textmsg(socket_read_binary_integer(1, \"socket_0\", 0.1))\n"
      "end\n");
  bench.cycles(3);
  EXPECT_EQ(peer.heard, std::string("hiyou\n\0\0\1\2ASET x 3\n", 19));
  peer.send("(1.5, -2)");
  peer.send("AB");
  peer.send("a line\r\n");
  peer.send("noise<text>");
  bench.cycles(2);
  EXPECT_THAT(peer.heard, HasSubstr("GET speed\n"));
  peer.send("speed 77\n");
  bench.cycles(20);
  std::vector<std::string> said;
  for (const auto& each : bench.controller().messages()) {
    if (each.kind == protocols::ur::RobotMessage::Kind::kText) {
      said.push_back(each.text);
    }
  }
  EXPECT_THAT(
      said, testing::ElementsAre("[2, 1.5, -2]", "[2, 65, 66]", "a line", "text", "77", "[0, 0]"));
  EXPECT_EQ(bench.figures().socket_timeouts.count, 1U);
}

TEST(UrScript, SeesTheArmItMoves) {
  UrBench bench;
  bench.say(
      "def look():\n"
      "  movej([0.2,-1.5,1.5,-1.5,-1.5,0.1], a=5, v=3)\n"
      "  q = get_actual_joint_positions()\n"
      "  write_output_float_register(0, q[0])\n"
      "  p1 = get_forward_kin()\n"
      "  p2 = get_actual_tcp_pose()\n"
      "  write_output_float_register(1, pose_dist(p1, p2))\n"
      "  k = get_inverse_kin(p1)\n"
      "  write_output_float_register(2, k[5])\n"
      "  write_output_boolean_register(0, is_steady())\n"
      "  write_output_float_register(3, get_steptime())\n"
      "  sleep(0.1)\n"
      "end\n");
  bench.finish();
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 0U) << bench.last_message();
  EXPECT_NEAR(bench.state().outputs.doubles[0], 0.2, 1e-9);
  EXPECT_NEAR(bench.state().outputs.doubles[1], 0.0, 1e-9);
  EXPECT_NEAR(bench.state().outputs.doubles[2], 0.1, 1e-9);
  EXPECT_TRUE(bench.state().outputs.bits[0]);
  EXPECT_EQ(bench.state().outputs.doubles[3], 0.008);
}

TEST(UrScript, NothingThatIsSaidPutsNonsenseIntoTheWorld) {
  UrBench bench;
  for (const char* script : {"speedj([1e308,1e308,1e308,0,0,0],1e308,0.008)",
                             "speedj([0.1,0,0,0,0,0],1e-300,1e300)",
                             "servoj([1e5,-1e5,0,0,0,0])",
                             "servoj([0,0,0,0,0,0],t=1e300,gain=1e300)",
                             "movej(p[1e6,1e6,1e6,1e6,1e6,1e6])",
                             "movel(p[1e5,0,0,0,0,0],a=1e300,v=1e300)",
                             "movel(p[0,0,0,0,0,0])",
                             "movej([0,-1.57,1.57,-1.57,-1.57,0],a=1e300,v=1e-300)",
                             "movej([0,-1.57,1.57,-1.57,-1.57,0.01],t=1e-9)",
                             "stopj(1e-300)",
                             "stopl(1e300)",
                             "speedl([1e6,1e6,1e6,1e6,1e6,1e6],1e300,1e-300)",
                             "speedl([0.1,0,0,0,0,0],1e-9,0.1,0.0)",
                             "set_tcp(p[1e6,-1e6,1e6,1e6,1e6,1e6])",
                             "set_tcp(p[0,0,0.1,0,0,0])",
                             "set_payload(1e300)",
                             "set_payload(5,[1e300,0,0])",
                             "set_analog_out(0,1e300)",
                             "set_digital_out(99,True)",
                             "write_output_integer_register(48,1)",
                             "sleep(-1)",
                             "set_tool_voltage(5)",
                             "rtde_set_watchdog(\"nothing\",1)",
                             "socket_read_binary_integer(1000)",
                             "socket_open(\"\",99999)",
                             "get_inverse_kin(p[9,9,9,0,0,0])",
                             "get_joint_temp(6)"}) {
    bench.say(std::string(script) + "\n");
    for (int i = 0; i < 40; ++i) {
      bench.cycles(1);
      for (std::size_t j = 0; j < 6; ++j) {
        ASSERT_LE(std::abs(bench.state().q_actual[j]), 2 * pi) << script;
        ASSERT_LE(std::abs(bench.state().qd_actual[j]), 3.34) << script;
        ASSERT_TRUE(std::isfinite(bench.state().tcp_pose_actual[j])) << script;
        ASSERT_TRUE(std::isfinite(bench.state().moment_target_Nm[j])) << script;
        ASSERT_TRUE(std::isfinite(bench.state().tcp_speed_target[j])) << script;
      }
    }
    if (bench.state().safety_mode != protocols::ur::SafetyMode::kNormal) {
      bench.run(5.0);
      ASSERT_TRUE(bench.controller().unlock_protective_stop()) << script;
    }
  }
}

TEST(UrScript, WhatIsNotThereSaysSo) {
  UrBench bench;
  bench.say("tool_contact([0,0,1,0,0,0])\n");
  bench.cycles(1);
  EXPECT_THAT(bench.last_message(), HasSubstr("tool_contact is not available in this controller"));
}

TEST(UrScript, AnUnknownNameIsToldAsTheMakerDoesAndInWords) {
  UrBench bench;
  bench.say("def illegal_fun():\n  calldoesntexist()\nend\n");
  const auto messages = bench.controller().messages();
  ASSERT_GE(messages.size(), 2U);
  const auto& last = messages.back();
  EXPECT_EQ(last.kind, protocols::ur::RobotMessage::Kind::kRuntimeException);
  EXPECT_EQ(last.text, "compile_error_name_not_found:calldoesntexist:");
  EXPECT_EQ(last.code, 2);
  EXPECT_EQ(last.argument, 3);
  EXPECT_THAT(messages[messages.size() - 2].text, HasSubstr("there is no function"));
}

TEST(UrScript, AsksWhetherAPoseCanBeReached) {
  UrBench bench;
  bench.say(
      "def f():\n"
      "  textmsg(get_inverse_kin_has_solution(get_actual_tcp_pose()))\n"
      "  textmsg(get_inverse_kin_has_solution(p[9,0,0,0,0,0]))\n"
      "  textmsg(is_within_safety_limits(get_actual_tcp_pose()))\n"
      "  textmsg(is_within_safety_limits(p[9,0,0,0,0,0]))\n"
      "  textmsg(is_within_safety_limits([0,0,0,0,0,6.2]))\n"
      "  textmsg(is_within_safety_limits([0,0,0,0,0,6.3]))\n"
      "end\n");
  bench.finish();
  std::string said;
  for (const auto& message : bench.controller().messages()) {
    said += message.kind == protocols::ur::RobotMessage::Kind::kText ? message.text + " " : "";
  }
  EXPECT_EQ(said, "True False True False True False ");
}

TEST(UrScript, ProtectiveStopIsOneAndEndsTheProgram) {
  UrBench bench;
  bench.say("def f():\n  protective_stop()\n  set_digital_out(0, True)\nend\n");
  bench.cycles(3);
  EXPECT_EQ(bench.state().safety_mode, protocols::ur::SafetyMode::kProtectiveStop);
  ASSERT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_THAT(bench.figures().protective_stops[0].reason, HasSubstr("protective_stop()"));
  EXPECT_EQ(bench.state().digital_outputs, 0U);
}

TEST(UrScript, AnUnreachableLineBeginsAndIsStoppedAnUnreachablePoseIsRefused) {
  UrBench bench;
  const double before = bench.state().tcp_pose_actual[0];
  bench.say("movel(p[-10,0,0.4,0,3.14,0])\n");
  bench.run(0.3);
  EXPECT_TRUE(bench.figures().protective_stops.empty());
  EXPECT_GT(std::abs(bench.state().tcp_pose_actual[0] - before), 0.01);
  bench.run(9.0);
  ASSERT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_EQ(bench.state().safety_mode, protocols::ur::SafetyMode::kProtectiveStop);
  ASSERT_TRUE(bench.controller().unlock_protective_stop());
  bench.say("movej(p[10,0,0,0,0,0])\n");
  bench.cycles(2);
  EXPECT_EQ(bench.figures().protective_stops.size(), 1U);
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 1U);
}

TEST(UrScript, PortsKeepWhatProgramsWriteAndShowSignals) {
  UrBench bench;
  bench.say(
      "def f():\n"
      "  write_port_bit(17, True)\n"
      "  write_port_bit(200, read_port_bit(17))\n"
      "  write_port_register(130, -1)\n"
      "  digital_out[3] = read_port_bit(200)\n"
      "  write_output_integer_register(0, read_port_register(130) + read_port_register(1))\n"
      "  write_output_integer_register(1, read_port_register(131))\n"
      "end\n");
  bench.finish();
  EXPECT_EQ(bench.state().digital_outputs, 0b1010U);
  EXPECT_EQ(bench.state().outputs.integers[0], 65535 + 0b1010);
  EXPECT_EQ(bench.state().outputs.integers[1], 0);
}

TEST(UrScript, RandomNumbersAreThoseOfTheSeed) {
  const auto draw = [](std::uint64_t seed) {
    UrConfig config;
    config.seed = seed;
    UrBench bench("kinematic", config);
    bench.say(
        "def f():\n"
        "  write_output_float_register(0, random())\n"
        "  write_output_float_register(1, random())\n"
        "end\n");
    bench.finish();
    EXPECT_NE(bench.state().outputs.doubles[0], bench.state().outputs.doubles[1]);
    EXPECT_GE(bench.state().outputs.doubles[0], 0.0);
    EXPECT_LT(bench.state().outputs.doubles[0], 1.0);
    return bench.state().outputs.doubles[0];
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

// 60 % of 0.05 rad are exceeded by a wrist that a wall holds, before the stop
TEST(UrScript, WarnsOfADeviationBeforeItStops) {
  model::Cell cell = ur5_cell();
  UrBench probe;
  const auto tool = probe.state().tcp_pose_actual;
  add_box(cell, {-tool[0], -tool[1], tool[2] - 0.13}, {0.4, 0.4, 0.2});
  UrBench bench("mujoco", {}, cell);
  bench.say(
      "def f():\n"
      "  position_deviation_warning(True, 0.6)\n"
      "  speedl([0,0,-0.05,0,0,0], 0.5, 5)\n"
      "end\n");
  bench.run(5.0);
  int warned = -1;
  int stopped = -1;
  int i = 0;
  for (const auto& message : bench.controller().messages()) {
    if (message.text.starts_with("Position deviates")) {
      warned = i;
    }
    if (message.text.starts_with("Protective stop")) {
      stopped = i;
    }
    ++i;
  }
  EXPECT_GE(warned, 0);
  EXPECT_GT(stopped, warned);
}

TEST(UrScript, GivesTheMomentsThatItsTargetsTake) {
  UrBench bench("mujoco");
  bench.run(0.2);
  bench.say(
      "def f():\n"
      "  m = get_target_joint_moments()\n"
      "  write_output_float_register(0, m[1])\n"
      "end\n");
  bench.finish();
  EXPECT_GT(std::abs(bench.state().outputs.doubles[0]), 5.0);
  EXPECT_NEAR(bench.state().outputs.doubles[0], bench.state().moment_target_Nm[1], 1e-6);
}

}  // namespace
}  // namespace longarm::robots
