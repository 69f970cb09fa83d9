// SPDX-License-Identifier: Apache-2.0
// Tests the controller's cycle: when scripts act, what is published, signals, programs.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/protocols/ur/realtime.h"
#include "longarm/protocols/ur/script/builtins.h"
#include "longarm/robots/test/ur_bench.h"
#include "longarm/robots/ur/controller.h"
#include "longarm/robots/ur/host.h"
#include "longarm/robots/ur/joints.h"

namespace longarm::robots {
namespace {

using protocols::ConnectionId;
using protocols::ur::RobotMode;
using protocols::ur::RtdeInputs;
using protocols::ur::RuntimeState;
using std::numbers::pi;
using testing::HasSubstr;

TEST(UrController, PublishesAStatePerCycleFromItsClockOn) {
  UrBench bench;
  EXPECT_EQ(bench.controller().cycles(), 0U);
  for (int i = 0; i < 7; ++i) {
    bench.step();
  }
  EXPECT_EQ(bench.controller().cycles(), 0U);
  bench.step();
  EXPECT_EQ(bench.controller().cycles(), 1U);
  EXPECT_DOUBLE_EQ(bench.state().timestamp_s, 40.008);
  bench.cycles(9);
  EXPECT_EQ(bench.controller().cycles(), 10U);
  EXPECT_DOUBLE_EQ(bench.state().timestamp_s, 40.080);
  EXPECT_EQ(bench.state().robot_mode, RobotMode::kRunning);
}

// said before the step at 8 ms it acts in the cycle of 8 ms: its first target is that of 16 ms;
// 1 rad/s² for 8 ms are 0.008 rad/s and 32 µrad
TEST(UrController, WhatIsSaidBeforeACycleActsInIt) {
  UrBench bench;
  bench.cycles(1);
  bench.say("speedj([0.5,0,0,0,0,0],1.0,0.008)\n");
  bench.cycles(1);
  EXPECT_NEAR(bench.state().qd_target[0], 0.008, 1e-15);
  EXPECT_NEAR(bench.state().q_target[0], 32e-6, 1e-15);
  EXPECT_NEAR(bench.state().q_actual[0], 32e-6, 1e-12);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPlaying);
  // too late for this cycle by one step
  bench.step();
  bench.say("speedj([0.5,0,0,0,0,0],1.0,0.008)\n");
  for (int i = 0; i < 7; ++i) {
    bench.step();
  }
  EXPECT_NEAR(bench.state().qd_target[0], 0.0, 1e-15);
  EXPECT_EQ(bench.figures().speed_timeouts.count, 1U);
  EXPECT_EQ(bench.figures().speed_timeouts.first, Time(Duration(16'000'000)));
}

// every line is a program of its own; the speeds add up as one motion: ∫ 0.2·sin(2π·0.5·t)
TEST(UrController, ASpeedjPerCycleIsOneSmoothMotion) {
  UrBench bench;
  double expected = 0.0;
  double before = 0.0;
  for (int i = 0; i < 250; ++i) {
    const double speed = 0.2 * std::sin(pi * 0.008 * i);
    bench.say(fmt::format("speedj([0,{},0,0,0,0],4.0,0.008)\n", speed));
    bench.cycles(1);
    expected += 0.5 * (before + speed) * 0.008;
    before = speed;
    ASSERT_NEAR(bench.state().qd_target[1], speed, 1e-12) << i;
  }
  EXPECT_NEAR(bench.state().q_target[1], -pi / 2 + expected, 1e-10);
  EXPECT_EQ(bench.figures().speed_timeouts.count, 0U);
  EXPECT_EQ(bench.figures().scripts, 250U);
  EXPECT_EQ(bench.figures().motion_commands, 250U);
}

TEST(UrController, WithoutATimeSpeedjGoesOnAfterItsProgram) {
  UrBench bench;
  bench.say("speedj([0.1,0,0,0,0,0],1.0)\n");
  bench.run(1.0);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kStopping);
  EXPECT_EQ(bench.state().qd_target[0], 0.1);
  bench.say("stopj(1.0)\n");
  bench.run(0.2);
  EXPECT_EQ(bench.state().qd_target[0], 0.0);
  EXPECT_EQ(bench.figures().speed_timeouts.count, 0U);
}

