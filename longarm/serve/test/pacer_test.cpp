// SPDX-License-Identifier: Apache-2.0
// When steps are due, with clocks made up by hand.
#include "longarm/serve/pacer.h"

#include <gtest/gtest.h>

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;
using Instant = Pacer::Clock::time_point;

const Instant kStart{1000s};

TEST(Pacer, SpreadsStepsOverTimeAtItsSpeed) {
  Pacer half(1ms, 0.5, 1s);
  half.start(kStart);
  EXPECT_EQ(half.due(), kStart);
  half.begin_step(kStart);
  EXPECT_EQ(half.due(), kStart + 2ms);
  EXPECT_EQ(half.wall_period(), 2ms);
  Pacer ten(1ms, 10.0, 1s);
  ten.start(kStart);
  for (int i = 0; i < 1000; ++i) {
    ten.begin_step(ten.due());
  }
  EXPECT_EQ(ten.due(), kStart + 100ms);
  EXPECT_EQ(ten.report().late_steps, 0U);
}

// a third of a millisecond is no whole number of nanoseconds; after 3e6 steps it has not added up
TEST(Pacer, DoesNotDrift) {
  Pacer pacer(1ms, 3.0, 1s);
  pacer.start(kStart);
  for (int i = 0; i < 3'000'000; ++i) {
    pacer.begin_step(pacer.due());
  }
  EXPECT_EQ(pacer.due(), kStart + 1000s);
}

// step 0 on time takes 5 ms: steps 1 to 5, due at 1 … 5 ms, begin at 5, 5, … ms, that is 4, 3, 2, 1
// and 0 ms late; later than 1 ms are three of them, 9 ms together
TEST(Pacer, CountsLateStepsUntilTheyHaveCaughtUp) {
  Pacer pacer(1ms, 1.0, 1s);
  pacer.start(kStart);
  pacer.begin_step(kStart);
  for (int i = 1; i <= 5; ++i) {
    pacer.begin_step(kStart + 5ms);
  }
  EXPECT_EQ(pacer.report().late_steps, 3U);
  EXPECT_EQ(pacer.report().worst, 4ms);
  EXPECT_EQ(pacer.report().total, 9ms);
  EXPECT_EQ(pacer.report().behind, 0ms);
  EXPECT_EQ(pacer.report().shifts, 0U);
  EXPECT_EQ(pacer.due(), kStart + 6ms);
}

// Step 0 takes 50 ms. Steps 1 to 8 follow at once (5 ms at 0.8 ms each are 6.25 steps, and what a
// step may be early by), then one every 0.8 ms: step k at 45 + 0.8 (k - 2) ms, which is on time for
// k = 217. A burst would have made 49 steps at once.
TEST(Pacer, MakesUpForAStallWithoutABurst) {
  Pacer pacer(1ms, 1.0, 1s);
  pacer.start(kStart);
  pacer.begin_step(kStart);
  Instant now = kStart + 50ms;
  int steps = 0;
  int soon = 0;
  for (; pacer.report().behind > 0ms || steps == 0; ++steps) {
    pacer.begin_step(now);
    soon += now < kStart + 58ms ? 1 : 0;
    now = std::max(now, pacer.due());
  }
  EXPECT_EQ(soon, 18);  // eight, and ten in the 8 ms that follow
  EXPECT_EQ(steps, 217);
  EXPECT_EQ(now, kStart + 218ms);
  EXPECT_EQ(pacer.report().shifts, 0U);
}

// A machine on which each wait takes 4 ms too long is never more than that behind.
TEST(Pacer, WaitsThatAreTooLongAreMadeUpFor) {
  Pacer pacer(1ms, 1.0, 1s);
  pacer.start(kStart);
  Instant now = kStart;
  for (int i = 0; i < 10'000; ++i) {
    now = pacer.due() > now ? pacer.due() + 4ms : now;
    pacer.begin_step(now);
  }
  EXPECT_LE(pacer.report().worst, 4ms);
}

// 2 s behind with 1 s allowed: the next step is due a period after this one
TEST(Pacer, ShiftsTheScheduleWhenItIsHopelessAndSaysSo) {
  Pacer pacer(1ms, 1.0, 1s);
  pacer.start(kStart);
  pacer.begin_step(kStart + 2s);
  EXPECT_EQ(pacer.report().shifts, 1U);
  EXPECT_EQ(pacer.report().shifted, 2s);
  EXPECT_EQ(pacer.report().late_steps, 1U);
  EXPECT_EQ(pacer.due(), kStart + 2s + 1ms);
}

TEST(Pacer, IsNeverLateWithoutASpeed) {
  Pacer pacer(1ms, 0.0, 1s);
  pacer.start(kStart);
  pacer.begin_step(kStart + 100s);
  EXPECT_LE(pacer.due(), kStart + 100s);
  EXPECT_EQ(pacer.report().late_steps, 0U);
  EXPECT_EQ(pacer.report().steps, 1U);
}

}  // namespace
}  // namespace longarm::serve
