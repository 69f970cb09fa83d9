// SPDX-License-Identifier: Apache-2.0
// A velocity pattern at 125 Hz for ten seconds over a network: the path is the one without latency,
// later by what the closed form says, bit for bit.
#include <chrono>

#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/actors/test/ur_fixture.h"
#include "longarm/actors/ur.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;
using protocols::ur::Joints;

struct Recorded {
  std::vector<Joints> targets;  ///< by cycle
  std::vector<Joints> actuals;
  nlohmann::ordered_json results;  ///< of the driver
};

/// Velocities of the plan as they are (feed_forward 1, gain 0), every 8 ms by the driver's clock.
Recorded record(const std::vector<std::string>& changes) {
  std::vector<std::string> all{"actors.driver.tick=timer", "actors.driver.gain=0",
                               "actors.driver.feed_forward=1", "actors.driver.task.hold=100ms",
                               "actors.driver.task.acceleration_limit_rad_s2=0.1"};
  all.insert(all.end(), changes.begin(), changes.end());
  cell::Run run(load_ur(kUrDriven, all));
  Recorded out;
  const robots::UrController& arm =
      run.world().ask<actors::UrServer>({.name = "ur5", .transport = ""}).robot->controller();
  run.set_observer([&](Time stamp) {
    if (stamp.time_since_epoch() % robots::kUrCycle == Duration(0)) {
      out.targets.push_back(arm.state().q_target);
      out.actuals.push_back(arm.state().q_actual);
    }
  });
  run.run_until(run.end());
  out.results = run.results()["driver"];
  return out;
}

/// Whether each of them took so long.
void expect_delays(const Recorded& run, const char* what, Duration delay) {
  EXPECT_EQ(run.results[std::string(what) + "_delay_min_s"], to_seconds(delay));
  EXPECT_EQ(run.results[std::string(what) + "_delay_max_s"], to_seconds(delay));
}

/// Whether `later` is what `first` was, so many cycles ago, from the first to the last.
void expect_shifted(const Recorded& first, const Recorded& later, std::size_t cycles) {
  ASSERT_GT(later.targets.size(), 10s / robots::kUrCycle);
  std::size_t moving = 0;
  const std::size_t count = std::min(first.targets.size(), later.targets.size() - cycles);
  for (std::size_t k = 0; k < count; ++k) {
    ASSERT_EQ(later.targets[k + cycles], first.targets[k]) << "cycle " << k;
    ASSERT_EQ(later.actuals[k + cycles], first.actuals[k]) << "cycle " << k;
    moving += k > 0 && first.targets[k] != first.targets[k - 1] ? 1 : 0;
  }
  EXPECT_GT(moving, 1000u) << "of 1250 in ten seconds";
}

class UrDelay : public ::testing::Test {
 protected:
  static const Recorded& without() {
    static const Recorded kWithout = record({});
    return kWithout;
  }
};

TEST_F(UrDelay, IsNothingWithoutLatency) {
  const Recorded& run = without();
  expect_delays(run, "packet", 0ms);
  expect_delays(run, "command", 0ms);
  EXPECT_EQ(run.results["speedj_timeouts"], 0);
  EXPECT_EQ(run.results["packets_missed"], 0);
}

// sent at 8k + 4 ms, there at 8k + 24 ms, which is a cycle: used 20 ms after it was sent, 24 ms
// after the clock of the other run
TEST_F(UrDelay, IsTwentyMillisecondsOnEveryCommandAndPacket) {
  const Recorded delayed = record({"network.links.wire.propagation=20ms", "actors.driver.phase=4ms",
                                   "actors.driver.start=1004ms"});
  expect_delays(delayed, "packet", 20ms);
  expect_delays(delayed, "command", 20ms);
  expect_shifted(without(), delayed, 3);
  EXPECT_EQ(delayed.results["speedj_timeouts"], 0);
}

// sent at 8k, there at 8k + 20 ms, used at 8k + 24 ms: 4 ms of waiting for the cycle
TEST_F(UrDelay, RoundsUpToTheNextCycle) {
  expect_shifted(without(), record({"network.links.wire.propagation=20ms"}), 3);
}

// A packet of 1116 bytes has 20 of IP, 32 of TCP with timestamps and 26 of Ethernet around it:
// 1194 · 8 bit at 100 Mbit/s are 95.52 µs. A command needs its time, too, so that one sent at
// 8k + 4 ms misses the cycle at 8k + 24 ms, and one sent at 8k + 3.9 ms does not.
TEST_F(UrDelay, HasTheTimeOnTheWireInIt) {
  const std::string wire = "network.links.wire.";
  const Recorded late = record({wire + "propagation=20ms", wire + "rate=100Mbit",
                                "actors.driver.phase=4ms", "actors.driver.start=1004ms"});
  expect_delays(late, "packet", 20ms + 95'520ns);
  EXPECT_GT(number(late.results, "command_delay_min_s"), to_seconds(20ms));
  EXPECT_LT(number(late.results, "command_delay_max_s"), to_seconds(20100us));
  expect_shifted(without(), late, 4);
  const Recorded early = record({wire + "propagation=20ms", wire + "rate=100Mbit",
                                 "actors.driver.phase=3900us", "actors.driver.start=1003900us"});
  expect_shifted(without(), early, 3);
}

}  // namespace
}  // namespace longarm::actors
