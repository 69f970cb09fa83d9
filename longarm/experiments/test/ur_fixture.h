// SPDX-License-Identifier: Apache-2.0
// For tests of UR arms and their drivers: a small scenario, and runs of it.
#pragma once

#include <string>
#include <vector>

#include "longarm/experiments/run_experiment.h"
#include "longarm/experiments/test/experiment_fixture.h"
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
  return load_text(text, "arms.yaml", changes);
}

inline nlohmann::ordered_json run_ur(const std::vector<std::string>& changes = {}) {
  return run_to_end(load_ur(kUrDriven, changes));
}

}  // namespace longarm::experiments
