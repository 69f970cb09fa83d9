// SPDX-License-Identifier: Apache-2.0
// For tests of UR arms and their drivers: a small scenario, and runs of it.
#pragma once

#include <string>
#include <vector>

#include "longarm/experiments/run_experiment.h"
#include "longarm/experiments/ur_run.h"

namespace longarm::experiments {

/// No rate, no delay of any kind: what takes time is said by each test.
inline constexpr const char* kUrDriven = R"(experiment: ur
engine: kinematic
robots: {ur5: {}}
driver: {kind: speedj}
task:
  path: joint
  joints_rad: [[0.5, -1.5, 1.7, -1.6, -1.5, 0.3], [0.0, -1.8, 1.4, -1.4, -1.6, 0.0]]
  acceleration_limit_rad_s2: 1.2
  hold: 1s
network:
  hosts: {driver: {}, robot: {}}
  links: {wire: {between: [driver, robot]}}
)";

inline PreparedExperiment load_ur(const std::string& text,
                                  const std::vector<std::string>& changes = {}) {
  return load_experiment_text(text, "arms.yaml", {.overrides = changes},
                              scenario::built_in_plugins());
}

inline nlohmann::ordered_json run_ur(const std::vector<std::string>& changes = {}) {
  ExperimentRun run(load_ur(kUrDriven, changes));
  run.run_until(run.end());
  return run.results();
}

}  // namespace longarm::experiments
