// SPDX-License-Identifier: Apache-2.0
// Simulates a scenario of components, as it is written or with its components somewhere else.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"
#include "longarm/components/communication_graph.h"
#include "longarm/study/place/problem.h"

namespace longarm::study {

/// What is to be as little as possible.
struct Objective {
  std::string word;    ///< as the user says it
  std::string metric;  ///< in metrics.json
  std::string label;
  std::string unit;  ///< of `scale` times the metric
  double scale = 1.0;
};

/// Why a run ended before its time, by its metrics; empty: it did not.
std::string failure_of(const nlohmann::ordered_json& metrics);

/// Calls and cycles that failed, and calls that were not made though the scenario as it is written
/// makes them: what hangs is quick and quiet, but not good. Zero: all is well.
double failures_of(const nlohmann::ordered_json& metrics, const nlohmann::ordered_json& as_written);

/// cycle-time, bandwidth and path-deviation.
std::vector<std::string> objective_words();
/// A word, or a metric that was measured and of which less is better. Throws InputError if
/// `metrics` has none such.
Objective find_objective(const std::string& word, const nlohmann::ordered_json& metrics,
                         const cell::Figures& figures);

/// A run of the scenario as it is written: who talks to whom, and what can be minimised.
struct PlacementProfile {
  std::string name;
  std::string title;
  components::CommunicationGraph graph;
  nlohmann::ordered_json metrics;
  cell::Figures figures;
  std::string middleware;       ///< the actor whose system it is
  bool is_interrupted = false;  ///< there is a name and nothing else
};
/// Throws InputError for a scenario of another kind, or one that cannot be simulated.
PlacementProfile profile_scenario(const std::string& scenario, const cell::LoadOptions& load,
                                  const cell::Plugins& plugins,
                                  const std::function<bool()>& is_interrupted = {});

/// A scenario on so many hosts. Several threads may ask at once.
class PlacementRuns {
 public:
  /// `hosts`: of a star as many as asked for; of a drawn network its first ones. Throws InputError.
  PlacementRuns(std::string scenario, cell::LoadOptions load, const cell::Plugins& plugins,
                const PlacementProfile& profile, int hosts);

  const std::vector<std::string>& hosts() const { return hosts_; }
  /// Whether exchanging hosts changes nothing.
  bool are_hosts_alike() const { return are_hosts_alike_; }

  /// The scenario with the components there. Throws InputError.
  cell::PreparedScenario prepare(const Placement& placement) const;
  /// Its metrics; null if it was interrupted. Throws InputError.
  nlohmann::ordered_json simulate(const Placement& placement,
                                  const std::function<bool()>& is_interrupted) const;

 private:
  std::string scenario_;
  cell::LoadOptions load_;
  const cell::Plugins& plugins_;
  std::string middleware_;
  std::vector<std::string> components_;
  std::vector<std::string> hosts_;
  bool are_hosts_alike_ = true;
};

}  // namespace longarm::study
