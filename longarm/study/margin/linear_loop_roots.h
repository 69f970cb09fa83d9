// SPDX-License-Identifier: Apache-2.0
// Sampled linear loops by their characteristic equation: are all roots inside the unit circle, and
// if not, how does the loop swing?
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "longarm/core/time.h"

namespace longarm::study {

/// How the fastest-growing swing of a loop goes.
struct LoopSwing {
  double growth_per_s = 0.0;  ///< negative: it decays
  double period_s = 0.0;      ///< infinite where it does not swing
  std::complex<double> z;     ///< its root
};

/// D(z) = 0 of a loop sampled every `period`. D is analytic but for a pole at 0, and grows like
/// z^degree.
class CharacteristicEquation {
 public:
  using Function = std::function<std::complex<double>(std::complex<double>)>;
  /// `delay_ticks` are those of its longest delay: they say how finely D has to be looked at.
  CharacteristicEquation(Function function, int degree, int delay_ticks, Duration period);

  /// Whether all roots are inside the unit circle: D then turns about 0 exactly `degree` times
  /// while z goes round the circle once. A root on the circle is not inside.
  bool is_stable() const;
  /// The root with the largest modulus, if one is found near the circle.
  std::optional<LoopSwing> fastest_swing() const;

 private:
  std::complex<double> at(double angle) const { return function_(std::polar(1.0, angle)); }
  std::optional<double> turn(double from, double to, std::complex<double> d_from,
                             std::complex<double> d_to, int depth) const;
  std::optional<std::complex<double>> refine(std::complex<double> z) const;

  Function function_;
  int degree_;
  int points_;
  double period_s_;
};

/// The loop of loop_limit(): (z − 1) + rate·h·z⁻ⁿ·(1 − f + f/z), a delay of n + f periods.
CharacteristicEquation single_loop(double rate_per_s, Duration delay, Duration period);

/// A position loop around a velocity loop, for a whole arm or one joint: efforts Kv·(v* − v) on
/// inertias M, v* = −K·q, all sampled every `period`, in which physics goes v⁺ = v + h·a and then
/// q⁺ = q + h·v⁺.
struct NestedLoops {
  Eigen::MatrixXd rates_per_s;  ///< M⁻¹·Kv
  Eigen::VectorXd gains_per_s;  ///< K
  /// M⁻¹·∂g/∂q of the efforts g(q) that hold the arm against gravity; empty: none. A servo that
  /// adds g(q) of late positions is off by the change since.
  Eigen::MatrixXd gravity_per_s2;
  bool compensates_gravity = true;
  int velocity_delay_ticks = 0;
  int position_delay_ticks = 0;
  Duration period{0};

  /// (z − 1)²·I + h·M⁻¹Kv·((z − 1)·z⁻ᵃ·I + h·z·z⁻ᵇ·K) + h²·z·(1 − z⁻ᵃ)·M⁻¹∂g/∂q, with the delays
  /// a and b.
  Eigen::MatrixXcd matrix(std::complex<double> z) const;
  CharacteristicEquation equation() const;
};

}  // namespace longarm::study