TEST(UrController, AProgramThatReplacesAnotherGoesOnFromItsSpeed) {
  UrBench bench;
  bench.say("def one():\n  movej([1.5,-1.57,1.57,-1.57,-1.57,0])\nend\n");
  bench.run(0.8);
  const double speed = bench.state().qd_target[0];
  EXPECT_GT(speed, 0.5);
  bench.say("speedj([0,0,0,0,0,0],0.5,1.0)\n");
  bench.cycles(1);
  EXPECT_NEAR(bench.state().qd_target[0], speed - 0.004, 1e-9);
}

// 2·√(0.14/1.4) = 0.632 s is 80 cycles; the second move begins in the cycle after the last one
TEST(UrController, MovesFollowEachOtherWithoutAGap) {
  UrBench bench;
  const Joints there{0.14, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0};
  const Joints back{0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0};
  bench.say("def two():\n  movej(" + list_text(there) + ")\n  movej(" + list_text(back) +
            ")\nend\n");
  // 80 cycles each, and the cycle in which the end is noticed
  EXPECT_EQ(bench.finish(), 161);
  EXPECT_EQ(bench.state().q_target, back);
  EXPECT_EQ(bench.figures().motion_commands, 2U);
}

TEST(UrController, MovejToAPoseTakesTheNearestJointPositions) {
  UrBench bench;
  const UrKinematics kinematics(ur5_geometry());
  const Joints goal{0.3, -1.3, 1.2, -1.4, -1.3, 0.4};
  const Vector6 pose = to_numbers(kinematics.tool(goal));
  bench.say("def go():\n  movej(p" + list_text(pose) + ", v=2.0, a=4.0)\nend\n");
  bench.finish();
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(bench.state().q_actual[j], goal[j], 1e-7);
    EXPECT_NEAR(bench.state().tcp_pose_actual[j], pose[j], 1e-7);
  }
}

TEST(UrController, ScriptsSetAndReadSignalsAndRegisters) {
  UrConfig config;
  config.loops_back_io = true;
  UrBench bench("kinematic", config);
  RtdeInputs inputs;
  inputs.registers.integers[3] = 41;
  inputs.has_integer = 1U << 3;
  inputs.registers.bits[64] = true;
  inputs.has_bit[64] = true;
  inputs.speed_slider = 0.25;
  inputs.digital_output_mask = 0b110;
  inputs.digital_output_values = 0b010;
  inputs.analog_output_mask = 0b01;
  inputs.analog_output_types = 0b00;
  inputs.analog_outputs = {0.5, 0.9};
  bench.controller().write_inputs(inputs);
  bench.say(
      "def signals():\n"
      "  write_output_integer_register(2, read_input_integer_register(3) + 1)\n"
      "  write_output_boolean_register(5, read_input_boolean_register(64))\n"
      "  write_output_float_register(7, 2.5)\n"
      "  set_standard_digital_out(0, True)\n"
      "  set_configurable_digital_out(1, True)\n"
      "  set_tool_digital_out(1, get_digital_out(0))\n"
      "  set_standard_analog_out(1, 0.3)\n"
      "  set_tool_voltage(24)\n"
      "  set_payload(1.5, [0,0,0.1])\n"
      "  set_tcp(p[0,0,0.1,0,0,0])\n"
      "  textmsg(\"count \", 3)\n"
      "end\n");
  bench.cycles(2);
  const auto& state = bench.state();
  EXPECT_EQ(state.outputs.integers[2], 42);
  EXPECT_TRUE(state.outputs.bits[5]);
  EXPECT_EQ(state.outputs.doubles[7], 2.5);
  // 0 and 1 from the mask and the script, 9 the configurable one, 17 the tool's
  EXPECT_EQ(state.digital_outputs, (1U << 0) | (1U << 1) | (1U << 9) | (1U << 17));
  EXPECT_EQ(state.digital_inputs, state.digital_outputs);
  // current: half way from 4 to 20 mA; voltage: 0.3 of 10 V
  EXPECT_NEAR(state.analog_outputs[0], 0.012, 1e-15);
  EXPECT_NEAR(state.analog_outputs[1], 3.0, 1e-15);
  EXPECT_EQ(state.tool_voltage_V, 24);
  EXPECT_EQ(state.payload_kg, 1.5);
  EXPECT_EQ(state.speed_slider, 0.25);
  EXPECT_EQ(bench.last_message(), "count 3");
  // the tool is 0.1 m further out, which is down at home
  const UrKinematics flange(ur5_geometry());
  EXPECT_NEAR(state.tcp_pose_actual[2], to_numbers(flange.tool(state.q_actual))[2] - 0.1, 1e-9);
}

