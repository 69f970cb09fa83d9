// SPDX-License-Identifier: Apache-2.0
// Tests of the stability verdict on signals whose growth is known.
#include "longarm/record/envelope.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::record {
namespace {

/// amplitude·exp(rate·t)·sin(2πt/period) + offset, sampled every millisecond.
Envelope swing(double duration_s, double rate, double period_s, double amplitude = 0.1,
               double offset = 0.0) {
  Envelope envelope;
  for (int k = 0; k < duration_s * 1000; ++k) {
    const double t = k * 1e-3;
    envelope.add(
        t,
        offset + amplitude * std::exp(rate * t) * std::sin(2.0 * std::numbers::pi * t / period_s),
        false);
  }
  return envelope;
}

TEST(Envelope, FindsTheGrowthOfASwingWithinItsError) {
  for (const double rate : {-3.0, -0.3, 0.05, 0.3, 2.0}) {
    const Envelope envelope = swing(4.0, rate, 0.08);
    const std::optional<Growth> growth = envelope.growth();
    ASSERT_TRUE(growth) << rate;
    EXPECT_NEAR(growth->per_s, rate, 0.02) << rate;
    EXPECT_EQ(envelope.verdict(), rate > 0.0 ? Verdict::kUnstable : Verdict::kStable) << rate;
  }
}

TEST(Envelope, FindsTheRateOfAPlainExponentialToo) {
  Envelope envelope;
  for (int k = 0; k < 2000; ++k) {
    envelope.add(k * 1e-3, 0.1 * std::exp(-5.0 * k * 1e-3), false);
  }
  EXPECT_NEAR(envelope.growth()->per_s, -5.0, 1e-6);
  EXPECT_EQ(envelope.verdict(), Verdict::kStable);
}

TEST(Envelope, DoesNotDecideOnASteadySwing) {
  RandomStream noise(1, "noise");
  Envelope envelope;
  for (int k = 0; k < 10'000; ++k) {
    envelope.add(k * 1e-3, 0.01 * std::sin(k * 0.05) + 0.001 * noise.normal(), false);
  }
  EXPECT_EQ(envelope.verdict(), Verdict::kUndecided);
}

TEST(Envelope, CallsASaturatedLimitCycleUnstable) {
  Envelope envelope;
  for (int k = 0; k < 10'000; ++k) {
    envelope.add(k * 1e-3, 0.01 * std::sin(k * 0.05), k % 5 == 0);
  }
  EXPECT_EQ(envelope.verdict(), Verdict::kUnstable);
}

TEST(Envelope, TakesAConstantOffsetForRest) {
  EXPECT_EQ(swing(5.0, -8.0, 0.08, 0.1, 0.02).verdict(), Verdict::kStable);
}

TEST(Envelope, SeesAGrowingSwingUnderADyingTransient) {
  Envelope envelope;
  for (int k = 0; k < 4000; ++k) {
    const double t = k * 1e-3;
    envelope.add(t, 0.1 * std::exp(-10.0 * t) + 1e-4 * std::exp(t) * std::sin(100.0 * t), false);
  }
  EXPECT_EQ(envelope.verdict(), Verdict::kUnstable);
}

TEST(Envelope, StaysSmallOverAnHour) {
  Envelope envelope;
  for (int k = 0; k < 3'600'000; ++k) {
    envelope.add(k * 1e-3, std::exp(-1e-3 * k * 1e-3) * std::sin(k * 0.05), false);
  }
  EXPECT_NEAR(envelope.growth()->per_s, -1e-3, 1e-5);
}

// A swing with amplitude |t - 2.5|: narrowest at 2.5 s, found to one of about 32 windows of 4 s.
TEST(Envelope, KnowsWhenItWasNarrowest) {
  Envelope envelope;
  for (int k = 0; k < 4000; ++k) {
    const double t = k * 1e-3;
    envelope.add(t, (t - 2.5) * (k % 2 == 0 ? 1.0 : -1.0), false);
  }
  EXPECT_NEAR(envelope.narrowest_s(), 2.5, 4.0 / 32.0);
}

TEST(Envelope, SaysNothingAboutNothing) {
  EXPECT_EQ(Envelope().verdict(), Verdict::kUndecided);
  EXPECT_FALSE(Envelope().growth());
}

}  // namespace
}  // namespace longarm::record
