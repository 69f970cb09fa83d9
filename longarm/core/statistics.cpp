// SPDX-License-Identifier: Apache-2.0
// Student's t by the incomplete beta function; the long-run variance by cosines.
#include "longarm/core/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "longarm/core/check.h"

namespace longarm {
namespace {

/// The continued fraction of I_x(a, b) without its factor (Abramowitz and Stegun 26.5.8), evaluated
/// forwards by Lentz's rule; converges fast for x < (a + 1)/(a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMaxTerms = 10'000;
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double numerator = 1.0;
  double denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
  double fraction = denominator;
  for (int i = 1; i < kMaxTerms; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    double step = 1.0;
    for (const double term : {even, odd}) {
      denominator = 1.0 / away_from_zero(1.0 + term * denominator);
      numerator = away_from_zero(1.0 + term / numerator);
      step = numerator * denominator;
      fraction *= step;
    }
    if (std::abs(step - 1.0) < 4.0 * std::numeric_limits<double>::epsilon()) {
      break;
    }
  }
  return fraction;
}

/// For threads: std::lgamma writes the sign to a variable that they all share.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

}  // namespace

void Scatter::add(double value) {
  ++count_;
  const double before = value - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (value - mean_);
}

double Scatter::variance() const {
  return count_ < 2 ? 0.0 : squares_ / static_cast<double>(count_ - 1);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0.0 || x >= 1.0) {
    return x <= 0.0 ? 0.0 : 1.0;
  }
  // beyond the peak the other tail converges fast
  if (x > (a + 1.0) / (a + b + 2.0)) {
    return 1.0 - incomplete_beta(b, a, 1.0 - x);
  }
  const double log_factor =
      log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(log_factor) / a * beta_fraction(a, b, x);
}

double student_t_probability(double t, double degrees_of_freedom) {
  const double x = degrees_of_freedom / (degrees_of_freedom + t * t);
  const double tail = 0.5 * incomplete_beta(0.5 * degrees_of_freedom, 0.5, x);
  return t > 0.0 ? 1.0 - tail : tail;
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  check(probability > 0.5 && probability < 1.0, "a quantile above the median");
  double low = 0.0;
  double high = 1.0;
  while (student_t_probability(high, degrees_of_freedom) < probability) {
    low = high;
    high *= 2.0;
  }
  // halving needs no derivative and ends when there is no number between the two
  while (true) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) {
      return high;
    }
    (student_t_probability(middle, degrees_of_freedom) < probability ? low : high) = middle;
  }
}

std::optional<double> ConfidenceInterval::half_width(const Scatter& scatter) {
  if (scatter.count() < 2) {
    return std::nullopt;
  }
  const std::size_t freedom = scatter.count() - 1;
  if (quantiles_.size() <= freedom) {
    quantiles_.resize(freedom + 1, 0.0);
  }
  double& quantile = quantiles_[freedom];
  if (quantile == 0.0) {
    quantile = student_t_quantile(0.975, static_cast<double>(freedom));
  }
  return quantile * std::sqrt(scatter.variance() / static_cast<double>(scatter.count()));
}

std::optional<LongRunVariance> long_run_variance(std::span<const double> series) {
  // more follow faster changes, and take correlation for less than it is; fewer scatter more
  constexpr std::size_t kWaves = 12;
  if (series.size() < 2) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(series.size());
  Scatter scatter;
  for (const double value : series) {
    scatter.add(value);
  }
  const std::size_t waves = std::min(kWaves, series.size() - 1);
  double sum = 0.0;
  for (std::size_t j = 1; j <= waves; ++j) {
    double projection = 0.0;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double angle =
          std::numbers::pi * static_cast<double>(j) * (static_cast<double>(i) + 0.5) / count;
      projection += (series[i] - scatter.mean()) * std::cos(angle);
    }
    sum += 2.0 / count * projection * projection;
  }
  return LongRunVariance{sum / static_cast<double>(waves), waves};
}

std::optional<double> series_half_width(std::span<const double> series) {
  const std::optional<LongRunVariance> found = long_run_variance(series);
  if (!found) {
    return std::nullopt;
  }
  return student_t_quantile(0.975, static_cast<double>(found->degrees_of_freedom)) *
         std::sqrt(found->variance / static_cast<double>(series.size()));
}

}  // namespace longarm