TEST(UrController, ASecRunsBesideTheProgramAndDoesNotStopIt) {
  UrBench bench;
  bench.say("movej([0.5,-1.57,1.57,-1.57,-1.57,0])\n");
  bench.cycles(10);
  bench.say("sec beside():\n  set_digital_out(3, True)\nend\n");
  bench.say("set_digital_out(4, True)\n");
  bench.cycles(1);
  EXPECT_EQ(bench.state().digital_outputs, (1U << 3) | (1U << 4));
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPlaying);
  bench.finish();
  EXPECT_NEAR(bench.state().q_target[0], 0.5, 1e-12);
}

TEST(UrController, WrongScriptsBecomeMessages) {
  UrBench bench;
  bench.say("speedj([1,2,3\n");
  EXPECT_EQ(bench.controller().messages().back().kind,
            protocols::ur::RobotMessage::Kind::kRuntimeException);
  EXPECT_EQ(bench.figures().refused_scripts, 1U);
  bench.say("speedj([1,2,3],1.0)\n");
  bench.cycles(1);
  EXPECT_THAT(bench.last_message(), HasSubstr("argument 1 of speedj must be six numbers"));
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 1U);
  bench.say("movej([9,0,0,0,0,0])\n");
  bench.cycles(1);
  EXPECT_THAT(bench.last_message(), HasSubstr("joint 0 cannot be at 9 rad"));
  EXPECT_EQ(bench.state().qd_target, Joints{});
}

TEST(UrController, KnowsEveryFunctionOfTheTableThatIsNotPure) {
  UrBench bench;
  UrCore core(*bench.engine, bench.cell, {}, UrBench::kPeriod);
  const UrHost host(core);
  for (const protocols::ur::script::Builtin& each : protocols::ur::script::builtins()) {
    if (each.effect != protocols::ur::script::Effect::kPure && each.name != "sync") {
      EXPECT_TRUE(host.knows(each.name)) << each.name;
    }
  }
}

TEST(UrController, PausesAndGoesOn) {
  UrBench bench;
  EXPECT_FALSE(bench.controller().pause());
  bench.say("movej([1.0,-1.57,1.57,-1.57,-1.57,0])\n");
  bench.run(0.8);
  EXPECT_TRUE(bench.controller().pause());
  bench.run(1.0);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPaused);
  EXPECT_EQ(bench.state().qd_target, Joints{});
  EXPECT_EQ(bench.state().speed_scaling, 0.0);
  const double there = bench.state().q_target[0];
  EXPECT_TRUE(bench.controller().play());
  bench.finish();
  EXPECT_LT(there, 1.0);
  EXPECT_EQ(bench.state().q_target[0], 1.0);
  EXPECT_EQ(bench.state().speed_scaling, 1.0);
}

TEST(UrController, LoadsAndPlaysProgramsOfItsFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "longarm_ur_programs";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "wave.script") << "def wave():\n  set_digital_out(2, True)\nend\n";
  UrConfig config;
  config.programs = folder.string();
  UrBench bench("kinematic", config);
  EXPECT_FALSE(bench.controller().play());
  EXPECT_EQ(bench.last_message(), "play: no program is loaded");
  EXPECT_FALSE(bench.controller().load("other.urp"));
  ASSERT_TRUE(bench.controller().load("/programs/wave.urp"));
  EXPECT_EQ(bench.controller().loaded_program(), "/programs/wave.urp");
  ASSERT_TRUE(bench.controller().play());
  bench.cycles(1);
  EXPECT_EQ(bench.state().digital_outputs, 4U);
  std::filesystem::remove_all(folder);
}

