// SPDX-License-Identifier: Apache-2.0
// The pieces of a system of components one by one: statistics of cycles, and computing times.
#include "longarm/actors/component_figures.h"

#include <cmath>

#include <gtest/gtest.h>

#include "longarm/actors/component_config.h"

namespace longarm::actors {
namespace {

using components::LoopCycle;
using namespace std::chrono_literals;

LoopCycle cycle_of(Duration at, Duration length) {
  return {Time{at}, Time{at + length}, 2, false};
}

// 1, 1, 1 and 3 ms: mean 1.5, squares about it 3 · 0.25 + 2.25 = 3, SD = √(3/3) = 1, interval
// t(0.975; 3) · 1/√4 = 3.182446/2; the one of 9 ms began before the others count
TEST(CycleFigures, AreThoseOfTheCyclesThatCount) {
  const std::vector<LoopCycle> cycles{cycle_of(0ms, 9ms), cycle_of(10ms, 1ms), cycle_of(20ms, 1ms),
                                      cycle_of(30ms, 3ms), cycle_of(40ms, 1ms)};
  const CycleFigures figures = figures_of(cycles, Time{5ms});
  EXPECT_EQ(figures.count, 4U);
  EXPECT_NEAR(figures.mean_s, 1.5e-3, 1e-15);
  EXPECT_NEAR(figures.deviation_s.value(), 1e-3, 1e-15);
  EXPECT_NEAR(figures.confidence_s.value(), 1.591223e-3, 1e-9);
  EXPECT_EQ(figures.p50_s, 1e-3);
  EXPECT_EQ(figures.p99_s, 3e-3);
  // within the data, not in the middle of a bin
  EXPECT_NEAR(figures.peak_low_s, 1e-3, 1e-12);
  EXPECT_NEAR(figures.peak_high_s.value_or(0.0), 3e-3, 1e-12);
  EXPECT_EQ(figures_of({}, Time{}).count, 0U);
}

TEST(CycleFigures, OfOneCycleHaveNoDeviationAndNoInterval) {
  const CycleFigures figures = figures_of({cycle_of(0ms, 3ms)}, Time{});
  EXPECT_EQ(figures.count, 1U);
  EXPECT_EQ(figures.mean_s, 3e-3);
  EXPECT_FALSE(figures.deviation_s.has_value());
  EXPECT_FALSE(figures.confidence_s.has_value());
}

// equally spread over 1 … 2 ms, and one that failed
TEST(CycleFigures, HaveOnePeakWhereThereIsOneGroup) {
  std::vector<LoopCycle> cycles;
  for (int i = 0; i <= 100; ++i) {
    cycles.push_back(cycle_of(i * 10ms, 1ms + i * 10us));
  }
  cycles.push_back({Time{2s}, Time{3s}, 1, true});
  const CycleFigures figures = figures_of(cycles, Time{});
  EXPECT_EQ(figures.count, 101U);
  EXPECT_EQ(figures.failed, 1U);
  EXPECT_FALSE(figures.peak_high_s.has_value());
}

TEST(ExecutionTimes, KeepTheMeanAndHaveTheVariationAskedFor) {
  network::VaryingTime time;
  time.fixed = 100us;
  const network::VaryingTime spread = ExecutionTimes({2.0, 0.35})(time);
  double sum = 0.0;
  double squares = 0.0;
  constexpr int kDraws = 4096;
  for (int i = 0; i < kDraws; ++i) {
    const double s = to_seconds(spread.at(0, (i + 0.5) / kDraws));
    sum += s;
    squares += s * s;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 200e-6, 1e-7);
  // 256 equally likely values cut the tail off: a little less
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean) / mean, 0.35, 0.01);
  EXPECT_EQ(ExecutionTimes({2.0, 0.0})(time).at(0, 0.3), Duration(200us));
}

}  // namespace
}  // namespace longarm::actors
