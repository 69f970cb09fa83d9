// SPDX-License-Identifier: Apache-2.0
// Everything a run depends on, as one plain struct, and the one list of its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/control/config.h"
#include "longarm/core/fields.h"
#include "longarm/network/link.h"
#include "longarm/physics/engine.h"
#include "longarm/scenario/link_config.h"
#include "longarm/tasks/waypoint_task.h"

namespace longarm::scenario {

/// The parts that scenarios name.
struct Plugins {
  physics::EngineRegistry engines;
  network::LinkModelRegistry link_models;
};
Plugins built_in_plugins();

struct RobotConfig {
  std::string model;  ///< a name among the ready models, or a URDF or SDF file beside the scenario
  std::string end_effector;
  std::vector<double> home_rad;  ///< empty: zeros
};

struct Scenario {
  std::string title;
  std::string engine = "mujoco";
  std::string solver;
  std::int64_t seed = 1;
  Duration physics_period{1'000'000};
  Duration control_period{1'000'000};
  std::optional<Duration> states_period;
  RobotConfig robot;
  tasks::WaypointTaskConfig task;
  std::string cut = "velocity";
  std::optional<double> gain;
  control::GainsConfig gains;
  double feed_forward = 0.0;
  control::ToleranceConfig tolerances;
  control::ServoConfig servo;
  LinkConfig link;
  std::optional<Duration> estop_at;
  std::optional<Duration> estop_release;
  bool record_trace = true;
};

void list_fields(Fields& fields, Scenario& scenario, const Plugins& plugins);

/// For `--set` on a section given in short, e.g. `servo: pid`: the key that stands for it, or
/// empty.
std::string shorthand_of(const std::string& section);

/// The whole scenario as YAML that reads back the same.
std::string to_yaml(Scenario scenario, const Plugins& plugins);

}  // namespace longarm::scenario
