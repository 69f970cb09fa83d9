// SPDX-License-Identifier: Apache-2.0
// The steps from a name to an experiment that can run; each collects all its errors before the next
// begins.
#include "longarm/experiments/load_experiment.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/hash.h"
#include "longarm/core/suggest.h"
#include "longarm/experiments/cell_experiment.h"
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

constexpr const char* kKind = "experiment";

/// As for arms, and sections that only experiments have.
std::string shorthand_of(const std::string& section) {
  if (section == "placement") {
    return "rule";
  }
  if (section == "topics") {
    return "server";
  }
  for (const char* wish : {"robot", "belt", "plc", "maker", "middleware", "arm"}) {
    if (section == wish) {
      return "of";
    }
  }
  return scenario::shorthand_of(section);
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
void choose_kind(ExperimentScenario& s, const ConfigSource& source,
                 const scenario::Plugins& plugins) {
  const ConfigNode* kind = source.root.find(kKind);
  if (kind == nullptr) {
    s.kind = kCellKind;
    s.model = make_cell(plugins);
    return;
  }
  s.kind = kind->text;
  if (s.kind == "cell" || s.kind == "kitting" || s.kind == "ur" || s.kind == "components") {
    throw InputError(
        Diagnostic{kind->where, fmt::format("'experiment: {}' is written as actors now", s.kind),
                   "see the ready scenarios aprs-kitting and ur5-driver, and docs/cell.md"});
  }
  const ExperimentRegistry kinds = built_in_experiments();
  if (!kinds.has(s.kind)) {
    throw InputError(
        Diagnostic{source.where(kKind), kinds.unknown(s.kind), suggest(s.kind, kinds.names())});
  }
  s.model = kinds.make(s.kind);
}

/// At the top of a scenario's file; false for one that cannot be read.
bool has_key(const std::string& name_or_file, const char* key) {
  try {
    Diagnostics ignored;
    const std::string file = scenario::find_scenario_file(name_or_file);
    const ConfigNode root = scenario::parse_config(scenario::read_text_file(file), file, ignored);
    return root.find(key) != nullptr;
  } catch (const InputError&) {
    return false;
  }
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
  fields.field("plugins", s.plugins,
               "shared objects with more actors, programs of components, engines or links");
  if (s.kind != kCellKind) {
    fields.choice(kKind, s.kind, built_in_experiments().names(), "the kind of experiment");
  }
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
  return has_key(name_or_file, "actors") || has_experiment_kind(name_or_file);
}

bool has_experiment_kind(const std::string& name_or_file) {
  return has_key(name_or_file, kKind);
}

PreparedExperiment load_experiment_text(const std::string& text, const std::string& path,
                                        const LoadOptions& options,
                                        const scenario::Plugins& plugins) {
  PreparedExperiment prepared;
  prepared.name = fs::path(path).stem();
  prepared.plugins = plugins;
  ConfigSource source{scenario::read_tree(text, path, options, shorthand_of, prepared.plugins),
                      path};
  Diagnostics diagnostics;
  scenario::normalise_network(source.root, prepared.plugins.link_models, diagnostics);
  diagnostics.throw_if_errors();
  ExperimentScenario& s = prepared.scenario;
  choose_kind(s, source, prepared.plugins);

  ConfigReader reader(source.root, diagnostics);
  list_fields(reader, s, prepared.plugins);
  reader.finish();
  once(diagnostics).throw_if_errors();
  s.plugins = prepared.plugins.files;
  check_common(s, source);
  if (s.solver.empty()) {
    s.solver = s.model->usual_solver(s.engine);
  }

  judge(prepared, source, options.search);
  Hash identity;
  identity.add(std::string_view(to_yaml(s, prepared.plugins)));
  identity.add(std::string_view(prepared.files_hash));
  for (const std::string& file : prepared.plugins.files) {
    identity.add(std::string_view(scenario::read_text_file(file)));
  }
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
