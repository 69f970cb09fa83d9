// SPDX-License-Identifier: Apache-2.0
// For each end of the slip the best slope is a division; the best end is searched.
#include "labs/benches/slip_fit.h"

#include <cmath>

namespace longarm::benches {
namespace {

constexpr int kNarrowings = 60;  // of an interval of two steps, by a third less each

/// The best slope for a slip that ends at `end_s`.
SlipFit fit_with_end(std::span<const double> velocities_m_s, double period_s, double end_s) {
  double product = 0.0;
  double square = 0.0;
  double energy = 0.0;
  for (std::size_t i = 0; i < velocities_m_s.size(); ++i) {
    const double left = std::fmax(0.0, end_s - static_cast<double>(i) * period_s);
    product += left * velocities_m_s[i];
    square += left * left;
    energy += velocities_m_s[i] * velocities_m_s[i];
  }
  const double slope = square > 0.0 ? product / square : 0.0;
  const double rest = std::fmax(0.0, energy - slope * product);
  const auto count = static_cast<double>(velocities_m_s.size());
  return {end_s, slope, count > 0.0 ? std::sqrt(rest / count) : 0.0};
}

}  // namespace

SlipFit fit_slip(std::span<const double> velocities_m_s, double period_s) {
  SlipFit best = fit_with_end(velocities_m_s, period_s, period_s);
  for (std::size_t i = 2; i <= velocities_m_s.size(); ++i) {
    const SlipFit fit = fit_with_end(velocities_m_s, period_s, static_cast<double>(i) * period_s);
    if (fit.rms_m_s < best.rms_m_s) {
      best = fit;
    }
  }
  // the true end is within a step of the best whole one
  double low = best.time_s - period_s;
  double high = best.time_s + period_s;
  for (int i = 0; i < kNarrowings; ++i) {
    const double third = (high - low) / 3.0;
    const SlipFit left = fit_with_end(velocities_m_s, period_s, low + third);
    const SlipFit right = fit_with_end(velocities_m_s, period_s, high - third);
    (left.rms_m_s < right.rms_m_s ? high : low) += left.rms_m_s < right.rms_m_s ? -third : third;
  }
  return fit_with_end(velocities_m_s, period_s, (low + high) / 2.0);
}

}  // namespace longarm::benches
