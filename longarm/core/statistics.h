// SPDX-License-Identifier: Apache-2.0
// Means over repeats and over time, and how far they can be trusted.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace longarm {

/// Mean and scatter of numbers that come one by one (Welford's recurrence: no large sums cancel).
class Scatter {
 public:
  void add(double value);

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Of the population the numbers are a sample of; zero for fewer than two.
  double variance() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  ///< sum of squared distances to the mean
};

/// Regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
double incomplete_beta(double a, double b, double x);

/// P(T ≤ t) for Student's t with so many degrees of freedom.
double student_t_probability(double t, double degrees_of_freedom);

/// The t that a share `probability`, above one half and below one, does not exceed.
double student_t_quantile(double probability, double degrees_of_freedom);

/// Half the width of 95 % confidence intervals of means; remembers the quantiles it looked up.
class ConfidenceInterval {
 public:
  /// Nothing for fewer than two numbers.
  std::optional<double> half_width(const Scatter& scatter);

 private:
  std::vector<double> quantiles_;  ///< by degrees of freedom; zero: not yet asked for
};

/// What a mean of many neighbours would vary by, times their number, where neighbours may depend on
/// each other; and how many independent squares it was estimated from.
struct LongRunVariance {
  double variance = 0.0;
  std::size_t degrees_of_freedom = 0;
};

/// From the slowest waves that fit into a series: projections on cos(πj(i + ½)/n), j = 1 … 12 (the
/// equal-weighted cosine estimator). Correlation over less than about a twelfth of the series is
/// accounted for. Of thirteen or fewer numbers it is their ordinary variance. Nothing for fewer
/// than two.
std::optional<LongRunVariance> long_run_variance(std::span<const double> series);

/// Half the width of the 95 % interval (Student's t) of the mean of a series whose neighbours may
/// depend on each other. Nothing for fewer than two numbers.
std::optional<double> series_half_width(std::span<const double> series);

}  // namespace longarm
