// SPDX-License-Identifier: Apache-2.0
// Tests that joints do in each engine what the controller wants, bit for bit again and again.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/core/hash.h"
#include "longarm/robots/test/ur_bench.h"

namespace longarm::robots {
namespace {

using std::numbers::pi;

const char* const kProgram =
    "def tour():\n"
    "  movej([0.6,-1.3,1.4,-1.6,-1.4,0.3], a=2.0, v=1.5)\n"
    "  movel(pose_add(get_target_tcp_pose(), p[0.05,0.05,-0.05,0,0,0]), a=1.2, v=0.25)\n"
    "  speedj([-0.5,0.1,0,0,0.2,0], 2.0, 0.5)\n"
    "  stopj(3.0)\n"
    "  speedl([0,0,0.05,0,0,0.2], 0.5, 0.4)\n"
    "  stopl(1.0)\n"
    "  servoj([0.2,-1.4,1.5,-1.6,-1.4,0.3], t=0.5, gain=200)\n"
    "  stopj(2.0)\n"
    "end\n";

class UrEngine : public testing::TestWithParam<const char*> {};

// without obstacles the joints are where they are wanted after each step, as well as the engine's
// motors can: 150 and 28 N·m are more than these motions take
TEST_P(UrEngine, JointsAreAtTheirTargetsAtTheEndOfEveryCycle) {
  UrBench bench(GetParam());
  bench.say(kProgram);
  double worst = 0.0;
  int cycles = 0;
  do {
    bench.cycles(1);
    ++cycles;
    for (std::size_t j = 0; j < 6; ++j) {
      worst = std::max(worst, std::abs(bench.state().q_actual[j] - bench.state().q_target[j]));
    }
  } while (bench.state().runtime_state == protocols::ur::RuntimeState::kPlaying && cycles < 1500);
  EXPECT_LT(cycles, 1500);
  EXPECT_GT(cycles, 300);
  EXPECT_TRUE(bench.figures().protective_stops.empty())
      << bench.figures().protective_stops.front().reason;
  EXPECT_EQ(bench.figures().runtime_exceptions.count, 0U) << bench.last_message();
  EXPECT_LT(worst, std::string(GetParam()) == "kinematic" ? 1e-12 : 2e-4);
}

TEST_P(UrEngine, TheSameCallsGiveTheSameBits) {
  const auto run = [&] {
    UrBench bench(GetParam());
    Hash hash;
    bench.say(kProgram);
    for (int i = 0; i < 200; ++i) {
      if (i == 150) {
        bench.say("speedj([0.1,0.2,0,0,0,0],1.0,0.1)\n");
      }
      bench.cycles(1);
      for (const double each : bench.state().q_actual) {
        hash.add(each);
      }
      for (const double each : bench.state().moment_target_Nm) {
        hash.add(each);
      }
    }
    return hash.value();
  };
  EXPECT_EQ(run(), run());
}

INSTANTIATE_TEST_SUITE_P(Engines, UrEngine, testing::Values("kinematic", "mujoco"));

// at rest the efforts of the motors are those that hold the arm by the controller's own model
TEST(UrEngineEfforts, HoldTheArmAsTheModelSays) {
  UrBench bench("mujoco");
  bench.run(0.5);
  const auto& state = bench.state();
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(state.current_actual_A[j], state.current_target_A[j], 0.02) << j;
  }
  EXPECT_GT(std::abs(state.moment_target_Nm[1]), 5.0);
  // an accelerometer at rest feels the floor's push: up, while the tool's z points down
  EXPECT_NEAR(state.tool_acceleration_m_s2[2], -9.81, 0.05);
  EXPECT_NEAR(state.momentum_kg_m_s, 0.0, 1e-3);
}

// all of the arm beyond the base turns: momentum = Σ m·v of the bodies' centres, here by the engine
TEST(UrEngineMomentum, GrowsWithTheSpeed) {
  UrBench bench;
  bench.say("speedj([0.5,0,0,0,0,0],40.0)\n");
  bench.run(0.1);
  const double slow = bench.state().momentum_kg_m_s;
  bench.say("speedj([1.0,0,0,0,0,0],40.0)\n");
  bench.run(0.1);
  EXPECT_GT(slow, 0.1);
  EXPECT_NEAR(bench.state().momentum_kg_m_s, 2.0 * slow, 1e-6);
}

}  // namespace
}  // namespace longarm::robots
