// SPDX-License-Identifier: Apache-2.0
// Counts turns about zero on the unit circle, and finds roots near it by Newton's method.
#include "longarm/study/margin/linear_loop_roots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/LU>

namespace longarm::study {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

// so many looks per tick of delay, over half the circle
constexpr int kPointsPerTick = 64;
// where Newton's method starts from, over half the circle
constexpr int kStarts = 400;
// and how far outside it looks: K·h where a loop is stable below 2
constexpr double kFarthestRoot = 1000.0;
// between two looks D should turn by less than this, or we look again in the middle
constexpr double kTurn = 0.8;
constexpr int kMaxDepth = 40;
constexpr int kNewtonSteps = 60;

/// From 0 to π, densely near 0: loops are much slower than their sampling, so that most roots are
/// near z = 1.
double angle_of(int i, int count) {
  const double part = static_cast<double>(i) / count;
  return pi * part * part;
}

}  // namespace

CharacteristicEquation::CharacteristicEquation(Function function, int degree, int delay_ticks,
                                               Duration period)
    : function_(std::move(function)),
      degree_(degree),
      points_(kPointsPerTick * (delay_ticks + 4)),
      period_s_(to_seconds(period)) {}

std::optional<double> CharacteristicEquation::turn(double from, double to, Complex d_from,
                                                   Complex d_to, int depth) const {
  const double whole = std::arg(d_to / d_from);
  if (std::abs(whole) < kTurn) {
    return whole;
  }
  if (depth == 0 || !std::isfinite(whole)) {
    return std::nullopt;  // it goes through zero: a root on the circle
  }
  const double middle = (from + to) / 2.0;
  const Complex d_middle = at(middle);
  const std::optional<double> first = turn(from, middle, d_from, d_middle, depth - 1);
  const std::optional<double> second =
      first ? turn(middle, to, d_middle, d_to, depth - 1) : std::nullopt;
  return second ? std::optional(*first + *second) : std::nullopt;
}

bool CharacteristicEquation::is_stable() const {
  // the lower half of the circle mirrors the upper one
  double turned = 0.0;
  Complex last = at(0.0);
  for (int i = 1; i <= points_; ++i) {
    const double from = angle_of(i - 1, points_);
    const double to = angle_of(i, points_);
    const Complex next = at(to);
    const std::optional<double> part = turn(from, to, last, next, kMaxDepth);
    if (!part) {
      return false;
    }
    turned += *part;
    last = next;
  }
  return std::lround(turned / pi) == degree_;
}

std::optional<Complex> CharacteristicEquation::refine(Complex z) const {
  constexpr double kStep = 1e-6;
  for (int i = 0; i < kNewtonSteps; ++i) {
    const Complex slope =
        (function_(z * (1.0 + kStep)) - function_(z * (1.0 - kStep))) / (2.0 * kStep * z);
    const Complex step = function_(z) / slope;
    const double most = std::max(1.0, std::abs(z));
    if (!std::isfinite(step.real()) || !std::isfinite(step.imag()) || std::abs(step) > most) {
      return std::nullopt;
    }
    z -= step;
    if (std::abs(step) < 1e-12 * most) {
      return z;
    }
  }
  return std::nullopt;
}

std::optional<LoopSwing> CharacteristicEquation::fastest_swing() const {
  std::optional<Complex> fastest;
  const auto look_near = [&](Complex start) {
    const std::optional<Complex> root = refine(start);
    if (root && (!fastest || std::abs(*root) > std::abs(*fastest))) {
      fastest = root;
    }
  };
  for (int i = 0; i <= kStarts; ++i) {
    look_near(std::polar(1.0, angle_of(i, kStarts)));
  }
  // a loop that is unstable without any delay has its roots far outside, mostly left of it
  for (double radius = 1.5; radius < kFarthestRoot; radius *= 1.5) {
    look_near(std::polar(radius, pi));
    look_near(std::polar(radius, 0.75 * pi));
  }
  if (!fastest) {
    return std::nullopt;
  }
  const double angle = std::abs(std::arg(*fastest));
  return LoopSwing{
      std::log(std::abs(*fastest)) / period_s_,
      angle > 0.0 ? 2.0 * pi / angle * period_s_ : std::numeric_limits<double>::infinity(),
      *fastest};
}

CharacteristicEquation single_loop(double rate_per_s, Duration delay, Duration period) {
  const auto n = static_cast<int>(delay / period);
  const double f = to_seconds(delay % period) / to_seconds(period);
  const double kh = rate_per_s * to_seconds(period);
  return CharacteristicEquation(
      [n, f, kh](Complex z) { return z - 1.0 + kh * std::pow(z, -n) * (1.0 - f + f / z); }, 1,
      n + 1, period);
}

Eigen::MatrixXcd NestedLoops::matrix(Complex z) const {
  const double h = to_seconds(period);
  const Complex velocity = (z - 1.0) * std::pow(z, -velocity_delay_ticks);
  const Complex position = h * z * std::pow(z, -position_delay_ticks);
  const Eigen::VectorXcd inner =
      (velocity + position * gains_per_s.cast<Complex>().array()).matrix();
  Eigen::MatrixXcd out = h * rates_per_s.cast<Complex>() * inner.asDiagonal();
  out.diagonal().array() += (z - 1.0) * (z - 1.0);
  if (gravity_per_s2.size() > 0) {
    const Complex compensated = compensates_gravity ? std::pow(z, -velocity_delay_ticks) : 0.0;
    out += h * h * z * (1.0 - compensated) * gravity_per_s2.cast<Complex>();
  }
  return out;
}

CharacteristicEquation NestedLoops::equation() const {
  const auto count = static_cast<int>(gains_per_s.size());
  const int ticks = std::max(velocity_delay_ticks, position_delay_ticks);
  return CharacteristicEquation(
      [loops = *this](Complex z) { return loops.matrix(z).determinant(); }, 2 * count, ticks,
      period);
}

}  // namespace longarm::study
