// SPDX-License-Identifier: Apache-2.0
// Tests of host clocks and of when a controller ticks by them.
#include "longarm/control/tick_times.h"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

namespace longarm::control {
namespace {

using namespace std::chrono_literals;

TEST(HostClock, OfNoOffsetAndNoDriftIsRight) {
  const HostClock clock;
  EXPECT_EQ(clock.to_local(Time(123456789ns)), Time(123456789ns));
  EXPECT_EQ(clock.to_true(Time(123456789ns)), Time(123456789ns));
  EXPECT_FALSE(clock.is_drifting());
}

TEST(HostClock, GainsItsDriftInMicrosecondsPerSecond) {
  const HostClock fast(5ms, 100.0);
  EXPECT_EQ(fast.to_local(Time{}), Time(5ms));
  EXPECT_EQ(fast.to_local(Time(1s)), Time(1s + 5ms + 100us));
  EXPECT_EQ(fast.to_local(Time(1h)), Time(1h + 5ms + 360ms));
  const HostClock slow(-2ms, -50.0);
  EXPECT_EQ(slow.to_local(Time(2s)), Time(2s - 2ms - 100us));
}

TEST(HostClock, IsRightToTheNanosecondHoweverLongItRuns) {
  // 100 ppm of t is t / 10000: integers tell
  const HostClock clock(7ns, 100.0);
  for (std::int64_t t = 1; t < 100'000'000'000'000; t = t * 3 + 1) {
    const std::int64_t gained = clock.to_local(Time(Duration(t))).time_since_epoch().count() - t;
    EXPECT_LE(std::abs((gained - 7) * 10'000 - t), 5'000) << t;  // half a nanosecond
  }
}

TEST(HostClock, ThereAndBackIsTheSameToTheNanosecond) {
  for (const double drift_ppm : {-500.0, -1.0, 0.3, 100.0, 10'000.0}) {
    const HostClock clock(-12345678ns, drift_ppm);
    for (std::int64_t t = 1; t < 10'000'000'000'000; t = t * 7 + 3) {
      const Time back = clock.to_true(clock.to_local(Time(Duration(t))));
      EXPECT_LE(std::abs(back.time_since_epoch().count() - t), 1) << t;
    }
  }
}

TEST(TickTimes, AreMultiplesOfThePeriodByDefault) {
  const TickTimes ticks({}, {.period = 4ms});
  EXPECT_TRUE(ticks.is_regular());
  EXPECT_EQ(ticks.at(0), Time{});
  EXPECT_EQ(ticks.at(5), Time(20ms));
}

TEST(TickTimes, StartAtTheFirstReadingOfTheClockThatIsDue) {
  const auto first = [](Duration offset, Duration phase) {
    return TickTimes({offset, 0.0}, {.period = 1ms, .phase = phase}).at(0).time_since_epoch();
  };
  EXPECT_EQ(first(0ms, 400us), 400us);
  EXPECT_EQ(first(300us, 0us), 700us);  // it reads 0.3 ms at the start and 1 ms 0.7 ms later
  EXPECT_EQ(first(5300us, 0us), 700us);
  EXPECT_EQ(first(-300us, 0us), 300us);
  EXPECT_EQ(first(-5300us, 0us), 300us);
  EXPECT_EQ(first(300us, 400us), 100us);
  EXPECT_EQ(first(500us, 400us), 900us);
  EXPECT_EQ(first(-2ms, 0us), 0us);
}

TEST(TickTimes, OfAFastClockComeEarlierAndEarlier) {
  // its clock reads 10.001 s, and tick 10001 is due, at true time 10.001 s / 1.0001 = 10 s
  const TickTimes ticks({0ms, 100.0}, {.period = 1ms});
  EXPECT_FALSE(ticks.is_regular());
  EXPECT_EQ(ticks.at(0), Time{});
  EXPECT_EQ(ticks.at(10'001), Time(10s));
  // and within each true second ticks move by 100 us against true time: 1 s / 1.0001 each 1000
  const Duration moved = ticks.at(11'000).time_since_epoch() - ticks.at(10'000).time_since_epoch();
  EXPECT_LE(std::abs((1s - moved).count() - 99'990), 1);
}

TEST(TickTimes, AreLateByLessThanTheJitterAndByHalfOfItOnAverage) {
  constexpr std::uint64_t kTicks = 100'000;
  const TickTimes ticks({}, {.period = 1ms, .phase = 100us, .jitter = 400us, .seed = 5});
  double sum_ns = 0.0;
  for (std::uint64_t k = 0; k < kTicks; ++k) {
    const Duration late =
        ticks.at(k).time_since_epoch() - (static_cast<std::int64_t>(k) * 1ms + 100us);
    EXPECT_GE(late, 0ns);
    EXPECT_LT(late, 400us);
    sum_ns += static_cast<double>(late.count());
  }
  // uniform: standard deviation 400 us / sqrt(12); cutting to whole nanoseconds takes half of one
  const double standard_error_ns = 400e3 / std::sqrt(12.0 * kTicks);
  EXPECT_NEAR(sum_ns / kTicks, 200e3 - 0.5, 3.0 * standard_error_ns);
}

TEST(TickTimes, DrawTheSameForTheSameSeed) {
  const TickTimes a({}, {.period = 1ms, .jitter = 400us, .seed = 5});
  const TickTimes b({}, {.period = 1ms, .jitter = 400us, .seed = 5});
  const TickTimes other({}, {.period = 1ms, .jitter = 400us, .seed = 6});
  EXPECT_EQ(a.at(77), b.at(77));
  EXPECT_NE(a.at(77), other.at(77));
}

}  // namespace
}  // namespace longarm::control
