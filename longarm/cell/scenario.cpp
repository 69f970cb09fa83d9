// SPDX-License-Identifier: Apache-2.0
// The keys that all scenarios have, around those of their actors.
#include "longarm/cell/scenario.h"

#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "longarm/config/config_writer.h"

namespace longarm::cell {
namespace {

const std::vector<std::string> kIntegrators{"", "euler", "rk4"};

/// Of the engines that come with the program; others judge for themselves.
void judge_engine(const Scenario& s, Fields& fields) {
  if (s.integrator == "rk4" && (s.engine == "ode" || s.engine == "kinematic")) {
    fields.reject("integrator", fmt::format("engine '{}' has only one integrator", s.engine),
                  "remove it, or use engine mujoco");
  }
  if (!s.error_reduction) {
    return;
  }
  if (s.engine == "mujoco" || s.engine == "kinematic") {
    fields.reject("error_reduction",
                  fmt::format("engine '{}' has no error reduction parameter", s.engine),
                  "remove it, or use engine ode");
  } else if (!(*s.error_reduction > 0.0 && *s.error_reduction <= 1.0)) {
    fields.reject("error_reduction", "error_reduction must be more than 0 and at most 1",
                  "0.2 is ODE's own default");
  }
}

}  // namespace

ActorRegistry Plugins::kinds() const {
  ActorRegistry kinds("kind of actor");
  if (add_built_in_actors) {
    add_built_in_actors(kinds, *this);
  }
  kinds.add_all(actors);
  return kinds;
}

void Plugins::add_failure(WorldFailure failure) {
  const Failure named{
      .of = failure.of, .name = {}, .verb = failure.verb.verb, .values = {}, .text = {}};
  if (failure.of == Failure::Of::kActor || !failure.fail) {
    throw std::logic_error(fmt::format(
        "failure '{}' must be of a link, a part or a host, and do something", failure.verb.verb));
  }
  if (is_built_in(named) || find(named) != nullptr) {
    throw std::logic_error(fmt::format("there is already a failure '{} NAME {}'",
                                       subject_word(failure.of), failure.verb.verb));
  }
  failures.push_back(std::move(failure));
}

const WorldFailure* Plugins::find(const Failure& failure) const {
  for (const WorldFailure& each : failures) {
    if (each.of == failure.of && each.verb.verb == failure.verb) {
      return &each;
    }
  }
  return nullptr;
}

Scenario empty_scenario(bool is_short, const ActorRegistry& kinds) {
  Scenario scenario;
  scenario.cell.is_short = is_short;
  if (is_short) {
    scenario.cell.actors.push_back({kShortName, kShortKind, "", kinds.make(kShortKind)});
  }
  return scenario;
}

std::string shorthand_of(const std::string& section) {
  using Pair = std::pair<const char*, const char*>;
  for (const auto& [name, key] : std::array{Pair{"engine", "name"}, Pair{"controller", "name"},
                                            Pair{"servo", "model"}, Pair{"flows", "transport"},
                                            Pair{"placement", "rule"}, Pair{"topics", "server"}}) {
    if (section == name) {
      return key;
    }
  }
  for (const char* wish : {"robot", "belt", "plc", "maker", "middleware", "arm"}) {
    if (section == wish) {
      return "of";
    }
  }
  return "";
}

void list_fields(Fields& fields, Scenario& s, const Plugins& plugins, const ActorRegistry& kinds,
                 bool with_network) {
  fields.field("title", s.title, "one line for `longarm list`");
  fields.field("plugins", s.plugins,
               "shared objects that add actors, programs, engines, links, controllers or failures");
  fields.section(
      "engine", "the physics engine",
      [&](Fields& f) {
        f.choice("name", s.engine, plugins.engines.names(), "physics engine");
        f.field("solver", s.solver,
                "mujoco: newton (default), noslip or cg; ode: direct (default) or quick");
        f.choice("integrator", s.integrator, kIntegrators,
                 "mujoco: euler (default, semi-implicit) or rk4 (four evaluations a step)");
        f.field("error_reduction", s.error_reduction,
                "ode: ERP of joints and contacts; default: 0.8 and 0.2 (ODE's own: 0.2)");
        judge_engine(s, f);
      },
      shorthand_of("engine"));
  fields.field("seed", s.seed, "random seed");
  fields.section("physics", "physics simulation", [&](Fields& f) {
    f.field("period", s.physics_period, "length of a physics step");
  });
  list_fields(fields, s.cell, kinds, plugins.link_models, with_network);
  fields.section("record", "what to record", [&](Fields& f) {
    f.field("trace", s.record_trace, "write trace.mcap, and trace.csv of arms");
    f.field("csv", s.record_csv, "write trace.csv of arms, one row per physics step");
    f.field("packets", s.record_packets,
            "write the fate of each network message, and of its frames hop by hop, to trace.mcap");
    f.field("frames", s.record_frames,
            "with packets: the most frames per second to follow hop by hop; lost and retransmitted "
            "ones are always followed");
    f.field("calls", s.record_calls,
            "write calls, publications and cycles of components to trace.mcap");
  });
}

std::string to_yaml(Scenario scenario, const Plugins& plugins) {
  config::ConfigWriter writer;
  const bool with_network = !scenario.cell.network.is_empty();
  list_fields(writer, scenario, plugins, plugins.kinds(), with_network);
  return writer.yaml();
}

}  // namespace longarm::cell
