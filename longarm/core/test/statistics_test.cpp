// SPDX-License-Identifier: Apache-2.0
// Student's t against printed tables and closed forms, and intervals worked out by hand.
#include "longarm/core/statistics.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm {
namespace {

TEST(StudentT, QuantilesAreThoseOfPrintedTables) {
  // two-sided 95 %, from any statistics textbook
  for (const auto& [freedom, printed] :
       {std::pair{1.0, 12.7062}, std::pair{2.0, 4.30265}, std::pair{3.0, 3.18245},
        std::pair{4.0, 2.77645}, std::pair{9.0, 2.26216}, std::pair{19.0, 2.09302},
        std::pair{30.0, 2.04227}, std::pair{100.0, 1.98397}}) {
    EXPECT_NEAR(student_t_quantile(0.975, freedom), printed, 0.6 * (freedom < 2.0 ? 1e-4 : 1e-5))
        << freedom;
  }
  EXPECT_NEAR(student_t_quantile(0.95, 10.0), 1.81246, 0.6e-5);
  // so many degrees of freedom that it is the normal distribution
  EXPECT_NEAR(student_t_quantile(0.975, 1e9), 1.959964, 1e-6);
}

TEST(StudentT, HasItsClosedFormsForOneAndTwoDegreesOfFreedom) {
  // 1: Cauchy, P = 1/2 + atan(t)/π; 2: P = 1/2 + t/(2 √(2 + t²))
  for (const double t : {-30.0, -1.0, 0.0, 0.1, 2.0, 400.0}) {
    EXPECT_NEAR(student_t_probability(t, 1.0), 0.5 + std::atan(t) / std::numbers::pi, 1e-14) << t;
    EXPECT_NEAR(student_t_probability(t, 2.0), 0.5 + t / (2.0 * std::sqrt(2.0 + t * t)), 1e-14)
        << t;
  }
}

TEST(IncompleteBeta, IsAPolynomialForWholeParameters) {
  // I_x(2, 3) = 6x² − 8x³ + 3x⁴, I_x(1, b) = 1 − (1 − x)^b
  for (const double x : {0.0, 0.05, 0.3, 0.5, 0.77, 0.999, 1.0}) {
    EXPECT_NEAR(incomplete_beta(2.0, 3.0, x), x * x * (6.0 - 8.0 * x + 3.0 * x * x), 1e-14) << x;
    EXPECT_NEAR(incomplete_beta(1.0, 7.0, x), 1.0 - std::pow(1.0 - x, 7.0), 1e-14) << x;
  }
}

TEST(Scatter, OfThreeNumbersIsWhatOneWorksOutByHand) {
  // 1, 2, 6: mean 3; squared distances 4 + 1 + 9 = 14, over 2 is 7
  Scatter scatter;
  for (const double value : {1.0, 2.0, 6.0}) {
    scatter.add(value);
  }
  EXPECT_EQ(scatter.count(), 3U);
  EXPECT_DOUBLE_EQ(scatter.mean(), 3.0);
  EXPECT_DOUBLE_EQ(scatter.variance(), 7.0);
  // t(0.975; 2) √(7/3) = 4.30265 · 1.527525 = 6.57241
  ConfidenceInterval interval;
  EXPECT_NEAR(interval.half_width(scatter).value(), 6.57241, 2e-5);
  EXPECT_EQ(interval.half_width(scatter), interval.half_width(scatter));
}

TEST(Scatter, OfOneNumberIsThatNumberBitByBitAndHasNoInterval) {
  Scatter scatter;
  scatter.add(0.009161435145043343);
  EXPECT_EQ(scatter.mean(), 0.009161435145043343);
  EXPECT_FALSE(ConfidenceInterval().half_width(scatter).has_value());
}

TEST(Scatter, DoesNotLoseSmallDifferencesBetweenLargeNumbers) {
  // 10⁹ + {4, 7, 13, 16}: variance 30; sums of squares would have lost it
  Scatter scatter;
  for (const double value : {4.0, 7.0, 13.0, 16.0}) {
    scatter.add(1e9 + value);
  }
  EXPECT_DOUBLE_EQ(scatter.mean(), 1e9 + 10.0);
  EXPECT_DOUBLE_EQ(scatter.variance(), 30.0);
}

TEST(Scatter, OfEqualNumbersIsNone) {
  Scatter scatter;
  ConfidenceInterval interval;
  for (int i = 0; i < 7; ++i) {
    scatter.add(0.1);
  }
  EXPECT_EQ(scatter.mean(), 0.1);
  EXPECT_EQ(interval.half_width(scatter), 0.0);
}

// Thirteen numbers have twelve waves: all of their variance (Parseval).
TEST(LongRunVariance, OfAFewNumbersIsTheirOrdinaryVariance) {
  RandomStream stream(3, "few");
  for (const std::size_t count : {2U, 3U, 7U, 13U}) {
    std::vector<double> series;
    Scatter scatter;
    for (std::size_t i = 0; i < count; ++i) {
      series.push_back(stream.normal());
      scatter.add(series.back());
    }
    const LongRunVariance found = long_run_variance(series).value();
    EXPECT_NEAR(found.variance, scatter.variance(), 1e-13) << count;
    EXPECT_EQ(found.degrees_of_freedom, count - 1);
    EXPECT_NEAR(series_half_width(series).value(), ConfidenceInterval().half_width(scatter).value(),
                1e-13);
  }
}

TEST(LongRunVariance, IsNoneOfOneNumberAndZeroOfEqualOnes) {
  EXPECT_FALSE(long_run_variance(std::vector<double>{}).has_value());
  EXPECT_FALSE(series_half_width(std::vector<double>{4.0}).has_value());
  EXPECT_EQ(series_half_width(std::vector<double>(100, 0.1)), 0.0);
}

// x' = r x + √(1 - r²) z has mean 0 and variance 1; with r = 0.9 a mean of n varies by 19/n.
// 380 of 400 intervals should have the mean within; 369 is 2.5 standard deviations below that.
// Neighbours taken for independent, it would be 135 or so.
TEST(LongRunVariance, GivesIntervalsThatHaveTheMeanOfACorrelatedSeriesWithin) {
  for (const double r : {0.0, 0.5, 0.9}) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      RandomStream stream(seed, "correlated");
      std::vector<double> series;
      Scatter scatter;
      double x = stream.normal();
      for (int i = 0; i < 1000; ++i) {
        series.push_back(x);
        scatter.add(x);
        x = r * x + std::sqrt(1.0 - r * r) * stream.normal();
      }
      covered += std::abs(scatter.mean()) <= series_half_width(series).value() ? 1 : 0;
    }
    EXPECT_GE(covered, 369) << r;
    EXPECT_LE(covered, 391) << r;
  }
}

// Five seeds a time, of a skewed distribution: as studies average them.
TEST(ConfidenceInterval, OfFiveSeedsHasTheMeanWithin) {
  int covered = 0;
  RandomStream stream(1, "seeds");
  ConfidenceInterval interval;
  for (int study = 0; study < 400; ++study) {
    Scatter scatter;
    for (int seed = 0; seed < 5; ++seed) {
      scatter.add(std::exp(0.3 * stream.normal()));
    }
    covered +=
        std::abs(scatter.mean() - std::exp(0.045)) <= interval.half_width(scatter).value() ? 1 : 0;
  }
  EXPECT_GE(covered, 369);
}

}  // namespace
}  // namespace longarm