TEST(UrController, StopsARunningProgramAndTheArm) {
  UrBench bench;
  bench.say("def forever():\n  while True:\n    speedj([0.4,0,0,0,0,0],2.0,0.1)\n  end\nend\n");
  bench.run(0.5);
  EXPECT_EQ(bench.state().qd_target[0], 0.4);
  EXPECT_EQ(bench.figures().speed_timeouts.count, 0U);
  EXPECT_TRUE(bench.controller().stop());
  // 0.4 rad/s at 4 rad/s²
  bench.run(0.104);
  EXPECT_EQ(bench.state().qd_target[0], 0.0);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kStopped);
}

TEST(UrController, AWatchdogThatIsNotFedPausesTheProgram) {
  UrBench bench;
  bench.say(
      "def watched():\n  rtde_set_watchdog(\"input_int_register_0\", 10.0, \"pause\")\n"
      "  while True:\n    sync()\n  end\nend\n");
  RtdeInputs inputs;
  inputs.has_integer = 1;
  for (int i = 0; i < 10; ++i) {
    bench.controller().write_inputs(inputs);
    bench.cycles(10);
  }
  EXPECT_EQ(bench.figures().watchdog_trips.count, 0U);
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPlaying);
  // last fed at 0.72 s: more than 0.1 s later is the cycle of 0.824 s
  bench.cycles(10);
  EXPECT_EQ(bench.figures().watchdog_trips.count, 1U);
  EXPECT_EQ(bench.figures().first_timeout(), Time(Duration(824'000'000)));
  EXPECT_EQ(bench.state().runtime_state, RuntimeState::kPaused);
}

TEST(UrRobot, HasTheDoorsOfItsProfileAndItsSockets) {
  UrBench bench;
  std::vector<std::string> names;
  for (const protocols::Door* door : bench.robot.doors()) {
    names.push_back(door->name());
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("ur5.primary", "ur5.primary_ro", "ur5.secondary",
                                            "ur5.secondary_ro", "ur5.realtime", "ur5.realtime_ro",
                                            "ur5.rtde", "ur5.dashboard", "ur5.sockets"));
  UrConfig config;
  config.ports = protocols::ur::ports_of("two-ports");
  UrBench seed("kinematic", config);
  ASSERT_EQ(seed.robot.doors().size(), 3U);
  EXPECT_EQ(seed.robot.doors()[0]->port(), 50001);
  EXPECT_EQ(seed.robot.doors()[1]->port(), 50003);
  EXPECT_EQ(seed.robot.doors()[2]->port(), std::nullopt);
}

TEST(UrRobot, IsDrivenThroughItsRealTimeDoor) {
  UrBench bench;
  protocols::Door* door = nullptr;
  for (protocols::Door* each : bench.robot.doors()) {
    door = each->name() == "ur5.realtime" ? each : door;
  }
  ASSERT_NE(door, nullptr);
  const ConnectionId client{1};
  door->open(client, bench.now);
  for (int i = 0; i < 50; ++i) {
    door->receive(client, "speedj([0.2,0,0,0,0,0],100.0,0.008)\n", bench.now);
    bench.cycles(1);
    const std::string packet = door->take_cyclic(client);
    ASSERT_EQ(packet.size(), 1116U);
    const auto reading = protocols::ur::decode_real_time(packet);
    ASSERT_TRUE(reading);
    // 40 rad/s² reach 0.2 rad/s within the first cycle
    ASSERT_NEAR(reading->state.q_actual[0], 0.2 * 0.008 * (i + 0.5), 1e-12);
    ASSERT_NEAR(reading->state.timestamp_s, 40.008 + 0.008 * i, 1e-9);
  }
}

}  // namespace
}  // namespace longarm::robots
