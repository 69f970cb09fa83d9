// SPDX-License-Identifier: Apache-2.0
// Reads the world, lets actors load and place what they bring, and says which key is to blame.
#include "longarm/cell/prepared_cell.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/cell/cell_run.h"
#include "longarm/cell/judge_wishes.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/world.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"

namespace longarm::cell {
namespace {

using Remarks = std::vector<KeyRemark>;

/// Keys that name an actor, the world's clock or the network are whole already.
void append(Remarks& all, Remarks more, const std::string& prefix) {
  for (KeyRemark& remark : more) {
    const bool is_whole = remark.key.starts_with("actors.") || remark.key.starts_with("physics.") ||
                          remark.key.starts_with("network.");
    if (!is_whole) {
      remark.key = remark.key.empty() ? prefix.substr(0, prefix.size() - 1) : prefix + remark.key;
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

model::World read_world(PreparedCell& prepared, InputFiles& files, Remarks& remarks) {
  CellConfig& config = prepared.config;
  model::Cell& cell = prepared.model;
  model::World world;
  const std::size_t files_before = files.all().size();
  const Result<std::string> beside = files.find(config.world);
  const std::string path = beside ? *beside : scenario::find_model_file(config.world, config.world);
  if (path.empty()) {
    remarks.push_back({"world", "there is no world '" + config.world + "'",
                       "it is neither a file beside the scenario nor a ready world"});
    return world;
  }
  Diagnostics diagnostics;
  world = model::read_world_file(path, scenario::model_search(), files, diagnostics);
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

std::vector<FailureSubject> subjects_of(const CellConfig& config, const model::Cell& cell) {
  std::vector<FailureSubject> subjects;
  for (const ActorEntry& actor : config.actors) {
    subjects.push_back({Failure::Of::kActor, actor.name, actor.model->failures()});
  }
  for (const network::Cable& cable : network::make_topology(config.network).cables) {
    subjects.push_back({Failure::Of::kLink, cable.name, link_failures()});
  }
  for (const std::string& part : LooseParts::names(cell)) {
    subjects.push_back({Failure::Of::kPart, part, part_failures()});
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
                           : fmt::format("no rule places '{}', which is a {}", name, actor->kind),
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
         is_isolating ? "nobody is isolated" : "these are not isolated: the rule is another",
         is_isolating ? "name the actors of the second host" : "use placement.rule=isolate"});
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
                       fmt::format("this takes {} hosts, and there are {}", needed, hosts.size()),
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

void warn_of_late(const PreparedCell& cell, Remarks& remarks) {
  for (const Failure& failure : cell.failures) {
    if (failure.at >= Time(cell.length)) {
      remarks.push_back({"failures",
                         fmt::format("\"{}\" will not happen: the run is over after {:g} s",
                                     failure.text, to_seconds(cell.length)),
                         "let it fail earlier, or make length longer", Severity::kWarning});
    }
  }
}

/// Everything that moves is judged, but not what the engine does not use.
void lint_model(const model::Cell& cell, bool has_dynamics, Remarks& remarks) {
  for (const model::Placement& placement : cell.placements) {
    if (placement.tree.is_static) {
      continue;
    }
    for (const model::LintFinding& finding : model::lint(placement.tree, placement.is_fixed)) {
      const bool is_about_mass = finding.name == "mass" || finding.name.starts_with("inertia");
      if (has_dynamics || !is_about_mass) {
        blame("world", {finding.diagnostic}, remarks);
      }
    }
  }
}

void warn_of_engine(const CellConfig& config, const physics::Capabilities& can, Remarks& remarks) {
  const auto warn = [&](const char* key, const char* message) {
    remarks.push_back({key, message, "use engine mujoco or ode", Severity::kWarning});
  };
  if (!can.has_contacts && !config.world.empty()) {
    warn("engine", "this engine knows no contacts: parts stay where they are, belts carry nothing");
  }
  if (!can.has_contacts && config.simplify.mode != "none") {
    warn("simplify.mode", "without contacts there is nothing to simplify");
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
             "give each a model of its own"});
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

WorldSetup PreparedCell::setup(const CellContext& context) const {
  WorldSetup setup{context.engines, context.engine, context.options,
                   context.seed,    context.folder, length};
  setup.model = model;
  setup.hold_effort = config.hold_effort;
  setup.simplify = config.simplify;
  setup.network = config.network;
  for (const ActorEntry& actor : config.actors) {
    if (!actor.host.empty()) {
      setup.hosts.emplace_back(actor.name, actor.host);
    }
  }
  setup.failures = failures;
  return setup;
}

PreparedCell prepare_cell(CellConfig config, InputFiles& files, const CellContext& context,
                          const ActorRegistry& kinds, std::vector<KeyRemark>& remarks) {
  PreparedCell cell;
  cell.config = std::move(config);
  append(remarks, network::load(cell.config.network, files), "network.");
  for (const InputFile& file : files.all()) {
    cell.kept.keep(file);
  }
  if (has_errors(remarks)) {
    return cell;
  }
  complete_wishes(cell.config);
  place_by_rule(cell.config, remarks);
  append(remarks, judge_wishes(cell.config, kinds), "");
  cell.order = making_order(cell.config, remarks);
  judge_measure(cell.config, remarks);
  model::World world;
  if (!cell.config.world.empty()) {
    attempt("world", remarks, [&] { world = read_world(cell, files, remarks); });
  }
  if (has_errors(remarks)) {
    return cell;
  }
  cell.failures =
      read_failures(cell.config.failures, subjects_of(cell.config, cell.model), remarks);

  // actors read what is theirs, put it into the model, and plan in view of the whole
  using Step = std::function<Remarks(ActorModel&, const LoadContext&)>;
  const auto each_actor = [&](const Step& step) {
    for (const ActorEntry& actor : cell.config.actors) {
      LoadContext own{actor.name,      &world,       context.engines,    context.engine,
                      context.options, context.seed, cell.config.length, context.search,
                      cell.kept,       {},           cell.config,        actor.host};
      std::copy_if(cell.failures.begin(), cell.failures.end(), std::back_inserter(own.failures),
                   [&](const Failure& failure) {
                     return failure.of == Failure::Of::kActor && failure.name == actor.name;
                   });
      attempt("actors." + actor.name, remarks,
              [&] { append(remarks, step(*actor.model, own), "actors." + actor.name + "."); });
    }
    return !has_errors(remarks);
  };
  const bool is_loaded =
      each_actor([&](ActorModel& model, const LoadContext& own) { return model.load(files, own); });
  if (!is_loaded) {
    return cell;
  }
  std::vector<model::Placement> robots;
  for (const ActorEntry& actor : cell.config.actors) {
    for (model::Placement& placement : actor.model->brings()) {
      robots.push_back(std::move(placement));
    }
  }
  cell.model.placements.insert(cell.model.placements.begin(),
                               std::make_move_iterator(robots.begin()),
                               std::make_move_iterator(robots.end()));
  const bool is_placed = each_actor(
      [&](ActorModel& model, const LoadContext& own) { return model.place(cell.model, own); });
  const bool is_planned = is_placed && each_actor([&](ActorModel& model, const LoadContext& own) {
                            return model.plan(cell.model, own);
                          });
  if (!is_planned) {
    return cell;
  }
  cell.length = length_of(cell.config);
  warn_of_late(cell, remarks);

  // what only shows when it is made
  attempt("world", remarks, [&] {
    const CellRun trial(cell, context);
    const physics::Capabilities& can = trial.world().engine().capabilities();
    lint_model(cell.model, can.has_dynamics, remarks);
    warn_of_engine(cell.config, can, remarks);
    judge_claims(cell.config, remarks);
  });
  return cell;
}

}  // namespace longarm::cell
