// SPDX-License-Identifier: Apache-2.0
// Tests of the stability verdict on signals whose growth is known.
#include "longarm/record/envelope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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
    EXPECT_EQ(envelope.judge().verdict, rate > 0.0 ? Verdict::kUnstable : Verdict::kStable) << rate;
  }
}

TEST(Envelope, FindsTheRateOfAPlainExponentialToo) {
  Envelope envelope;
  for (int k = 0; k < 2000; ++k) {
    envelope.add(k * 1e-3, 0.1 * std::exp(-5.0 * k * 1e-3), false);
  }
  EXPECT_NEAR(envelope.growth()->per_s, -5.0, 1e-6);
  EXPECT_EQ(envelope.judge().verdict, Verdict::kStable);
}

TEST(Envelope, DoesNotDecideOnASteadySwing) {
  RandomStream noise(1, "noise");
  Envelope envelope;
  for (int k = 0; k < 10'000; ++k) {
    envelope.add(k * 1e-3, 0.01 * std::sin(k * 0.05) + 0.001 * noise.normal(), false);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUndecided);
}

TEST(Envelope, CallsASaturatedLimitCycleUnstable) {
  Envelope envelope;
  for (int k = 0; k < 10'000; ++k) {
    envelope.add(k * 1e-3, 0.01 * std::sin(k * 0.05), k % 5 == 0);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUnstable);
}

// One way at the limit to the end: it may stop at its goal or not.
TEST(Envelope, DoesNotTakeALongWayAtTheLimitForASwing) {
  Envelope envelope;
  for (int k = 0; k < 2000; ++k) {
    envelope.add(k * 1e-3, 3.0 - k * 1e-3, true);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUndecided);
}

// 0.1 for 12.56 s, then down by 0.02 per second: the first 20 s of a loop of gain 0.2 with a delay
// of 12.56 s, which is unstable (0.2 · 12.56 > π/2) and has not swung yet.
TEST(Envelope, DoesNotCallTheBeginningOfASlowSwingStable) {
  Envelope envelope;
  for (int k = 0; k < 20'000; ++k) {
    envelope.add(k * 1e-3, 0.1 - 0.02 * std::max(0.0, k * 1e-3 - 12.56), false);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUndecided);
}

// Three swings of 1 s in 3.2 s, 5 % more or less each half: windows see parts of swings, heights
// see it.
TEST(Envelope, JudgesAFewPlainSwingsByTheirHeights) {
  for (const double rate : {-0.1, 0.1}) {
    const Envelope envelope = swing(3.2, rate, 1.0);
    // so few are unstable only once they have doubled: another joint may shake this one for a while
    EXPECT_EQ(envelope.judge().verdict, rate > 0.0 ? Verdict::kUndecided : Verdict::kStable);
    EXPECT_NEAR(envelope.growth()->per_s, rate, 0.01);
  }
}

// e-folds in 1 s, 2 s of it: far from rest, but plainly an exponential.
TEST(Envelope, KnowsAnExponentialBeforeItHasSettled) {
  Envelope envelope;
  for (int k = 0; k < 2000; ++k) {
    envelope.add(k * 1e-3, 0.1 * std::exp(-k * 1e-3), false);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kStable);
}

TEST(Envelope, TakesAConstantOffsetForRest) {
  EXPECT_EQ(swing(5.0, -8.0, 0.08, 0.1, 0.02).judge().verdict, Verdict::kStable);
}

TEST(Envelope, SeesAGrowingSwingUnderADyingTransient) {
  Envelope envelope;
  for (int k = 0; k < 4000; ++k) {
    const double t = k * 1e-3;
    envelope.add(t, 0.1 * std::exp(-10.0 * t) + 1e-4 * std::exp(t) * std::sin(100.0 * t), false);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUnstable);
}

TEST(Envelope, StaysSmallOverAnHour) {
  Envelope envelope;
  for (int k = 0; k < 3'600'000; ++k) {
    envelope.add(k * 1e-3, std::exp(-1e-3 * k * 1e-3) * std::sin(k * 0.05), false);
  }
  EXPECT_NEAR(envelope.growth()->per_s, -1e-3, 1e-5);
}

// A period of 3.2 s in a record of 2 s: what little of it there is looks like anything.
TEST(Envelope, DoesNotJudgeLessThanASwing) {
  for (const double rate : {-0.2, 0.2}) {
    const Judgement judgement = swing(2.0, rate, 3.2).judge();
    EXPECT_EQ(judgement.verdict, Verdict::kUndecided) << rate;
    EXPECT_STREQ(judgement.reason,
                 "the hold is too short for such a slow or irregular oscillation");
  }
}

// Three swings within the fit, dying by a factor of e⁶: irregular window by window, plain on the
// whole.
TEST(Envelope, JudgesAFewSwingsThatDieQuickly) {
  EXPECT_EQ(swing(2.0, -5.0, 0.4).judge().verdict, Verdict::kStable);
}

