// SPDX-License-Identifier: Apache-2.0
// The same run without the network, beside a run of a cell: what the network added.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/experiments/experiment_run.h"

namespace longarm::experiments {

/// Throws InputError if the scenario has nothing that could be left out: it is no cell of actors.
PreparedExperiment load_ideal(const std::string& name_or_file, scenario::LoadOptions options,
                              const scenario::Plugins& plugins, const PreparedExperiment& prepared);

/// Steps beside the run that it is the reference of. A run that is ideal already differs from it by
/// exactly nothing.
class IdealReference {
 public:
  explicit IdealReference(const PreparedExperiment& ideal) : prepared_(ideal), run_(ideal) {}

  /// After each step of the other.
  void follow(const Experiment& other, Time stamp);
  /// When the other is over: its metrics here, and distances at equal times.
  nlohmann::ordered_json results(const nlohmann::ordered_json& others);

 private:
  struct Distance {
    std::string actor;
    double largest_m = 0.0;
    double squares_m2 = 0.0;
  };

  PreparedExperiment prepared_;
  ExperimentRun run_;
  std::vector<Distance> distances_;
  std::size_t steps_ = 0;
};

}  // namespace longarm::experiments
