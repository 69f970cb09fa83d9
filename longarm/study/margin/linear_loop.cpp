// SPDX-License-Identifier: Apache-2.0
// The characteristic equation on the unit circle, and the modes of an arm's velocity loop.
#include "longarm/study/margin/linear_loop.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <Eigen/Eigenvalues>

namespace longarm::study {
namespace {

using namespace std::chrono_literals;
using std::numbers::pi;

// far above rounding, far below a tick
constexpr double kBorder = 1e-12;
// how often a path is looked at
constexpr Duration kPathStep = 20ms;

/// What a command does over one period, of which it acts the share 1 − f and its predecessor the
/// share f.
std::complex<double> mixed_command(double f, double angle) {
  return 1.0 - f + f * std::polar(1.0, -angle);
}

}  // namespace

LoopLimit loop_limit(Duration delay, Duration period) {
  // A delay of n + f periods gives the characteristic equation zⁿ·(z − 1) = −K·h·(1 − f + f/z).
  // On the unit circle, z = exp(iθ), the left side has the angle nθ + θ/2 + π/2 and the modulus
  // 2 sin(θ/2), so that the border is where nθ + θ/2 − arg(1 − f + f/z) = π/2.
  const auto n = static_cast<double>(delay / period);
  const double f = to_seconds(delay % period) / to_seconds(period);
  const auto angle_beyond = [&](double angle) {
    return (n + 0.5) * angle - std::arg(mixed_command(f, angle)) - pi / 2.0;
  };

  // it grows with θ from −π/2 on; the first root is the first mode to leave the circle
  double low = 0.0;
  double high = pi / (2.0 * n + 1.0);
  for (int i = 0; i < 100 && low < high; ++i) {
    const double middle = (low + high) / 2.0;
    (angle_beyond(middle) < 0.0 ? low : high) = middle;
  }
  const double angle = high;
  const double h_s = to_seconds(period);
  return {2.0 * std::sin(angle / 2.0) / std::abs(mixed_command(f, angle)) / h_s,
          2.0 * pi / angle * h_s};
}

bool is_loop_stable(double rate_per_s, Duration delay, Duration period) {
  return rate_per_s * (1.0 + kBorder) < loop_limit(delay, period).rate_per_s;
}

std::optional<Duration> largest_stable(const std::function<bool(Duration)>& is_stable,
                                       Duration step, Duration most) {
  if (!is_stable(Duration(0))) {
    return std::nullopt;
  }
  std::int64_t stable = 0;
  std::int64_t unstable = most / step + 1;
  while (unstable - stable > 1) {
    const std::int64_t middle = stable + (unstable - stable) / 2;
    (is_stable(middle * step) ? stable : unstable) = middle;
  }
  return stable * step;
}

VelocityMode fastest_mode(motion::Dynamics& dynamics, std::span<const double> q,
                          std::span<const double> gains) {
  const auto count = static_cast<Eigen::Index>(gains.size());
  const Eigen::Map<const Eigen::VectorXd> diagonal(gains.data(), count);
  const Eigen::MatrixXd kv = diagonal.asDiagonal();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(kv,
                                                                         dynamics.mass_matrix(q));
  // eigenvalues increase; the servo's work in a mode x is the sum of kv·x² over the joints
  const Eigen::VectorXd shape = solver.eigenvectors().col(count - 1);
  Eigen::Index joint = 0;
  diagonal.cwiseProduct(shape.cwiseAbs2()).maxCoeff(&joint);
  return {solver.eigenvalues()[count - 1], static_cast<std::size_t>(joint)};
}

VelocityMode fastest_mode_along(motion::Dynamics& dynamics, const motion::Trajectory& trajectory,
                                Duration end, std::span<const double> gains) {
  std::vector<double> q(gains.size());
  VelocityMode fastest;
  for (Duration t{0}; t <= end; t += kPathStep) {
    trajectory.sample(t, q);
    const VelocityMode here = fastest_mode(dynamics, q, gains);
    fastest = here.rate_per_s > fastest.rate_per_s ? here : fastest;
  }
  return fastest;
}

}  // namespace longarm::study
