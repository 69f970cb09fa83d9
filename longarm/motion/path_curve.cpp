// SPDX-License-Identifier: Apache-2.0
// Cubic splines by their slopes: continuity of the second derivative makes a tridiagonal system.
#include "longarm/motion/path_curve.h"

#include <algorithm>
#include <cmath>

namespace longarm::motion {
namespace {

constexpr double kSamePlace = 1e-12;

}  // namespace

PathCurve::PathCurve(std::span<const std::vector<double>> configurations) {
  const auto rows =
      configurations.empty() ? 0 : static_cast<Eigen::Index>(configurations.front().size());
  points_.resize(rows, static_cast<Eigen::Index>(configurations.size()));
  Eigen::Index used = 0;
  for (const std::vector<double>& configuration : configurations) {
    const Eigen::Map<const Eigen::VectorXd> q(configuration.data(), rows);
    const double step = used == 0 ? 0.0 : (q - points_.col(used - 1)).norm();
    if (used > 0 && step <= kSamePlace) {
      continue;
    }
    lengths_.push_back(used == 0 ? 0.0 : lengths_.back() + step);
    points_.col(used++) = q;
  }
  points_.conservativeResize(rows, used);
  slopes_.setZero(rows, used);
  if (used > 1) {
    fit_slopes();
  }
}

Eigen::VectorXd PathCurve::one_sided_slope(bool at_end) const {
  // Derivative, at the end point, of the polynomial through it and up to three neighbours.
  const Eigen::Index count = std::min<Eigen::Index>(4, points_.cols());
  const auto index = [&](Eigen::Index k) { return at_end ? points_.cols() - 1 - k : k; };
  const auto x = [&](Eigen::Index k) { return lengths_[static_cast<std::size_t>(index(k))]; };
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(points_.rows());
  for (Eigen::Index k = 1; k < count; ++k) {
    double weight = 1.0 / (x(k) - x(0));
    for (Eigen::Index l = 1; l < count; ++l) {
      weight *= l == k ? 1.0 : (x(0) - x(l)) / (x(k) - x(l));
    }
    slope += weight * (points_.col(index(k)) - points_.col(index(0)));
  }
  return slope;
}

void PathCurve::fit_slopes() {
  const Eigen::Index last = points_.cols() - 1;
  slopes_.col(0) = one_sided_slope(false);
  slopes_.col(last) = one_sided_slope(true);
  const auto inverse_step = [&](Eigen::Index i) {
    const auto k = static_cast<std::size_t>(i);
    return 1.0 / (lengths_[k + 1] - lengths_[k]);
  };
  // Forward elimination; `above` is what is left of the entry above the diagonal.
  std::vector<double> above(static_cast<std::size_t>(last) + 1, 0.0);
  for (Eigen::Index i = 1; i < last; ++i) {
    const double before = inverse_step(i - 1);
    const double after = inverse_step(i);
    const double pivot = 2.0 * (before + after) - before * above[static_cast<std::size_t>(i) - 1];
    above[static_cast<std::size_t>(i)] = after / pivot;
    slopes_.col(i) = (3.0 * (points_.col(i) - points_.col(i - 1)) * before * before +
                      3.0 * (points_.col(i + 1) - points_.col(i)) * after * after -
                      before * slopes_.col(i - 1)) /
                     pivot;
  }
  for (Eigen::Index i = last - 1; i > 0; --i) {
    slopes_.col(i) -= above[static_cast<std::size_t>(i)] * slopes_.col(i + 1);
  }
}

void PathCurve::sample(double s, Sample& out) const {
  if (lengths_.size() < 2) {
    out.q = points_.cols() > 0 ? points_.col(0) : Eigen::VectorXd();
    out.dq_ds = out.d2q_ds2 = Eigen::VectorXd::Zero(points_.rows());
    return;
  }
  s = std::clamp(s, 0.0, length());
  const auto later = std::upper_bound(lengths_.begin(), lengths_.end(), s);
  const auto k = std::clamp<std::size_t>(static_cast<std::size_t>(later - lengths_.begin()), 1,
                                         lengths_.size() - 1) -
                 1;
  const auto i = static_cast<Eigen::Index>(k);
  const double h = lengths_[k + 1] - lengths_[k];
  const double x = s - lengths_[k];
  // q = p + k0 x + b x² + c x³, the cubic with the right points and slopes at both ends.
  const auto rise = (points_.col(i + 1) - points_.col(i)) / h;
  const auto k0 = slopes_.col(i);
  const auto k1 = slopes_.col(i + 1);
  out.d2q_ds2 = (3.0 * rise - 2.0 * k0 - k1) / h;
  const Eigen::VectorXd cubic = (k0 + k1 - 2.0 * rise) / (h * h);
  out.q = points_.col(i) + x * (k0 + x * (out.d2q_ds2 + x * cubic));
  out.dq_ds = k0 + x * (2.0 * out.d2q_ds2 + x * 3.0 * cubic);
  out.d2q_ds2 = 2.0 * out.d2q_ds2 + 6.0 * x * cubic;
}

}  // namespace longarm::motion
