// SPDX-License-Identifier: Apache-2.0
// The steps from a name to a scenario that can run; each collects all its errors before the next
// begins.
#include "longarm/cell/load_scenario.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/cell/lint.h"
#include "longarm/cell/plugin.h"
#include "longarm/cell/prepare.h"
#include "longarm/config/config_merge.h"
#include "longarm/config/config_reader.h"
#include "longarm/config/config_source.h"
#include "longarm/config/data_files.h"
#include "longarm/config/network_section.h"
#include "longarm/config/ready.h"
#include "longarm/config/text_file.h"
#include "longarm/core/hash.h"
#include "longarm/core/suggest.h"

namespace longarm::cell {
namespace {

namespace fs = std::filesystem;
using config::ConfigNode;
using config::ConfigSource;
using config::Override;

/// What was found wrong for both directions of a link was written once.
Diagnostics once(const Diagnostics& diagnostics) {
  Diagnostics said;
  for (const Diagnostic& each : diagnostics.all()) {
    const bool is_said = std::ranges::any_of(
        said.all(), [&](const Diagnostic& other) { return other.format() == each.format(); });
    if (!is_said) {
      said.add(each);
    }
  }
  return said;
}

/// Every change that was asked for, in order.
std::vector<Override> overrides_of(const LoadOptions& options, Diagnostics& diagnostics) {
  std::vector<Override> overrides;
  for (const std::string& each : options.overrides) {
    overrides.push_back(config::parse_override(each, diagnostics));
  }
  for (const VariedValue& each : options.varied) {
    overrides.push_back(config::parse_override(each.text, diagnostics, "--axis"));
    if (each.where.line > 0) {
      config::move_to(overrides.back(), each.where);
    }
  }
  return overrides;
}

/// Kinds of experiments of earlier versions are kinds of actors now.
void refuse_old_forms(const ConfigNode& root, const std::string& path, Diagnostics& diagnostics) {
  if (const ConfigNode* base = root.find("scenario")) {
    diagnostics.error(base->where, "this file is a study of another scenario",
                      "run it with: longarm sweep " + path);
  }
  if (const ConfigNode* kind = root.find("experiment")) {
    const std::string& name = kind->text;
    const bool is_several =
        name == "cell" || name == "kitting" || name == "ur" || name == "components";
    diagnostics.error(
        kind->where,
        fmt::format("'experiment: {}' is now written as {}", name,
                    is_several ? "actors" : "an actor"),
        is_several
            ? "see the built-in scenarios aprs-kitting and ur5-driver, and CHANGELOG.md (0.2.0)"
            : fmt::format("actors: {{bench: {{kind: {}, …}}}}; move its keys there, too", name));
  }
  if (const ConfigNode* robot = root.find("robot"); robot && root.find("actors") != nullptr) {
    diagnostics.error(robot->where, "'robot' at the top level cannot be combined with 'actors'",
                      "write the robot as an actor: actors: {robot: {kind: arm, …}}");
  }
}

/// Calls `visit(model, node)` for each actor that is written, with the node that has its keys.
template <typename Visit>
void each_actor(ConfigNode& root, const ActorRegistry& kinds, const Visit& visit) {
  ConfigNode* actors = root.find("actors");
  if (actors == nullptr) {
    visit(*kinds.make(kShortKind), root, std::string());
    return;
  }
  for (ConfigNode::Entry& actor : actors->entries) {
    const ConfigNode* kind = actor.value.find("kind");
    if (kind != nullptr && kinds.has(kind->text)) {
      visit(*kinds.make(kind->text), actor.value, actor.key);
    }
  }
}

/// What stands under `actors.NAME`, as if it stood at the top.
std::optional<Override> below_actor(const Override& change, const std::string& actor) {
  if (actor.empty()) {
    return change;
  }
  if (change.keys.size() < 3 || change.keys[0] != "actors" || change.keys[1] != actor) {
    return std::nullopt;
  }
  Override own = change;
  own.keys.erase(own.keys.begin(), own.keys.begin() + 2);
  return own;
}

/// The text as a tree in the form that is read, with overrides applied and plug-ins loaded.
ConfigNode read_tree(const std::string& text, const std::string& path, const LoadOptions& options,
                     Plugins& plugins, Diagnostics& diagnostics) {
  ConfigNode root = config::parse_config(text, path, diagnostics);
  config::include_files(root, path, diagnostics);
  refuse_old_forms(root, path, diagnostics);
  root.erase("axes");  // of a study; what is not varied makes a scenario of its own
  const std::vector<Override> overrides = overrides_of(options, diagnostics);
  diagnostics.throw_if_errors();
  // plug-ins first: they decide what the other keys may be
  for (const Override& change : overrides) {
    if (change.keys.front() == "plugins") {
      apply_override(root, change, shorthand_of);
    }
  }
  load_plugins(root, path, options.plugins, plugins);
  const ActorRegistry kinds = plugins.kinds();
  for (const Override& change : overrides) {
    each_actor(root, kinds,
               [&](const ActorModel& model, ConfigNode& node, const std::string& name) {
                 if (const std::optional<Override> own = below_actor(change, name)) {
                   model.make_way(node, *own);
                 }
               });
    config::make_way_in_network(root, change, plugins.link_models);
    apply_override(root, change, shorthand_of);
  }
  if (ConfigNode* actors = root.find("actors")) {
    config::complete_alike(*actors, "actor", diagnostics);
  }
  each_actor(root, kinds, [&](const ActorModel& model, ConfigNode& node, const std::string&) {
    model.normalise(node, diagnostics);
  });
  config::normalise_network(root, plugins.link_models, diagnostics);
  return root;
}

void check_common(const Scenario& s, const ConfigSource& source) {
  Diagnostics diagnostics;
  if (s.physics_period <= Duration::zero()) {
    diagnostics.error(source.where("physics.period"), "physics.period must be positive",
                      "for example: 1ms");
  } else if (!s.cell.is_short && s.physics_period > std::chrono::milliseconds(20)) {
    diagnostics.error(source.where("physics.period"), "physics.period is too long for contacts",
                      "1ms is usual");
  }
  if (s.cell.is_short && source.has("network") && s.cell.network.is_empty()) {
    diagnostics.error(source.where("network"), "the network has no hosts",
                      "for example network: {hosts: {edge: {}, robot: {}}, links: {wire: "
                      "{between: [edge, robot], delay: 10ms}}}");
  }
  diagnostics.throw_if_errors();
}

/// The scenario by itself, without the files that it names.
ConfigSource read_values(const std::string& text, const std::string& path,
                         const LoadOptions& options, PreparedScenario& prepared) {
  Diagnostics diagnostics;
  ConfigSource source{read_tree(text, path, options, prepared.plugins, diagnostics), path};
  const ActorRegistry kinds = prepared.plugins.kinds();
  Scenario& s = prepared.scenario;
  s = empty_scenario(source.root.find("actors") == nullptr, kinds);
  config::ConfigReader reader(source.root, diagnostics);
  list_fields(reader, s, prepared.plugins, kinds);
  reader.finish();
  once(diagnostics).throw_if_errors();
  s.plugins = prepared.plugins.files;
  check_common(s, source);
  for (const ActorEntry& actor : s.cell.actors) {
    if (s.solver.empty()) {
      s.solver = actor.model->usual_solver(s.engine);
    }
  }
  return source;
}

/// Throws what is an error, keeps what is a warning.
void judge(const std::vector<KeyRemark>& remarks, const ConfigSource& source,
           PreparedScenario& prepared) {
  Diagnostics diagnostics;
  std::vector<Diagnostic> errors;
  bool is_all_lint = true;
  for (const KeyRemark& remark : remarks) {
    const SourceLocation where = remark.where.value_or(source.where(remark.key));
    diagnostics.add({where, remark.message, remark.hint, remark.severity});
    is_all_lint = is_all_lint && (remark.is_lint || remark.severity != Severity::kError);
  }
  const Diagnostics said = once(diagnostics);
  for (const Diagnostic& each : said.all()) {
    (each.severity == Severity::kError ? errors : prepared.warnings).push_back(each);
  }
  if (!errors.empty() && is_all_lint) {
    throw LintError(std::move(errors), prepared.warnings);
  }
  said.throw_if_errors();
}

void identify(PreparedScenario& prepared) {
  Hash identity;
  identity.add(std::string_view(to_yaml(prepared.scenario, prepared.plugins)));
  identity.add(std::string_view(prepared.files_hash));
  for (const ActorEntry& actor : prepared.cell().actors) {
    identity.add(std::string_view(actor.model->plan_hash()));
  }
  for (const std::string& file : prepared.plugins.files) {
    identity.add(std::string_view(config::read_text_file(file)));
  }
  identity.add(static_cast<std::uint64_t>(kResultFormat));
  prepared.identity = identity.text();
}

PreparedScenario load(const std::string& text, const std::string& path, const LoadOptions& options,
                      const Plugins& plugins, Depth depth) {
  check_allowed_names(options.allow);
  PreparedScenario prepared;
  prepared.name = fs::path(path).stem();
  prepared.plugins = plugins;
  const ConfigSource source = read_values(text, path, options, prepared);
  CellFiles files{config::files_of(path, options.search), config::files_of(path, options.search),
                  config::folders_of(path, options.search), fs::path(path).parent_path()};
  std::vector<KeyRemark> remarks;
  prepare_cell(prepared, files, options.allow, depth, remarks);
  judge(remarks, source, prepared);
  prepared.model_hash = files.model.hash().text();
  Hash all;
  all.add(std::string_view(prepared.model_hash));
  all.add(std::string_view(files.links.hash().text()));
  prepared.files_hash = all.text();
  identify(prepared);
  return prepared;
}

}  // namespace

PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins) {
  return load(text, path, options, plugins, Depth::kAll);
}

PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins) {
  const std::string file = config::find_scenario_file(name_or_file);
  return load_scenario_text(config::read_text_file(file), file, options, plugins);
}

void check_values(const std::string& name_or_file, const LoadOptions& options,
                  const Plugins& plugins) {
  const std::string file = config::find_scenario_file(name_or_file);
  load(config::read_text_file(file), file, options, plugins, Depth::kValues);
}

PreparedScenario without_network(PreparedScenario prepared) {
  prepared.scenario.cell = without_network(std::move(prepared.scenario.cell));
  std::erase_if(prepared.failures,
                [](const Failure& failure) { return failure.of == Failure::Of::kLink; });
  identify(prepared);
  return prepared;
}

PreparedScenario with_latency(PreparedScenario prepared, const std::vector<std::string>& links,
                              Duration latency) {
  std::vector<network::LinkEntry>& all = prepared.scenario.cell.network.links;
  for (const std::string& name : links) {
    const auto link =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
    if (link == all.end()) {
      refuse(fmt::format("'{}' has no link '{}' in its network", prepared.name, name),
             suggest(name, names_of(all)));
    }
    link->propagation += latency;
  }
  identify(prepared);
  return prepared;
}

}  // namespace longarm::cell
