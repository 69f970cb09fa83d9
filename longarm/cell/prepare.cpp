// SPDX-License-Identifier: Apache-2.0
// Reads the world, lets actors load and place what they bring, and says which key is to blame.
#include "longarm/cell/prepare.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/cell/actor_error.h"
#include "longarm/cell/judge_wishes.h"
#include "longarm/cell/lint.h"
#include "longarm/cell/run.h"
#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/hash.h"
#include "longarm/core/suggest.h"
#include "longarm/model/world.h"
#include "longarm/physics/mesh_warnings.h"
#include "longarm/physics/surface_warnings.h"

namespace longarm::cell {
namespace {

using Remarks = std::vector<KeyRemark>;

/// Those on an actor's own keys; others are whole already.
void append(Remarks& all, Remarks more, const CellConfig& config, const ActorEntry& actor) {
  for (KeyRemark& remark : more) {
    const bool is_whole = remark.key.starts_with("actors.") || remark.key.starts_with("physics.") ||
                          remark.key.starts_with("simplify.") ||
                          remark.key.starts_with("network.") || remark.key == "engine" ||
                          remark.key == "network";
    if (!is_whole) {
      remark.key = config.key_of(actor, remark.key);
    }
    all.push_back(std::move(remark));
  }
}

void attempt(const std::string& key, Remarks& remarks, const std::function<void()>& action) {
  try {
    action();
  } catch (const ActorError& error) {
    blame(error.key(), error.diagnostics(), remarks);
  } catch (const InputError& error) {
    blame(key, error.diagnostics(), remarks);
  } catch (const std::invalid_argument& error) {
    remarks.push_back({key, error.what(), ""});
  }
}

model::World read_world(PreparedScenario& prepared, InputFiles& files, Remarks& remarks) {
  CellConfig& config = prepared.scenario.cell;
  model::Cell& cell = prepared.model;
  model::World world;
  const std::size_t files_before = files.all().size();
  const Result<std::string> beside = files.find(config.world);
  const std::string path = beside ? *beside : config::find_model_file(config.world, config.world);
  if (path.empty()) {
    remarks.push_back(
        {"world", beside.error().message,
         "world must be an SDF file beside the scenario, or the name of a built-in world"});
    return world;
  }
  Diagnostics diagnostics;
  world = model::read_world_file(path, config::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  cell.placements = model::make_placements(world, diagnostics);
  cell.gravity_m_s2 = world.gravity_m_s2;
  diagnostics.throw_if_errors();
  if (!diagnostics.all().empty()) {
    blame("world", diagnostics.all(), remarks);
  }
  if (beside) {
    prepared.kept.keep(config.world, path, files.all().size() - files_before);
  }
  return world;
}

std::vector<FailureSubject> subjects_of(const CellConfig& config, const model::Cell& cell,
                                        const Plugins& plugins) {
  std::vector<FailureSubject> subjects;
  const auto with_plugins = [&](std::vector<FailureVerb> verbs, Failure::Of of) {
    for (const WorldFailure& each : plugins.failures) {
      if (each.of == of) {
        verbs.push_back(each.verb);
      }
    }
    return verbs;
  };
  const std::vector<FailureVerb> of_links = with_plugins(link_failures(), Failure::Of::kLink);
  const std::vector<FailureVerb> of_parts = with_plugins(part_failures(), Failure::Of::kPart);
  const std::vector<FailureVerb> of_hosts = with_plugins({}, Failure::Of::kHost);
  for (const ActorEntry& actor : config.actors) {
    subjects.push_back({Failure::Of::kActor, actor.name, actor.model->failures()});
  }
  for (const network::Cable& cable : network::make_topology(config.network).cables) {
    subjects.push_back({Failure::Of::kLink, cable.name, of_links});
  }
  for (const std::string& part : LooseParts::names(cell)) {
    subjects.push_back({Failure::Of::kPart, part, of_parts});
  }
  for (const network::Host& host : config.network.hosts) {
    if (!of_hosts.empty()) {
      subjects.push_back({Failure::Of::kHost, host.name, of_hosts});
    }
  }
  return subjects;
}

/// Only those that rules place can be on the second host.
void judge_isolated(const CellConfig& config, const std::vector<ActorEntry*>& movable,
                    Remarks& remarks) {
  std::vector<std::string> names;
  for (const ActorEntry* actor : movable) {
    names.push_back(actor->name);
  }
  for (const std::string& name : config.placement.isolated) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      continue;
    }
    const ActorEntry* actor = config.find(name);
    remarks.push_back({"placement.isolated",
                       actor == nullptr
                           ? fmt::format("there is no actor '{}'", name)
                           : fmt::format("placement rules do not apply to '{}', which is a {}",
                                         name, actor->kind),
                       suggest(name, names)});
  }
}

/// Gives hosts to those who go where the rule says.
void place_by_rule(CellConfig& config, Remarks& remarks) {
  const PlacementConfig& placement = config.placement;
  const bool is_isolating = placement.rule == "isolate";
  if (is_isolating != !placement.isolated.empty()) {
    remarks.push_back(
        {"placement.isolated",
         is_isolating ? "no components are isolated"
                      : "placement.isolated has no effect with another placement.rule",
         is_isolating ? "name the components of the second host" : "use placement.rule=isolate"});
  }
  const std::vector<std::string> hosts =
      config.network.is_empty() ? std::vector<std::string>() : host_names(config.network);
  std::vector<ActorEntry*> movable;
  for (ActorEntry& actor : config.actors) {
    if (actor.model->is_placed_by_rule()) {
      movable.push_back(&actor);
    }
  }
  judge_isolated(config, movable, remarks);
  const std::size_t needed = placement.rule == "separate" ? movable.size() : is_isolating ? 2 : 1;
  if (!movable.empty() && hosts.size() < needed) {
    remarks.push_back({hosts.empty() ? "network" : "placement.rule",
                       fmt::format("this needs {} hosts, but there are {}", needed, hosts.size()),
                       "add hosts to the network, for example network.star.hosts"});
    return;
  }
  for (std::size_t i = 0; i < movable.size(); ++i) {
    std::size_t number = placement.rule == "separate" ? i : 0;
    if (is_isolating && std::find(placement.isolated.begin(), placement.isolated.end(),
                                  movable[i]->name) != placement.isolated.end()) {
      number = 1;
    }
    if (placement.rule != "listed" || movable[i]->host.empty()) {
      movable[i]->host = hosts[number];
    }
  }
}

Duration length_of(const CellConfig& config) {
  constexpr Duration kUsual = std::chrono::seconds(5);
  std::optional<Duration> longest = config.length;
  for (const ActorEntry& actor : config.actors) {
    if (!config.length) {
      longest = std::max(longest, actor.model->usual_length());
    }
  }
  return longest.value_or(kUsual);
}

void warn_of_late(const PreparedScenario& cell, Remarks& remarks) {
  for (const Failure& failure : cell.failures) {
    if (failure.at >= Time(cell.length)) {
      remarks.push_back({"failures",
                         fmt::format("\"{}\" will not occur: the run ends after {:g} s",
                                     failure.text, to_seconds(cell.length)),
                         "inject it earlier, or increase length", Severity::kWarning});
    }
  }
}

void warn_of_engine(const PreparedScenario& prepared, const physics::Capabilities& can,
                    Remarks& remarks) {
  const CellConfig& config = prepared.cell();
  const auto warn = [&](const char* key, std::string message) {
    remarks.push_back({key, std::move(message), "use engine mujoco or ode", Severity::kWarning});
  };
  if (!can.has_contacts && !config.world.empty()) {
    warn("world", config.is_short
                      ? fmt::format("engine '{}' has no contacts: the arm passes through objects",
                                    prepared.scenario.engine)
                      : "this engine has no forces: grippers and belts carry parts without slip, "
                        "and nothing else moves or stops them");
  }
  if (!can.has_contacts && config.simplify.mode != "none") {
    warn("simplify.mode", "without contacts there is nothing to simplify");
  }
  if (!config.is_short) {
    return;  // cells have many bodies, and their authors chose the engine for their contacts
  }
  for (const auto& warnings : {physics::mesh_warnings(prepared.model, can),
                               physics::surface_warnings(prepared.model, can)}) {
    for (const Diagnostic& each : warnings) {
      remarks.push_back({"world", each.message, each.hint, each.severity, each.where});
    }
  }
}

/// Nobody shares a robot. Ports may be shared until somebody is to find servers there.
void judge_claims(const CellConfig& config, Remarks& remarks) {
  std::map<std::string, std::string> driven;
  for (const ActorEntry& actor : config.actors) {
    for (const std::string& model : actor.model->drives()) {
      const auto [first, is_new] = driven.emplace(model, actor.name);
      if (!is_new) {
        remarks.push_back(
            {"actors." + actor.name,
             fmt::format("'{}' and '{}' both drive '{}'", first->second, actor.name, model),
             "give each actor a model of its own"});
      }
    }
  }
}

void judge_measure(const CellConfig& config, Remarks& remarks) {
  std::vector<std::string> known;
  for (const MetricInfo& metric : config.figures().metrics) {
    known.push_back(metric.name);
  }
  for (const std::string& name : config.measure) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      remarks.push_back({"measure", fmt::format("no actor has a metric '{}'", name),
                         known.empty() ? "this cell has none" : "for example " + known.front()});
    }
  }
}

}  // namespace

