// SPDX-License-Identifier: Apache-2.0
// For tests of UR arms and their drivers: a small scenario, and runs of it.
#pragma once

#include <string>
#include <vector>

#include "labs/test/scenario_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::actors {

using labs::load_error;
using labs::load_text;
using labs::number;

/// No rate, no delay of any kind: what takes time is said by each test.
inline constexpr const char* kUrDriven = R"(engine: kinematic
actors:
  ur5: {kind: ur, host: robot}
  driver:
    kind: ur-driver
    host: driver
    robot: ur5
    method: speedj
    task:
      path: joint
      joints_rad: [[0.5, -1.5, 1.7, -1.6, -1.5, 0.3], [0.0, -1.8, 1.4, -1.4, -1.6, 0.0]]
      acceleration_limit_rad_s2: 1.2
      hold: 1s
network:
  hosts: {driver: {}, robot: {}}
  links: {wire: {between: [driver, robot]}}
)";

/// A driver of this method, and what it needs at the robot.
inline std::vector<std::string> by_method(const std::string& method,
                                          const std::vector<std::string>& changes = {}) {
  std::vector<std::string> all{"actors.driver.method=" + method};
  if (method == "ros_control") {
    all.emplace_back("actors.ur5.controller=none");
  }
  all.insert(all.end(), changes.begin(), changes.end());
  return all;
}

inline cell::PreparedScenario load_ur(const std::string& text,
                                      const std::vector<std::string>& changes = {}) {
  return load_text(text, "arms.yaml", changes);
}

inline nlohmann::ordered_json run_ur(const std::vector<std::string>& changes = {}) {
  return labs::run_to_end(load_ur(kUrDriven, changes));
}

/// What the driver says of such a run.
inline nlohmann::ordered_json run_driver(const std::vector<std::string>& changes = {}) {
  return run_ur(changes)["driver"];
}

}  // namespace longarm::actors
