// SPDX-License-Identifier: Apache-2.0
// Each limit is where a root crosses the unit circle (or, in continuous time, the imaginary axis).
#include "labs/oracles/closed_forms.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace longarm::oracles {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

/// Where `f` changes sign between `low` and `high`.
double bisect(double low, double high, const std::function<double(double)>& f) {
  const bool is_low_negative = f(low) < 0.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((f(middle) < 0.0) == is_low_negative ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The gain that puts a root on e^(iθ) is real only for some θ: the first of them from zero on, by
/// stepping, finely for the `degree` of the polynomial, and bisection.
double first_real_gain(int degree, const std::function<Complex(double)>& gain_at) {
  const auto imaginary = [&](double angle) { return gain_at(angle).imag(); };
  const int steps = 100 * degree;
  double before = kPi / steps;
  for (int i = 2; i <= steps; ++i) {
    const double angle = kPi * i / steps;
    if ((imaginary(before) < 0.0) != (imaginary(angle) < 0.0)) {
      return gain_at(bisect(before, angle, imaginary)).real();
    }
    before = angle;
  }
  return gain_at(kPi).real();
}

}  // namespace

double sampled_limit(int ticks) {
  return 2.0 * std::sin(kPi / (2.0 * (2.0 * ticks + 1.0)));
}

double fractional_limit(double delay_s, double period_s) {
  // a delay of 19.999999 periods is one of 20
  const double periods = delay_s / period_s;
  const double whole = std::floor(periods + 1e-9);
  const double rest_s = std::max(0.0, delay_s - whole * period_s);
  const int n = static_cast<int>(whole);
  return first_real_gain(n + 2, [=](double angle) {
    const Complex z = std::polar(1.0, angle);
    return (1.0 - z) * std::pow(z, n + 1) / (rest_s + (period_s - rest_s) * z);
  });
}

std::complex<double> dominant_root(double gain_times_period, int ticks) {
  // Newton's method from where the root crosses the unit circle
  Complex z = std::polar(1.0, kPi / (2.0 * ticks + 1.0));
  for (int i = 0; i < 100; ++i) {
    const Complex power = std::pow(z, ticks - 1);
    const Complex value = power * z * (z - 1.0) + gain_times_period;
    const Complex slope = power * ((ticks + 1.0) * z - static_cast<double>(ticks));
    z -= value / slope;
  }
  return z;
}

double delayed_decay(double gain_times_period, int ticks, int k) {
  double sum = 0.0;
  for (int j = 0; j == 0 || (j - 1) * (ticks + 1) + 1 <= k; ++j) {
    double term = 1.0;
    for (int i = 1; i <= j; ++i) {
      term *= -gain_times_period * static_cast<double>(k - (j - 1) * ticks - j + i) /
              static_cast<double>(i);
    }
    sum += term;
  }
  return sum;
}

double lagged_limit(double delay_s, double lag_s) {
  const double omega = bisect(0.0, kPi / (2.0 * delay_s), [=](double w) {
    return w * delay_s + std::atan(w * lag_s) - kPi / 2.0;
  });
  return omega * std::sqrt(1.0 + omega * omega * lag_s * lag_s);
}

double sampled_lagged_limit(int ticks, double period_s, double lag_s) {
  const double part = period_s / lag_s;
  return first_real_gain(ticks + 1, [=](double angle) {
    const Complex z = std::polar(1.0, angle);
    return -(z - 1.0) * (z - 1.0 + part) * std::pow(z, ticks - 1) / (period_s * part);
  });
}

}  // namespace longarm::oracles