void prepare_cell(PreparedScenario& prepared, CellFiles& files,
                  const std::vector<std::string>& allow, Depth depth,
                  std::vector<KeyRemark>& remarks) {
  Scenario& scenario = prepared.scenario;
  CellConfig& config = scenario.cell;
  const ActorRegistry kinds = prepared.plugins.kinds();
  for (ActorEntry& actor : config.actors) {
    actor.model->complete(actor.host, !config.network.is_empty());
  }
  for (KeyRemark& remark : network::load(config.network, files.links)) {
    remark.key = "network." + remark.key;
    remarks.push_back(std::move(remark));
  }
  for (const InputFile& file : files.links.all()) {
    prepared.kept.keep(file);
  }
  if (has_errors(remarks)) {
    return;
  }
  complete_wishes(config);
  place_by_rule(config, remarks);
  judge_wishes(config, kinds, remarks);
  prepared.order = making_order(config, remarks);
  judge_measure(config, remarks);
  model::World world;
  if (!config.world.empty()) {
    attempt("world", remarks, [&] { world = read_world(prepared, files.model, remarks); });
  }
  if (has_errors(remarks)) {
    return;
  }
  prepared.failures = read_failures(config.failures,
                                    subjects_of(config, prepared.model, prepared.plugins), remarks);

  // actors read what is theirs, put it into the model, and plan in view of the whole
  std::uint64_t run_hash = 0;
  using Step = std::function<Remarks(ActorModel&, const LoadContext&)>;
  const auto each_actor = [&](const Step& step) {
    for (const ActorEntry& actor : config.actors) {
      LoadContext own{actor.name,
                      &world,
                      prepared.plugins.engines,
                      scenario.engine,
                      scenario.engine_options(),
                      scenario.seed,
                      config.length,
                      files.search,
                      files.folder,
                      prepared.kept,
                      files.links,
                      allow,
                      {},
                      config,
                      actor.host,
                      run_hash};
      std::copy_if(prepared.failures.begin(), prepared.failures.end(),
                   std::back_inserter(own.failures), [&](const Failure& failure) {
                     return failure.of == Failure::Of::kActor && failure.name == actor.name;
                   });
      attempt(config.key_of(actor, ""), remarks,
              [&] { append(remarks, step(*actor.model, own), config, actor); });
    }
    return !has_errors(remarks);
  };
  const bool is_loaded = each_actor(
      [&](ActorModel& model, const LoadContext& own) { return model.load(files.model, own); });
  if (!is_loaded) {
    return;
  }
  std::vector<model::Placement> robots;
  for (const ActorEntry& actor : config.actors) {
    for (model::Placement& placement : actor.model->brings()) {
      if (find_placement(prepared.model, placement.name)) {
        remarks.push_back({config.key_of(actor, ""),
                           fmt::format("the world already contains a '{}'", placement.name),
                           "choose another name for the actor"});
      }
      robots.push_back(std::move(placement));
    }
  }
  std::vector<model::Placement>& placements = prepared.model.placements;
  const std::size_t robot_count = robots.size();
  placements.insert(placements.begin(), std::make_move_iterator(robots.begin()),
                    std::make_move_iterator(robots.end()));
  lint_cell(prepared.model, 0, robot_count, scenario.engine, allow, remarks);
  if (has_errors(remarks) || depth == Depth::kValues) {
    return;
  }
  const std::size_t brought = placements.size();
  each_actor(
      [&](ActorModel& model, const LoadContext& own) { return model.place(prepared.model, own); });
  lint_cell(prepared.model, brought, 0, scenario.engine, allow, remarks);
  if (has_errors(remarks)) {
    return;
  }
  Hash keys;
  keys.add(std::string_view(to_yaml(scenario, prepared.plugins)));
  run_hash = keys.value();
  const bool is_planned = each_actor(
      [&](ActorModel& model, const LoadContext& own) { return model.plan(prepared.model, own); });
  if (!is_planned) {
    return;
  }
  prepared.length = length_of(config);
  warn_of_late(prepared, remarks);
  judge_claims(config, remarks);

  // what only shows when it is made
  attempt("engine.solver", remarks, [&] {
    const Run trial(prepared);
    warn_of_engine(prepared, trial.world().engine().capabilities(), remarks);
  });
}

}  // namespace longarm::cell
