// SPDX-License-Identifier: Apache-2.0
// How long and how far something slipped, from a fit of its relative velocity. Internal to the
// folder.
#pragma once

#include <span>

namespace longarm::benches {

/// u(t) = deceleration · max(0, time − t)
struct SlipFit {
  double time_s = 0.0;
  double deceleration_m_s2 = 0.0;
  double rms_m_s = 0.0;  ///< what the fit leaves

  double distance_m() const { return deceleration_m_s2 * time_s * time_s / 2.0; }
};

/// Least squares through `velocities_m_s`, sampled every `period_s` from t = 0. No sample decides
/// by itself when the slip is over, so the result is finer than a step.
SlipFit fit_slip(std::span<const double> velocities_m_s, double period_s);

}  // namespace longarm::benches
