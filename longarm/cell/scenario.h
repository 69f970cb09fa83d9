// SPDX-License-Identifier: Apache-2.0
// Everything a run depends on, as one plain struct, and the one list of its keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "longarm/cell/cell_config.h"
#include "longarm/control/controller.h"
#include "longarm/core/fields.h"
#include "longarm/core/registry.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"
#include "longarm/physics/engine.h"

namespace longarm::actors {
struct ProgramKind;
}

namespace longarm::cell {

/// The parts that scenarios name.
struct Plugins {
  physics::EngineRegistry engines{"physics engine"};
  network::LinkModelRegistry link_models{"link model"};
  control::ControllerRegistry controllers{"controller"};
  /// Beside those that come with the program.
  ActorRegistry actors{"kind of actor"};
  std::map<std::string, std::shared_ptr<const actors::ProgramKind>> programs{};  ///< of components
  std::vector<WorldFailure> failures{};  ///< beside what the world itself knows
  std::vector<std::string> files;        ///< shared objects that brought some of them
  /// Adds the kinds that come with the program; they may offer the parts above to users.
  std::function<void(ActorRegistry& kinds, const Plugins& plugins)> add_built_in_actors{};

  ActorRegistry kinds() const;
  /// Throws std::logic_error for a verb that there is already, or one of actors.
  void add_failure(WorldFailure failure);
  /// Null: the world itself sees to it, or an actor.
  const WorldFailure* find(const Failure& failure) const;
};

struct Scenario {
  std::string title;
  std::vector<std::string> plugins;
  std::string engine = "mujoco";
  std::string solver;
  std::string integrator;
  std::optional<double> error_reduction;
  std::int64_t seed = 1;
  Duration physics_period{1'000'000};
  /// What the engine is made with.
  physics::EngineOptions engine_options() const {
    return {physics_period, solver, integrator, error_reduction};
  }
  bool record_trace = true;
  bool record_csv = true;
  bool record_packets = false;
  std::int64_t record_frames = 20'000;  ///< a second
  bool record_calls = false;
  CellConfig cell;
};

/// A scenario of the form that is listed, with its one actor if it is the short one.
Scenario empty_scenario(bool is_short, const ActorRegistry& kinds);

/// `with_network` false leaves out what means nothing where there is no network.
void list_fields(Fields& fields, Scenario& scenario, const Plugins& plugins,
                 const ActorRegistry& kinds, bool with_network = true);

/// For `--set` on a section given in short, e.g. `servo: pid`: the key that stands for it, or
/// empty.
std::string shorthand_of(const std::string& section);

/// The whole scenario as YAML that reads back the same, in the form in which it was written.
std::string to_yaml(Scenario scenario, const Plugins& plugins);

}  // namespace longarm::cell
