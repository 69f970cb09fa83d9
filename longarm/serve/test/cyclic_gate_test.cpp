// SPDX-License-Identifier: Apache-2.0
// Which packets of a stream are left out while the world catches up.
#include "longarm/serve/cyclic_gate.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;

constexpr ConnectionId kFirstClient{1};
constexpr ConnectionId kSecondClient{2};

/// What becomes of 1 … n packets of a client, made at these milliseconds by the wall clock.
std::string passed(CyclicGate& gate, const std::vector<int>& wall_ms, Duration apart = 8ms) {
  std::string out;
  for (std::size_t i = 0; i < wall_ms.size(); ++i) {
    const auto wall = CyclicGate::Clock::time_point(std::chrono::milliseconds(wall_ms[i]));
    out += gate.lets_pass(kFirstClient, Time(static_cast<int>(i) * apart), wall) ? '1' : '.';
  }
  return out;
}

TEST(CyclicGate, LeavesOutWhatIsMadeToCatchUp) {
  CyclicGate gate(1.0);
  // on time twice, 50 ms late, then five made up for at once; the last one is on time again
  EXPECT_EQ(passed(gate, {0, 8, 66, 66, 67, 67, 68, 68, 68, 72}), "111......1");
  EXPECT_EQ(gate.left_out(), 6U);
}

TEST(CyclicGate, LetsTheStreamOfASlowWorldPass) {
  CyclicGate gate(1.0);
  // 12 ms instead of 8, then a little faster than it should be
  EXPECT_EQ(passed(gate, {0, 12, 24, 36, 41, 46}), "111111");
  // 4 ms is half of 8 ms and not less
  EXPECT_EQ(passed(gate, {100, 104, 107}), "11.");
}

TEST(CyclicGate, KnowsTheSpeed) {
  CyclicGate ten_times(10.0);  // 100 ms in 10 ms: half of it is 5 ms
  EXPECT_EQ(passed(ten_times, {0, 10, 15, 19}, 100ms), "111.");
  CyclicGate unpaced(0.0);
  EXPECT_EQ(passed(unpaced, {0, 0, 0}), "111");
}

TEST(CyclicGate, KeepsClientsApart) {
  CyclicGate gate(1.0);
  const CyclicGate::Clock::time_point wall{};
  EXPECT_TRUE(gate.lets_pass(kFirstClient, Time{}, wall));
  EXPECT_TRUE(gate.lets_pass(kSecondClient, Time(8ms), wall));
  EXPECT_FALSE(gate.lets_pass(kFirstClient, Time(8ms), wall));
  gate.forget(kFirstClient);
  EXPECT_TRUE(gate.lets_pass(kFirstClient, Time(16ms), wall));
}

}  // namespace
}  // namespace longarm::serve