TEST(Envelope, DoesNotTakeRoundingForGrowth) {
  for (const double rate : {-1e-9, 1e-9}) {
    EXPECT_STREQ(swing(20.0, rate, 0.1).judge().reason,
                 "its oscillation neither clearly grows nor clearly decays");
  }
}

TEST(Envelope, DoesNotCallAJointStableThatALimitHoldsOffItsGoal) {
  Envelope envelope;
  for (int k = 0; k < 1000; ++k) {
    envelope.add(k * 1e-3, 0.5, true);
  }
  EXPECT_EQ(envelope.judge().verdict, Verdict::kUndecided);
  EXPECT_STREQ(envelope.judge().reason, "at rest away from its goal, at a limit");
}

TEST(Envelope, DoesNotJudgeByAHandfulOfSamples) {
  Envelope envelope;
  for (int k = 0; k < 99; ++k) {
    envelope.add(k * 1e-3, 0.0, false);
  }
  EXPECT_STREQ(envelope.judge().reason, "the hold is too short to judge");
}

TEST(Envelope, SaysNothingAboutNothing) {
  EXPECT_EQ(Envelope().judge().verdict, Verdict::kUndecided);
  EXPECT_FALSE(Envelope().growth());
}

/// A loop of gain K whose states are `delay` ticks of a millisecond old, and older by one for each
/// that was lost in a row: q' = q - h K q(then), the last states having been 0.3.
class LossyLoop {
 public:
  LossyLoop(double gain, double loss, std::uint64_t seed)
      : gain_(gain), loss_(loss), stream_(seed, "loss"), states_(kMost, 0.3) {}

  double step() {
    lost_ = stream_.uniform() < loss_ ? lost_ + 1 : 0;
    const std::size_t age = std::min(kDelay + lost_, kMost - 1);
    const double next = states_[now_] - 1e-3 * gain_ * states_[(now_ + kMost - age) % kMost];
    now_ = (now_ + 1) % kMost;
    states_[now_] = next;
    return next;
  }
  /// To size one; the logarithm of what it was.
  double rescale() {
    double size = 0.0;
    for (const double state : states_) {
      size = std::max(size, std::abs(state));
    }
    for (double& state : states_) {
      state /= size;
    }
    return std::log(size);
  }

 private:
  static constexpr std::size_t kDelay = 5;
  static constexpr std::size_t kMost = 64;
  double gain_;
  double loss_;
  RandomStream stream_;
  std::vector<double> states_;
  std::size_t now_ = 0;
  std::size_t lost_ = 0;
};

/// The exponent that every run has in the long run: of 2000 s in one piece.
double exponent_of(double gain, double loss) {
  LossyLoop loop(gain, loss, 99);
  double sum = 0.0;
  constexpr int kSteps = 2'000'000;
  for (int k = 1; k <= kSteps; ++k) {
    loop.step();
    sum += k % 500 == 0 ? loop.rescale() : 0.0;
  }
  return sum / (kSteps * 1e-3);
}

// Chance makes the swing wander: what it gains or loses in one moment it keeps. Whoever takes the
// distances to the fitted line for independent is 6 to 11 times too sure.
TEST(Envelope, KnowsHowLittleARandomLinkTells) {
  constexpr double kLoss = 0.3;
  for (const double gain : {262.0, 269.3, 277.0}) {
    const double truth = exponent_of(gain, kLoss);
    int covered = 0;
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      LossyLoop loop(gain, kLoss, seed);
      Envelope envelope;
      for (int k = 0; k < 2000; ++k) {
        envelope.add(k * 1e-3, loop.step(), false);
      }
      const Growth growth = envelope.growth().value();
      covered +=
          std::abs(growth.per_s - truth) <= 2.0 * growth.standard_error_per_s.value() ? 1 : 0;
      const Verdict verdict = envelope.judge().verdict;
      wrong += verdict == (truth > 0.0 ? Verdict::kStable : Verdict::kUnstable) ? 1 : 0;
    }
    EXPECT_GE(covered, 369) << gain << ", exponent " << truth;
    // one side of an interval that misses 5 %
    EXPECT_LE(wrong, 20) << gain << ", exponent " << truth;
  }
}

// Its length until rest is chance as well, and a few swings are no sample.
TEST(Envelope, GivesNoErrorWhereThereIsNone) {
  EXPECT_FALSE(swing(3.2, -0.1, 1.0).growth()->standard_error_per_s.has_value());
  const Envelope comes_to_rest = swing(4.0, -5.0, 0.08);  // 0.1 e^-20 is 2e-10
  EXPECT_NEAR(comes_to_rest.growth()->per_s, -5.0, 0.1);
  EXPECT_FALSE(comes_to_rest.growth()->standard_error_per_s.has_value());
  EXPECT_TRUE(swing(4.0, -0.3, 0.08).growth()->standard_error_per_s.has_value());
}

}  // namespace
}  // namespace longarm::record
