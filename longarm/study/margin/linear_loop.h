// SPDX-License-Identifier: Apache-2.0
// Closed forms of delayed, sampled control loops: how much gain and how much delay they survive.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "longarm/core/time.h"
#include "longarm/motion/dynamics.h"
#include "longarm/motion/trajectory.h"

namespace longarm::study {

/// Where a loop stands on the border of stability.
struct LoopLimit {
  double rate_per_s = 0.0;  ///< the largest; a loop is stable below it
  double period_s = 0.0;    ///< of the oscillation there
};

/// The loop x' = rate·(x* − x), where x is sampled every `period`, the sum of all delays is
/// `delay`, and the command is held until the next one acts. It stands for a P position loop on an
/// ideal velocity servo (rate = gain, 1/s), and for a velocity loop on an inertia (rate = gain /
/// inertia). The delay may be any; with n whole periods the limit is 2 sin(π/(2(2n+1))) / period.
LoopLimit loop_limit(Duration delay, Duration period);

/// Whether a loop of this rate is stable; not on the border itself.
bool is_loop_stable(double rate_per_s, Duration delay, Duration period);

/// The largest multiple of `step` for which `is_stable` holds, if it holds up to some multiple and
/// never beyond; nothing if not even at zero. Looks no further than `most`.
std::optional<Duration> largest_stable(const std::function<bool(Duration)>& is_stable,
                                       Duration step, Duration most);

/// A pattern in which the joints of an arm swing together.
struct VelocityMode {
  double rate_per_s = 0.0;
  std::size_t joint = 0;  ///< that does most of the servo's work in it
};

/// The fastest mode of the velocity loop M(q)·v' = Kv·(v* − v): the largest eigenvalue of M⁻¹·Kv.
/// With a delay in the loop it is the first to become unstable. `gains` are the diagonal of Kv.
VelocityMode fastest_mode(motion::Dynamics& dynamics, std::span<const double> q,
                          std::span<const double> gains);

/// The fastest of all along a trajectory, until `end`.
VelocityMode fastest_mode_along(motion::Dynamics& dynamics, const motion::Trajectory& trajectory,
                                Duration end, std::span<const double> gains);

}  // namespace longarm::study
