// SPDX-License-Identifier: Apache-2.0
// The steps from a name to an experiment that can run; each collects all its errors before the next
// begins.
#include "longarm/experiments/load_experiment.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/hash.h"
#include "longarm/core/suggest.h"
#include "longarm/scenario/config_reader.h"
#include "longarm/scenario/config_writer.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/network_section.h"
#include "longarm/scenario/plugin.h"
#include "longarm/scenario/ready.h"
#include "longarm/scenario/text_file.h"
#include "longarm/scenario/validate.h"

namespace longarm::experiments {
namespace {

namespace fs = std::filesystem;
using scenario::ConfigNode;
using scenario::ConfigReader;
using scenario::ConfigSource;
using scenario::LoadOptions;
using scenario::Override;

constexpr const char* kKind = "experiment";

/// As for arms, and sections that only experiments have.
std::string shorthand_of(const std::string& section) {
  if (section == "placement") {
    return "rule";
  }
  if (section == "topics") {
    return "server";
  }
  return section == "arm" ? "model" : scenario::shorthand_of(section);
}

ConfigNode read_tree(const std::string& text, const std::string& path, const LoadOptions& options,
                     const network::LinkModelRegistry& models) {
  Diagnostics diagnostics;
  ConfigNode root = scenario::parse_config(text, path, diagnostics);
  root.erase("axes");  // of a study
  std::vector<Override> overrides;
  for (const std::string& each : options.overrides) {
    overrides.push_back(scenario::parse_override(each, diagnostics));
  }
  for (const scenario::VariedValue& each : options.varied) {
    overrides.push_back(scenario::parse_override(each.text, diagnostics, "--axis"));
    if (each.where.line > 0) {
      move_to(overrides.back(), each.where);
    }
  }
  diagnostics.throw_if_errors();
  for (const Override& change : overrides) {
    scenario::make_way_in_network(root, change, models);
    apply_override(root, change, shorthand_of);
  }
  scenario::normalise_network(root, models, diagnostics);
  diagnostics.throw_if_errors();
  return root;
}

/// A key that stands for both directions of a cable is read for each, but a mistake in it is one.
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

/// The kind decides what the other keys may be.
void choose_kind(ExperimentScenario& s, const ConfigSource& source) {
  const ConfigNode* kind = source.root.find(kKind);
  s.kind = kind != nullptr ? kind->text : "";
  const ExperimentRegistry kinds = built_in_experiments();
  if (!kinds.has(s.kind)) {
    throw InputError(
        Diagnostic{source.where(kKind), kinds.unknown(s.kind), suggest(s.kind, kinds.names())});
  }
  s.model = kinds.make(s.kind);
}

void check_common(const ExperimentScenario& s, const ConfigSource& source) {
  Diagnostics diagnostics;
  if (s.physics_period <= Duration::zero()) {
    diagnostics.error(source.where("physics.period"), "physics.period must be longer than nothing",
                      "1ms is usual");
  } else if (s.physics_period > std::chrono::milliseconds(20)) {
    diagnostics.error(source.where("physics.period"),
                      "with so long a physics.period contacts mean nothing", "1ms is usual");
  }
  diagnostics.throw_if_errors();
}

void judge(PreparedExperiment& prepared, const ConfigSource& source,
           const std::vector<std::string>& search) {
  InputFiles files = scenario::files_of(source.path, search);
  ExperimentContext context = prepared.context();
  context.search = scenario::folders_of(source.path, search);
  Diagnostics diagnostics;
  for (const KeyRemark& remark : prepared.scenario.model->load(files, context)) {
    diagnostics.add(
        Diagnostic{source.where(remark.key), remark.message, remark.hint, remark.severity});
  }
  const Diagnostics said = once(diagnostics);
  said.throw_if_errors();
  prepared.warnings = said.all();
  prepared.files_hash = files.hash().text();
}

}  // namespace

void list_fields(Fields& fields, ExperimentScenario& s, const scenario::Plugins& plugins) {
  fields.field("title", s.title, "one line for `longarm list`");
  fields.choice(kKind, s.kind, built_in_experiments().names(), "the kind of experiment");
  fields.section(
      "engine", "the physics engine",
      [&](Fields& f) {
        f.choice("name", s.engine, plugins.engines.names(), "physics engine");
        f.field("solver", s.solver,
                "mujoco: newton (default), noslip or cg; ode: direct (default) or quick");
      },
      scenario::shorthand_of("engine"));
  fields.field("seed", s.seed, "of every random stream");
  fields.section("physics", "the world's clock", [&](Fields& f) {
    f.field("period", s.physics_period, "length of a physics step");
  });
  s.model->list_fields(fields);
}

std::string to_yaml(ExperimentScenario s, const scenario::Plugins& plugins) {
  scenario::ConfigWriter writer;
  list_fields(writer, s, plugins);
  return writer.yaml();
}

ExperimentContext PreparedExperiment::context() const {
  return {plugins.engines, plugins.link_models, scenario.engine,
          physics::EngineOptions{scenario.physics_period, scenario.solver}, scenario.seed};
}

bool is_experiment(const std::string& name_or_file) {
  try {
    Diagnostics ignored;
    const std::string file = scenario::find_scenario_file(name_or_file);
    return scenario::parse_config(scenario::read_text_file(file), file, ignored).find(kKind) !=
           nullptr;
  } catch (const InputError&) {
    return false;
  }
}

PreparedExperiment load_experiment_text(const std::string& text, const std::string& path,
                                        const LoadOptions& options,
                                        const scenario::Plugins& plugins) {
  PreparedExperiment prepared;
  prepared.name = fs::path(path).stem();
  prepared.plugins = plugins;
  for (const std::string& file : options.plugins) {
    scenario::load_plugin(file, prepared.plugins);
  }
  const ConfigSource source{read_tree(text, path, options, prepared.plugins.link_models), path};
  ExperimentScenario& s = prepared.scenario;
  choose_kind(s, source);

  Diagnostics diagnostics;
  ConfigReader reader(source.root, diagnostics);
  list_fields(reader, s, prepared.plugins);
  reader.finish();
  once(diagnostics).throw_if_errors();
  check_common(s, source);
  if (s.solver.empty()) {
    s.solver = s.model->usual_solver(s.engine);
  }

  judge(prepared, source, options.search);
  Hash identity;
  identity.add(std::string_view(to_yaml(s, prepared.plugins)));
  identity.add(std::string_view(prepared.files_hash));
  identity.add(static_cast<std::uint64_t>(scenario::kResultFormat));
  prepared.identity = identity.text();
  return prepared;
}

PreparedExperiment load_experiment(const std::string& name_or_file, const LoadOptions& options,
                                   const scenario::Plugins& plugins) {
  const std::string file = scenario::find_scenario_file(name_or_file);
  return load_experiment_text(scenario::read_text_file(file), file, options, plugins);
}

}  // namespace longarm::experiments
