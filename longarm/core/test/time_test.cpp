// SPDX-License-Identifier: Apache-2.0
// Tests of simulated time.
#include "longarm/core/time.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace longarm {
namespace {

using namespace std::chrono_literals;

TEST(Time, AddsLiteralsExactly) {
  const Time start{};
  EXPECT_EQ((start + 8ms + 250us).time_since_epoch().count(), 8'250'000);
}

TEST(Time, DoesNotMixWithWallClockTime) {
  static_assert(!std::is_convertible_v<std::chrono::steady_clock::time_point, Time>);
  static_assert(!std::is_convertible_v<double, Duration>);
}

TEST(Time, TellsWhetherAPeriodIsAWholeNumberOfSteps) {
  EXPECT_EQ(Duration(8ms) % Duration(1ms), Duration(0));
  EXPECT_NE(Duration(8ms) % Duration(3ms), Duration(0));
}

}  // namespace
}  // namespace longarm
