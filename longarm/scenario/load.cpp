// SPDX-License-Identifier: Apache-2.0
// The steps from a name to a scenario that can run; each collects all its errors before the next
// begins.
#include "longarm/scenario/load.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/hash.h"
#include "longarm/core/input_files.h"
#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/scenario/arm_network.h"
#include "longarm/scenario/config_reader.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/load_cell.h"
#include "longarm/scenario/network_section.h"
#include "longarm/scenario/plugin.h"
#include "longarm/scenario/ready.h"
#include "longarm/scenario/text_file.h"
#include "longarm/scenario/validate.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;

/// Whether something was said about this place already.
bool is_known(const Diagnostics& diagnostics, const SourceLocation& where) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const Diagnostic& d) {
    return d.where.path == where.path && d.where.line == where.line &&
           d.where.column == where.column;
  });
}

Scenario read_scenario(ConfigNode& root, const Plugins& plugins) {
  Diagnostics diagnostics;
  Scenario scenario;
  normalise_link(root, plugins.link_models, diagnostics);
  normalise_network(root, plugins.link_models, diagnostics);
  ConfigReader reader(root, diagnostics);
  list_fields(reader, scenario, plugins);
  reader.finish();

  // a key under `link` is read for each direction, but a mistake in it is one mistake
  Diagnostics once;
  for (const Diagnostic& each : diagnostics.all()) {
    if (!is_known(once, each.where)) {
      once.add(each);
    }
  }
  once.throw_if_errors();
  return scenario;
}

/// Fills in what depends on other keys.
void resolve(Scenario& s) {
  if (!s.states_period) {
    s.states_period = s.physics_period;
  }
  if (!s.link.silence_after) {
    s.link.silence_after = s.control.period;
  }
  if (!s.network.is_empty()) {
    s.control.host = s.control.host.empty() ? "edge" : s.control.host;
    s.robot.host = s.robot.host.empty() ? "robot" : s.robot.host;
  }
  if (s.servo.model.empty()) {
    s.servo.model = control::default_servo_model(control::cut_of(s.cut));
  }
}

void check_allowed_names(const LoadOptions& options) {
  Diagnostics diagnostics;
  for (const std::string& name : options.allow) {
    const std::vector<std::string> names = model::lint_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      diagnostics.error({"--allow " + name}, "unknown lint finding '" + name + "'",
                        suggest(name, names));
    }
  }
  diagnostics.throw_if_errors();
}

/// Lets the link models and the network read their files.
void load_links(PreparedScenario& prepared, const ConfigSource& source, InputFiles& files) {
  Diagnostics diagnostics;
  for (const auto& [direction, config] :
       {std::pair{"states", &prepared.scenario.link.states},
        std::pair{"commands", &prepared.scenario.link.commands}}) {
    for (const network::KeyRemark& remark : config->plugin->load(files)) {
      // a key under `link` stands for both directions, but its file is one file
      const std::string own = fmt::format("link.{}.", direction);
      const std::string group = source.has(own + remark.key) ? own : "link.";
      const Diagnostic diagnostic{source.where(group + remark.key), remark.message, remark.hint,
                                  remark.severity};
      const bool is_said =
          std::any_of(diagnostics.all().begin(), diagnostics.all().end(),
                      [&](const Diagnostic& d) { return d.format() == diagnostic.format(); });
      if (!is_said) {
        diagnostics.add(diagnostic);
      }
    }
  }
  load_arm_network(prepared.scenario, source, files, diagnostics);
  for (const InputFile& file : files.all()) {
    const fs::path name(file.name);
    if (std::find(name.begin(), name.end(), "..") != name.end()) {
      diagnostics.error(source.where(source.has("network") ? "network" : "link"),
                        "'" + file.name + "' is outside the scenario's folder",
                        "runs keep a copy of it: put it beside the scenario, or give a full path");
    }
  }
  diagnostics.throw_if_errors();
  prepared.warnings.insert(prepared.warnings.end(), diagnostics.all().begin(),
                           diagnostics.all().end());
}

void make_plan(PreparedScenario& prepared, const ConfigSource& source) {
  const Scenario& s = prepared.scenario;
  Hash run;
  run.add(std::string_view(to_yaml(s, prepared.plugins)));
  const tasks::PlanningContext context{
      prepared.cell, 0, prepared.end_effector_frame, s.robot.home_rad, prepared.plugins.engines,
      run.value()};
  Result<tasks::Plan> plan = tasks::plan_task(s.task, context);
  if (!plan) {
    throw InputError(Diagnostic{
        source.where("task"), "the task cannot be planned: " + plan.error().message,
        s.task.path == "rrt-connect" ? "move the waypoints, or change task.planner.clearance_m or "
                                       "max_iterations"
                                     : "move the waypoints, or change task.path"});
  }
  prepared.plan = std::move(plan).value();
}

