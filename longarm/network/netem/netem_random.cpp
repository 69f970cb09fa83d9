// SPDX-License-Identifier: Apache-2.0
// Draws, quantiles and Markov chains as netem defines them.
#include "longarm/network/netem/netem_random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "longarm/core/check.h"

namespace longarm::network {
namespace {

// netem's tables hold 16-bit multiples of 1/8192
constexpr double kTableLimit = 4.0;
constexpr double kTableEntries = 4096.0;
constexpr double kDrawRange = 4294967296.0;  // the kernel's draws have 32 bits

double pareto_quantile(double u) {
  return std::min(kTableLimit, 4.0 / 3.0 * (1.0 / std::cbrt(1.0 - u) - 1.5));
}

double cut_normal_quantile(double u) {
  if (u <= 0.0) {
    return -kTableLimit;
  }
  return std::clamp(normal_quantile(u), -kTableLimit, kTableLimit);
}

}  // namespace

CorrelatedDraws::CorrelatedDraws(std::uint64_t seed, const std::string& name,
                                 double correlation_percent)
    : stream_(seed, name),
      rho_(correlation_percent / 100.0),
      last_(RandomStream(seed, name + ".start").uniform_at(0)) {}

double CorrelatedDraws::at(std::uint64_t index) {
  if (rho_ == 0.0) {
    return stream_.uniform_at(index);
  }
  check(index + 1 >= next_, "a packet was sent twice or out of order");
  if (index >= next_) {
    last_ = (1.0 - rho_) * stream_.uniform_at(index) + rho_ * last_;
    next_ = index + 1;
  }
  return last_;
}

double kernel_remainder(const NetemConfig::Delay& delay, double x) {
  const bool is_uniform = delay.distribution == NetemDistribution::kUniform;
  const double range = is_uniform ? 2.0 * static_cast<double>(delay.jitter.count()) : kTableEntries;
  const double rounds = x * kDrawRange / range;
  return rounds - std::floor(rounds);
}

double correlated_probability(double probability, double rho) {
  if (rho <= 0.0 || probability <= 0.0 || probability >= 1.0) {
    return probability;
  }
  // The distribution function F of the draws solves F(x) = mean over u of F((x - (1-rho) u) / rho);
  // with G the integral of F that is rho/(1-rho) (G(x/rho) - G((x - (1-rho))/rho)). Iterate on a
  // grid.
  constexpr int kCells = 20'000;
  constexpr double kStep = 1.0 / kCells;
  std::vector<double> f(kCells + 1);
  std::vector<double> g(kCells + 1, 0.0);
  for (int i = 0; i <= kCells; ++i) {
    f[static_cast<std::size_t>(i)] = i * kStep;
  }
  const auto integral_to = [&](double y) {
    if (y <= 0.0) {
      return 0.0;
    }
    if (y >= 1.0) {
      return g.back() + (y - 1.0);
    }
    const auto cell = static_cast<std::size_t>(y * kCells);
    const double beyond = y - static_cast<double>(cell) * kStep;
    const double slope = cell < kCells ? (f[cell + 1] - f[cell]) * kCells : 0.0;
    return g[cell] + beyond * (f[cell] + 0.5 * slope * beyond);
  };
  double value = probability;
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t i = 1; i <= kCells; ++i) {
      g[i] = g[i - 1] + 0.5 * kStep * (f[i - 1] + f[i]);
    }
    const auto f_at = [&](double x) {
      return rho / (1.0 - rho) * (integral_to(x / rho) - integral_to((x - (1.0 - rho)) / rho));
    };
    const double before = value;
    value = f_at(probability);
    for (std::size_t i = 1; i < kCells; ++i) {
      f[i] = f_at(static_cast<double>(i) * kStep);
    }
    if (round > 10 && std::abs(value - before) <= 1e-6 * value) {
      break;
    }
  }
  return value;
}

double normal_quantile(double u) {
  // a rough start (Abramowitz and Stegun 26.2.23, good to 5e-4), made exact by Halley's method
  const bool is_upper = u > 0.5;
  const double tail = is_upper ? 1.0 - u : u;
  const double t = std::sqrt(-2.0 * std::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int round = 0; round < 2; ++round) {
    // upper tail probability at x against the wanted one
    const double error = 0.5 * std::erfc(x / std::numbers::sqrt2) - tail;
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
    const double newton = error / density;
    x += newton / (1.0 - 0.5 * x * newton);
  }
  return is_upper ? x : -x;
}

double distribution_quantile(NetemDistribution distribution, double u) {
  switch (distribution) {
    case NetemDistribution::kUniform:
      break;
    case NetemDistribution::kNormal:
      return cut_normal_quantile(u);
    case NetemDistribution::kPareto:
      return pareto_quantile(u);
    case NetemDistribution::kParetoNormal:
      return 0.25 * cut_normal_quantile(u) + 0.75 * pareto_quantile(u);
  }
  return 2.0 * u - 1.0;
}

LossProcess::LossProcess(std::uint64_t seed, const std::string& name,
                         const NetemConfig::Loss& config)
    : config_(config),
      draws_(seed, name,
             config.model == NetemConfig::LossModel::kRandom ? config.correlation_percent : 0.0),
      loss_in_state_(seed, name + ".in-state") {}

bool LossProcess::is_lost(std::uint64_t index) {
  switch (config_.model) {
    case NetemConfig::LossModel::kNone:
      break;
    case NetemConfig::LossModel::kRandom:
      return draws_.at(index) < config_.percent / 100.0;
    case NetemConfig::LossModel::kState:
      return step_state(draws_.at(index));
    case NetemConfig::LossModel::kGilbertElliott:
      return step_gilbert_elliott(draws_.at(index), loss_in_state_.uniform_at(index));
  }
  return false;
}

/// Moves on to the state of this packet: 3 and 4 are losses.
bool LossProcess::step_state(double u) {
  const double percent = 100.0 * u;
  switch (state_) {
    case 1:
      state_ = percent < config_.p14_percent                         ? 4
               : percent < config_.p14_percent + config_.p13_percent ? 3
                                                                     : 1;
      break;
    case 2:
      state_ = percent < config_.p23_percent ? 3 : 2;
      break;
    case 3:
      state_ = percent < config_.p32_percent                         ? 2
               : percent < config_.p32_percent + config_.p31_percent ? 1
                                                                     : 3;
      break;
    default:
      state_ = 1;  // a loss in a gap is always alone
  }
  return state_ == 3 || state_ == 4;
}

/// This packet meets the state as it is; then the state moves on.
bool LossProcess::step_gilbert_elliott(double u_state, double u_loss) {
  const double loss_percent = is_bad_ ? config_.bad_loss_percent : config_.good_loss_percent;
  if (100.0 * u_state < (is_bad_ ? config_.r_percent : config_.p_percent)) {
    is_bad_ = !is_bad_;
  }
  return 100.0 * u_loss < loss_percent;
}

}  // namespace longarm::network
