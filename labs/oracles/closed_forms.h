// SPDX-License-Identifier: Apache-2.0
// The mathematics of delayed loops, on its own: nothing here knows the simulator.
#pragma once

#include <complex>

namespace longarm::oracles {

/// Limit of K·h of a P loop on an integrator, sampled, with `ticks` of delay: 2 sin(π/(2(2n+1))).
double sampled_limit(int ticks);

/// Largest stable K of the same loop, 1/s, with a delay of τ = n·h + f, 0 <= f < h, behind a
/// controller of period h: x[k+1] = x[k] − K ((h − f) x[k−n] + f x[k−n−1]).
double fractional_limit(double delay_s, double period_s);

/// The root of z^(n+1) − z^n + K·h = 0 that decides about stability, n >= 1.
std::complex<double> dominant_root(double gain_times_period, int ticks);

/// Position after k ticks, as a part of its start, of x[k+1] = x[k] − g x[k−n] with x = 1 up to
/// k = 0: the sum over j of (−g)^j C(k − (j−1) n, j).
double delayed_decay(double gain_times_period, int ticks, int k);

/// Largest stable K, 1/s, of a P loop with delay τ on a velocity servo of lag T:
/// K = ω √(1 + ω² T²) where ωτ + atan(ωT) = π/2.
double lagged_limit(double delay_s, double lag_s);

/// Largest stable K of its sampled version: (z − 1)(z − 1 + h/T) z^(n−1) + K h²/T = 0, n >= 1.
double sampled_lagged_limit(int ticks, double period_s, double lag_s);

}  // namespace longarm::oracles
