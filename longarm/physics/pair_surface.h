// SPDX-License-Identifier: Apache-2.0
// What two surfaces do together, the same on every engine.
#pragma once

#include <algorithm>
#include <cmath>

#include "longarm/model/shape.h"

namespace longarm::physics {

/// Deep overlaps are pushed apart no faster than this (m/s), so that nothing is flung away, unless
/// a surface says otherwise.
inline constexpr double kMostCorrection_m_s = 0.1;

/// A spring with a damper, of which a surface that names no stiffness is taken to have none: it is
/// rigid, and the other one yields alone.
struct PairSpring {
  double stiffness_N_m = 0.0;
  double damping_N_s_m = 0.0;

  /// How much of an overlap a step removes, and how fast the contact yields per newton: what makes
  /// a constraint solver integrate the spring implicitly.
  double error_reduction(double period_s) const {
    return period_s * stiffness_N_m / (period_s * stiffness_N_m + damping_N_s_m);
  }
  double softness(double period_s) const {
    return 1.0 / (period_s * stiffness_N_m + damping_N_s_m);
  }
};

inline bool is_springy(const model::Surface& a, const model::Surface& b) {
  return a.stiffness_N_m.has_value() || b.stiffness_N_m.has_value();
}

/// Of two surfaces at least one of which is springy: one spring behind the other.
inline PairSpring pair_spring(const model::Surface& a, const model::Surface& b) {
  if (!a.stiffness_N_m || !b.stiffness_N_m) {
    const model::Surface& soft = a.stiffness_N_m ? a : b;
    return {*soft.stiffness_N_m, soft.damping_N_s_m};
  }
  return {1.0 / (1.0 / *a.stiffness_N_m + 1.0 / *b.stiffness_N_m),
          a.damping_N_s_m + b.damping_N_s_m};
}

/// What stands for infinite friction where a number has to be finite: grips thrice as well as
/// rubber on anything.
inline constexpr double kAsGoodAsInfiniteFriction = 10.0;

inline double pair_friction(const model::Surface& a, const model::Surface& b) {
  return std::min(a.friction, b.friction);
}

/// Whether the engine's own hardness is not the whole story.
inline bool is_special(const model::Surface& a, const model::Surface& b) {
  return is_springy(a, b) || a.max_correction_m_s || b.max_correction_m_s ||
         std::min(a.min_depth_m, b.min_depth_m) > 0.0;
}

/// The part of an overlap that is to be pushed apart: not the first `min_depth`, and not so much
/// that it would be faster than the slower surface's `max_correction`.
inline double corrected_depth(const model::Surface& a, const model::Surface& b, double depth_m,
                              double error_reduction, double period_s) {
  const double fastest =
      std::min(a.max_correction_m_s.value_or(HUGE_VAL), b.max_correction_m_s.value_or(HUGE_VAL));
  const bool is_said = a.max_correction_m_s || b.max_correction_m_s;
  const double most = (is_said ? fastest : kMostCorrection_m_s) * period_s / error_reduction;
  return std::clamp(depth_m - std::min(a.min_depth_m, b.min_depth_m), 0.0, most);
}

}  // namespace longarm::physics
