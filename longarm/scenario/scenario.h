// SPDX-License-Identifier: Apache-2.0
// Everything a run depends on, as one plain struct, and the one list of its keys.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/control/config.h"
#include "longarm/control/controller.h"
#include "longarm/core/fields.h"
#include "longarm/core/registry.h"
#include "longarm/network/link.h"
#include "longarm/network/topology/network_config.h"
#include "longarm/physics/engine.h"
#include "longarm/scenario/link_config.h"
#include "longarm/tasks/task.h"

namespace longarm::cell {
class ActorModel;
}
namespace longarm::actors {
struct ProgramKind;
}

namespace longarm::scenario {

/// The parts that scenarios name.
struct Plugins {
  physics::EngineRegistry engines{"physics engine"};
  network::LinkModelRegistry link_models{"link model"};
  control::ControllerRegistry controllers{"controller"};
  /// Beside those that come with the program.
  Registry<cell::ActorModel> actors{"kind of actor"};
  std::map<std::string, std::shared_ptr<const actors::ProgramKind>> programs{};  ///< of components
  std::vector<std::string> files;  ///< shared objects that brought some of them
};
Plugins built_in_plugins();

struct RobotConfig {
  std::string model;  ///< a name among the ready models, or a URDF or SDF file beside the scenario
  std::vector<std::string> search_path;  ///< folders for package:// and model://
  std::string end_effector;
  std::vector<double> pose_m_deg;  ///< of its base in the world; empty: at the origin
  std::vector<double> home_rad;    ///< empty: zeros
  std::string host;                ///< where its joints are, if there is a network
};

/// The controller's host: when it ticks, and what its clock says meanwhile.
struct ControlClockConfig {
  Duration period{1'000'000};
  Duration phase{0};
  Duration jitter{0};
  Duration clock_offset{0};
  double clock_drift_ppm = 0.0;
  std::string host;  ///< where the controller runs, if there is a network
};

struct ControllerConfig {
  std::string name = "pid";
  std::shared_ptr<control::ControllerModel> plugin;  ///< shared: copies of a scenario only read it
};

struct Scenario {
  std::string title;
  std::vector<std::string> plugins;
  std::string engine = "mujoco";
  std::string solver;
  std::int64_t seed = 1;
  Duration physics_period{1'000'000};
  ControlClockConfig control;
  std::optional<Duration> states_period;
  std::string world;  ///< an SDF world around the robot; empty: nothing
  RobotConfig robot;
  tasks::TaskConfig task;
  std::string cut = "velocity";
  ControllerConfig controller;
  std::optional<double> gain;
  control::GainsConfig gains;
  double feed_forward = 0.0;
  control::ToleranceConfig tolerances;
  control::ServoConfig servo;
  LinkConfig link;
  network::NetworkConfig network;  ///< in place of `link`, unless it is empty
  std::optional<Duration> estop_at;
  std::optional<Duration> estop_release;
  bool record_trace = true;
  bool record_csv = true;
};

/// `with_network` false leaves out what means nothing where there is no network.
void list_fields(Fields& fields, Scenario& scenario, const Plugins& plugins,
                 bool with_network = true);

/// For `--set` on a section given in short, e.g. `servo: pid`: the key that stands for it, or
/// empty.
std::string shorthand_of(const std::string& section);

/// The whole scenario as YAML that reads back the same.
std::string to_yaml(Scenario scenario, const Plugins& plugins);

}  // namespace longarm::scenario
