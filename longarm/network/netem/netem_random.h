// SPDX-License-Identifier: Apache-2.0
// The random numbers of netem: correlated draws, distributions of jitter, and loss processes.
#pragma once

#include <cstdint>
#include <string>

#include "longarm/core/random.h"
#include "longarm/network/netem/netem_config.h"

namespace longarm::network {

/// Uniform draws, each mixed with the last one that was asked for, as in the kernel:
/// x = (1 - rho) u[i] + rho x'. u[i] depends on (seed, name, i) alone, so that without correlation
/// an option never changes what another one draws.
class CorrelatedDraws {
 public:
  CorrelatedDraws(std::uint64_t seed, const std::string& name, double correlation_percent);

  /// Indices must not decrease from call to call. The same one again changes nothing.
  double at(std::uint64_t index);

 private:
  RandomStream stream_;
  double rho_;
  double last_;
  std::uint64_t next_ = 0;
};

/// What the kernel makes of a correlated draw x when it picks a delay: it takes the remainder of
/// x · 2³² by the range of the jitter in nanoseconds or by the size of a distribution's table,
/// which leaves nearly nothing of the correlation. The result is in [0, 1).
double kernel_remainder(const NetemConfig::Delay& delay, double x);

/// P(x <= probability) in the long run for such correlated draws: what netem really does when it is
/// asked for `probability`.
double correlated_probability(double probability, double rho);

/// How far from the mean, in units of the jitter, the quantile `u` in [0, 1) of a distribution
/// lies.
///  uniform       2u - 1
///  normal        the inverse of the normal distribution function, cut at -4 and 4
///  pareto        4/3 ((1-u)^(-1/3) - 3/2), cut at 4: mean 0 but for the cut
///  paretonormal  normal/4 + 3 pareto/4
double distribution_quantile(NetemDistribution distribution, double u);

/// Inverse of the standard normal distribution function, for 0 < u < 1.
double normal_quantile(double u);

/// Decides packet by packet what is lost.
class LossProcess {
 public:
  LossProcess(std::uint64_t seed, const std::string& name, const NetemConfig::Loss& config);

  /// Indices must not decrease from call to call.
  bool is_lost(std::uint64_t index);

 private:
  bool step_state(double u);
  bool step_gilbert_elliott(double u_state, double u_loss);

  NetemConfig::Loss config_;
  CorrelatedDraws draws_;
  RandomStream loss_in_state_;
  int state_ = 1;
  bool is_bad_ = false;
};

}  // namespace longarm::network