/// The scenario by itself, without its robot. Reading rearranges the tree, but places in messages
/// are those of the file.
ConfigSource read_values(const std::string& text, const std::string& path,
                         const LoadOptions& options, PreparedScenario& prepared,
                         InputFiles& link_files) {
  ConfigSource source{read_tree(text, path, options, shorthand_of, prepared.plugins), path};
  ConfigNode root = source.root;
  prepared.scenario = read_scenario(root, prepared.plugins);
  prepared.scenario.plugins = prepared.plugins.files;
  resolve(prepared.scenario);
  validate_values(prepared.scenario, source);
  prepared.warnings = warnings_about_values(prepared.scenario, source);
  load_links(prepared, source, link_files);
  prepared.link_files = link_files.all();
  return source;
}

}  // namespace

ConfigNode read_tree(const std::string& text, const std::string& path, const LoadOptions& options,
                     std::string (*shorthand)(const std::string& section), Plugins& plugins) {
  Diagnostics diagnostics;
  ConfigNode root = parse_config(text, path, diagnostics);
  if (const ConfigNode* base = root.find("scenario"); base != nullptr) {
    diagnostics.error(base->where, "this file is a study of another scenario",
                      "run it with: longarm sweep " + path);
  }
  root.erase("axes");  // of a study; what is not varied makes a scenario of its own
  std::vector<Override> overrides;
  for (const std::string& each : options.overrides) {
    overrides.push_back(parse_override(each, diagnostics));
  }
  for (const VariedValue& each : options.varied) {
    overrides.push_back(parse_override(each.text, diagnostics, "--axis"));
    if (each.where.line > 0) {
      move_to(overrides.back(), each.where);
    }
  }
  diagnostics.throw_if_errors();
  // plug-ins first: they decide what the other keys may be
  for (const Override& change : overrides) {
    if (change.keys.front() == "plugins") {
      apply_override(root, change, shorthand);
    }
  }
  load_plugins(root, path, options.plugins, plugins);
  for (const Override& change : overrides) {
    make_way_for(root, change, plugins.link_models);
    make_way_in_network(root, change, plugins.link_models);
    apply_override(root, change, shorthand);
  }
  return root;
}

void identify(PreparedScenario& prepared) {
  Hash identity;
  identity.add(std::string_view(to_yaml(prepared.scenario, prepared.plugins)));
  identity.add(std::string_view(prepared.model_hash));
  identity.add(std::string_view(prepared.link_hash));
  for (const std::string& file : prepared.plugins.files) {
    identity.add(std::string_view(read_text_file(file)));
  }
  identity.add(static_cast<std::uint64_t>(kResultFormat));
  prepared.identity = identity.text();
}

void check_values(const std::string& name_or_file, const LoadOptions& options,
                  const Plugins& plugins) {
  const std::string file = find_scenario_file(name_or_file);
  PreparedScenario prepared;
  prepared.plugins = plugins;
  const ConfigSource source{
      read_tree(read_text_file(file), file, options, shorthand_of, prepared.plugins), file};
  ConfigNode root = source.root;
  prepared.scenario = read_scenario(root, prepared.plugins);
  resolve(prepared.scenario);
  InputFiles link_files = files_of(file, options.search);
  load_links(prepared, source, link_files);
}

PreparedScenario without_link(PreparedScenario prepared) {
  for (LinkDirectionConfig* direction :
       {&prepared.scenario.link.states, &prepared.scenario.link.commands}) {
    direction->model = "none";
    direction->plugin = prepared.plugins.link_models.make("none");
  }
  prepared.scenario.network = {};
  prepared.scenario.control.host.clear();
  prepared.scenario.robot.host.clear();
  prepared.link_files.clear();
  prepared.link_hash = InputFiles().hash().text();
  identify(prepared);
  return prepared;
}

PreparedScenario without_network(PreparedScenario prepared) {
  if (prepared.scenario.network.is_empty()) {
    return without_link(std::move(prepared));
  }
  prepared.scenario.network.backend = "ideal";
  identify(prepared);
  return prepared;
}

PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins) {
  check_allowed_names(options);
  PreparedScenario prepared;
  prepared.name = fs::path(path).stem();
  prepared.plugins = plugins;
  InputFiles link_files = files_of(path, options.search);
  const ConfigSource source = read_values(text, path, options, prepared, link_files);

  // with its cell, its plan, and its engine
  InputFiles cell_files(path);
  load_cell(prepared, source, options, cell_files);
  make_plan(prepared, source);
  judge(lint_servo_of(prepared.scenario, prepared.cell.placements.front().tree, prepared.plan),
        options, prepared);
  check_on_engine(prepared, source);
  prepared.model_hash = cell_files.hash().text();
  prepared.link_hash = link_files.hash().text();
  identify(prepared);
  return prepared;
}

PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins) {
  const std::string file = find_scenario_file(name_or_file);
  return load_scenario_text(read_text_file(file), file, options, plugins);
}

}  // namespace longarm::scenario
