// SPDX-License-Identifier: Apache-2.0
// Student's t against printed tables and closed forms, and intervals worked out by hand.
#include "longarm/study/report/statistics.h"

#include <cmath>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

namespace longarm::study {
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

}  // namespace
}  // namespace longarm::study
