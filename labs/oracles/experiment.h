// SPDX-License-Identifier: Apache-2.0
// How oracles ask the simulator: whole scenarios, recorded step by step, and what a record says.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/network/link.h"

namespace longarm::oracles {

using Settings = std::vector<std::string>;  ///< "key=value", as for `longarm run --set`

/// A run of which joint 0 was written down after each step. Entry k is of time k · period_s, so
/// entry 0 is the start; `applied` and `efforts` are of the step before.
struct Recording {
  double period_s = 0.0;
  std::vector<double> position;
  std::vector<double> velocity;
  std::vector<double> plan;
  std::vector<double> applied;
  std::vector<double> last_positions;  ///< of all joints, at the end
  std::vector<double> last_efforts;
  std::vector<double> last_end_effector;
  cell::PreparedScenario prepared;
  nlohmann::ordered_json results;  ///< what metrics.json would hold
};

/// Loads a ready scenario and runs it to its end.
Recording record(const std::string& scenario, const Settings& settings);
/// The same for a scenario given as text.
Recording record_text(const std::string& yaml, const Settings& settings = {});
Recording record_prepared(const cell::PreparedScenario& prepared);

/// A link as a scenario with this setting has it, in the direction of the commands.
std::unique_ptr<network::Link> link_of(const std::string& setting, std::uint64_t seed = 1);

/// "20ms" and the like, exact to the nanosecond.
std::string in_ms(double milliseconds);

/// A pair of modes ρ e^(±iθ): per sample, ln ρ and θ.
struct Mode {
  double growth = 0.0;
  double angle = 0.0;
};

/// The one oscillation that samples from `from` on consist of, every `stride`-th of them; growth
/// and angle are per sample of `signal`. Least squares of x[k+2] = a x[k+1] + b x[k].
Mode fit_oscillation(std::span<const double> signal, std::size_t from, std::size_t stride);

/// Where `growth` is zero: the secant method from both sides of `guess`. Throws if it finds none.
double find_zero_growth(double guess, const std::function<double(double)>& growth);
/// The reason of a tolerance where a gain was found so.
inline constexpr const char* kGainSearch =
    "the search ends at steps below 1e-8 of the gain; faster modes are waited out for 25 delays";

inline constexpr double kGravity_m_s2 = 9.81;

}  // namespace longarm::oracles
