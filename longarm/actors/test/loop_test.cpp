// SPDX-License-Identifier: Apache-2.0
// What a link does to a whole loop: the order of its calls, and which delays count.
#include <cmath>

#include <gmock/gmock.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

using std::chrono_literals::operator""ms;

// --- order of calls ------------------------------------------------------------------------------

/// The seed's numbered list: 16 is the next round's 1.
const std::vector<std::string> kSeedOrder{
    "update fires",                    // 1
    "read called",                     // 2
    "states read from engine",         // 3
    "states given to link",            // 4
    "states returned by link",         // 5
    "states written to interfaces",    // 6
    "controllers updated",             // 7
    "trajectory controller computes",  // 8
    "commands written to interfaces",  // 9
    "write called",                    // 10
    "commands read from interfaces",   // 11
    "commands given to link",          // 12
    "commands returned by link",       // 13
    "commands written to engine",      // 14
    "engine steps",                    // 15
    "update fires",                    // 16
};

/// The calls from the first one at `from` up to and including the first of the next tick.
std::vector<std::string> calls_of_tick(const Changes& changes, Time from) {
  std::vector<std::string> calls;
  bool is_over = false;
  SimulationOptions options;
  options.call_trace = [&](Time now, std::string_view call) {
    if (now >= from && !is_over) {
      calls.emplace_back(call);
      is_over = now > from;
    }
  };
  Simulation simulation(prepare("ur5-waypoints", changes), std::move(options));
  EXPECT_TRUE(simulation.run_until(from + 2ms));
  return calls;
}

TEST(CallOrder, IsTheSeedsWithoutALink) {
  EXPECT_EQ(calls_of_tick({}, Time{}), kSeedOrder);
  EXPECT_EQ(calls_of_tick({}, Time(20ms)), kSeedOrder);
}

TEST(CallOrder, IsTheSeedsWithItsQueue) {
  EXPECT_EQ(calls_of_tick({"link.slots=3"}, Time(20ms)), kSeedOrder);
}

TEST(CallOrder, IsTheSeedsForEveryCutThatSendsCommands) {
  for (const char* cut : {"none", "position", "velocity", "effort", "stale-servo"}) {
    EXPECT_EQ(calls_of_tick({std::string("cut=") + cut}, Time(20ms)), kSeedOrder) << cut;
  }
}

TEST(CallOrder, LeavesOutWhatAFullQueueKeeps) {
  // the first of three slots' worth of messages: nothing comes back yet
  std::vector<std::string> without_returns = kSeedOrder;
  std::erase_if(without_returns, [](const std::string& call) {
    return call.find("returned by link") != std::string::npos ||
           call == "states written to interfaces";
  });
  EXPECT_EQ(calls_of_tick({"link.slots=3"}, Time{}), without_returns);
  EXPECT_EQ(calls_of_tick({"link.slots=3"}, Time(2ms)), without_returns);
  EXPECT_EQ(calls_of_tick({"link.slots=3"}, Time(3ms)), kSeedOrder);
}

// --- which delays count --------------------------------------------------------------------------

TEST(Loop, FeelsTheSumOfBothDelays) {
  // 20 ms in all, gain 1 % above the limit of 76.605 1/s: the roots are the same wherever the delay
  // sits, so the same growth; what the controller and the actuators see differs, so other hashes
  const Changes common{"gain=77.37", "task.hold=30s"};
  const Json states = run_to_end(prepare("one-joint", common + Changes{"link.states.delay=20ms"}));
  const Json commands =
      run_to_end(prepare("one-joint", common + Changes{"link.commands.delay=20ms"}));
  const Json both = run_to_end(prepare("one-joint", common + Changes{"link.delay=10ms"}));
  EXPECT_EQ(states["stable"], false);
  const double growth = states["growth_per_s"];
  EXPECT_NEAR(commands["growth_per_s"].get<double>(), growth, 1e-3 * growth);
  EXPECT_NEAR(both["growth_per_s"].get<double>(), growth, 1e-3 * growth);
  EXPECT_NE(states["state_hash"], commands["state_hash"]);
  EXPECT_NE(states["state_hash"], both["state_hash"]);
}

TEST(Loop, IsNotDelayedByCutsThatCloseItAtTheRobot) {
  // K = 100 1/s dies at π/2/K = 16 ms of loop delay; these cuts have none, whatever the link does
  const Changes common{"gain=100", "task.hold=5s", "link.delay=50ms"};
  for (const char* cut : {"none", "trajectory", "position"}) {
    const Json result =
        run_to_end(prepare("one-joint", common + Changes{std::string("cut=") + cut}));
    EXPECT_EQ(result["stable"], true) << cut;
  }
  EXPECT_EQ(run_to_end(prepare("one-joint", common + Changes{"cut=velocity"}))["stable"], false);
}

TEST(Loop, OfACutPositionMovesTheSameButLater) {
  const Changes common{"cut=position", "task.hold=400ms"};
  const std::vector<double> now = one_joint_positions(common);
  const std::vector<double> later =
      one_joint_positions(common + Changes{"link.commands.delay=30ms"});
  // commands of 30 ms ago: first the arm stands where it started, then it does the same
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(later[i], 0.1) << i;
  }
  for (std::size_t i = 30; i < later.size(); ++i) {
    EXPECT_DOUBLE_EQ(later[i], now[i - 30]) << i;
  }
}

TEST(Loop, TakesWholeStepsForADelayInBetween) {
  // 1.5 ms after sampling at a whole millisecond is used by the tick after next, like 2 ms
  const Changes common{"gain=50", "task.hold=500ms"};
  EXPECT_EQ(state_hash("one-joint", common + Changes{"link.states.delay=1500us"}),
            state_hash("one-joint", common + Changes{"link.states.delay=2ms"}));
  EXPECT_EQ(state_hash("one-joint", common + Changes{"link.commands.delay=1500us"}),
            state_hash("one-joint", common + Changes{"link.commands.delay=2ms"}));
  // each direction rounds up on its own: 1.5 + 1.5 ms is four ticks, not three
  EXPECT_EQ(state_hash("one-joint", common + Changes{"link.delay=1500us"}),
            state_hash("one-joint", common + Changes{"link.delay=2ms"}));
}

TEST(Loop, StartsFromZerosOnlyWhenAskedTo) {
  // zero fill: for the first 10 ms the controller believes in position 0, which is the goal, so
  // that nothing moves; otherwise it knows the true start and moves at once
  const Changes common{"link.states.delay=10ms", "task.hold=20ms"};
  EXPECT_LT(one_joint_positions(common)[0], 0.1);
  const std::vector<double> filled = one_joint_positions(common + Changes{"link.compat=zero-fill"});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(filled[i], 0.1) << i;
  }
  EXPECT_LT(filled[10], 0.1);
}

}  // namespace
}  // namespace longarm::actors
