// SPDX-License-Identifier: Apache-2.0
// How fast a corner-free curve can be run through, from rest to rest, within joint limits.
#pragma once

#include <vector>

#include "longarm/motion/path_curve.h"

namespace longarm::motion {

/// Symmetric limits per joint, rad/s and rad/s² (m for prismatic joints). Velocities may be
/// infinite.
struct MotionLimits {
  std::vector<double> velocity;
  std::vector<double> acceleration;
};

/// The fastest progress along a curve, as pieces of constant acceleration along it. Progress is
/// zero before time zero and the curve's length after the end.
class SpeedProfile {
 public:
  SpeedProfile(const PathCurve& curve, const MotionLimits& limits);

  double duration_s() const { return knots_.back().time; }

  struct Progress {
    double s = 0.0;
    double speed = 0.0;
  };
  /// Averaged over the last `window_s` seconds, which rounds off the jumps of acceleration; the run
  /// then takes `window_s` longer.
  Progress averaged(double time_s, double window_s) const;

 private:
  struct Knot {
    double time = 0.0;
    double s = 0.0;
    double speed = 0.0;
    double integral = 0.0;  ///< of s over time
  };
  struct Moment {
    double s = 0.0;
    double integral = 0.0;
  };
  Moment at(double time_s) const;

  std::vector<Knot> knots_;
};

}  // namespace longarm::motion
