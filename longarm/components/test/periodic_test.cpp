// SPDX-License-Identifier: Apache-2.0
// Periodic work: phase, cycle times, overruns.
#include "longarm/components/periodic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

using ::testing::ElementsAre;

sim::Task<void> work_for(Node* node, const std::vector<Duration>* works, std::size_t* next) {
  co_await node->compute((*works)[(*next)++ % works->size()]);
}

TEST(PeriodicWork, KeepsItsGridAndCountsOverruns) {
  System system(1);
  TestComponent component = system.make_known("loop", "pc1");
  Node* node = component.node.get();
  // due at 1 (+ n · 10) ms. 4 ms: fits. 12 ms from 11: ends at 23, due 21: late, begins at 23.
  // 25 ms from 23: ends at 48; due 31 and missed, 41 begins at 48; 4 ms: ends at 52, due 51: late;
  // 12 ms from 52: ends at 64, due 61: late
  const std::vector<Duration> works{4ms, 12ms, 25ms};
  std::size_t next = 0;
  std::vector<Duration> began, spans;
  Periodic periodic(
      *node, {.period = 10ms, .phase = 1ms, .cycles = 5},
      [node, &works, &next] { return work_for(node, &works, &next); },
      [&](const PeriodicCycle& cycle) {
        began.push_back(cycle.began.time_since_epoch());
        spans.push_back(cycle.ended - cycle.began);
      });
  system.run_for(1s);
  EXPECT_THAT(began, ElementsAre(1ms, 11ms, 23ms, 48ms, 52ms));
  EXPECT_THAT(spans, ElementsAre(4ms, 12ms, 25ms, 4ms, 12ms));
  EXPECT_EQ(periodic.cycles(), 5U);
  EXPECT_EQ(periodic.overruns(), 4U);
  EXPECT_EQ(periodic.missed(), 1U);
  EXPECT_TRUE(periodic.is_done());
}

}  // namespace
}  // namespace longarm::components::test
