// SPDX-License-Identifier: Apache-2.0
// The steps from a name to a scenario that can run; each collects all its errors before the next
// begins.
#include "longarm/scenario/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "longarm/core/hash.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/motion/dynamics.h"
#include "longarm/scenario/config_reader.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/text_file.h"
#include "longarm/scenario/validate.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;

bool is_same_place(const SourceLocation& a, const SourceLocation& b) {
  return a.path == b.path && a.line == b.line && a.column == b.column;
}

/// Names of the folders in models/ that hold a model of their name.
std::vector<std::string> ready_models() {
  std::vector<std::string> names;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / "models")) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "models")) {
      const std::string name = entry.path().filename();
      if (!find_model_file(name, "").empty()) {
        names.push_back(name);
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

ConfigNode read_config(const std::string& text, const std::string& path, const LoadOptions& options,
                       const Plugins& plugins) {
  Diagnostics diagnostics;
  ConfigNode root = parse_config(text, path, diagnostics);
  std::vector<Override> overrides;
  for (const std::string& each : options.overrides) {
    overrides.push_back(parse_override(each, diagnostics));
  }
  diagnostics.throw_if_errors();
  for (const Override& change : overrides) {
    make_way_for(root, change, plugins.link_models);
    apply_override(root, change, shorthand_of);
  }
  return root;
}

Scenario read_scenario(ConfigNode& root, const Plugins& plugins) {
  Diagnostics diagnostics;
  Scenario scenario;
  normalise_link(root, plugins.link_models, diagnostics);
  ConfigReader reader(root, diagnostics);
  list_fields(reader, scenario, plugins);
  reader.finish();

  // a key under `link` is read for each direction, but a mistake in it is one mistake
  Diagnostics once;
  for (const Diagnostic& each : diagnostics.all()) {
    const bool is_known =
        std::any_of(once.all().begin(), once.all().end(),
                    [&](const Diagnostic& d) { return is_same_place(d.where, each.where); });
    if (!is_known) {
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
    s.link.silence_after = s.control_period;
  }
  if (s.servo.model.empty()) {
    s.servo.model = control::default_servo_model(control::cut_of(s.cut));
  }
}

/// What the file says in spite of which it can be used, such as meshes that are left out, goes to
/// `warnings`.
model::BodyTree read_tree(const std::string& file, const Scenario& s, const ConfigSource& source,
                          std::vector<Diagnostic>& warnings) {
  Diagnostics diagnostics;
  if (file.empty()) {
    diagnostics.error(source.where("robot.model"), "there is no model '" + s.robot.model + "'",
                      "it is neither a file beside the scenario nor a ready model; " +
                          suggest(s.robot.model, ready_models()));
  }
  diagnostics.throw_if_errors();
  const model::Model model = model::read_model_file(file, diagnostics);
  diagnostics.throw_if_errors();
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  warnings.insert(warnings.end(), diagnostics.all().begin(), diagnostics.all().end());
  return tree;
}

void set_rotor_inertias(const Scenario& s, model::BodyTree& tree) {
  if (s.servo.rotor_inertia_kg_m2.empty()) {
    return;
  }
  const std::vector<double> rotors =
      control::per_joint(s.servo.rotor_inertia_kg_m2, static_cast<int>(tree.joints.size()));
  for (std::size_t i = 0; i < rotors.size(); ++i) {
    tree.joints[i].dynamics.rotor_inertia_kg_m2 = rotors[i];
  }
}

/// Whether a finding is of no consequence because the engine does not know masses.
bool is_about_nothing(const model::LintFinding& finding, const Scenario& s) {
  return s.engine == "kinematic" && (finding.name == "mass" || finding.name.starts_with("inertia"));
}

/// Errors of findings that are not allowed are thrown; everything else becomes a warning.
void judge(const std::vector<model::LintFinding>& findings, const LoadOptions& options,
           PreparedScenario& prepared) {
  std::vector<Diagnostic> errors;
  for (const model::LintFinding& finding : findings) {
    Diagnostic diagnostic = finding.diagnostic;
    const bool is_allowed =
        std::find(options.allow.begin(), options.allow.end(), finding.name) != options.allow.end();
    if (diagnostic.severity == Severity::kError && !is_allowed &&
        !is_about_nothing(finding, prepared.scenario)) {
      diagnostic.hint += (diagnostic.hint.empty() ? "" : "; ") +
                         ("--allow " + finding.name + " goes on where the engine can");
      errors.push_back(diagnostic);
      continue;
    }
    diagnostic.severity = Severity::kWarning;
    prepared.warnings.push_back(diagnostic);
  }
  if (!errors.empty()) {
    throw LintError(std::move(errors), prepared.warnings);
  }
}

/// Nothing that computes accelerations goes on with such a body, whatever --allow says, and not
/// every engine survives it to tell.
void check_inertias(const PreparedScenario& prepared) {
  const std::string& engine = prepared.scenario.engine;
  const std::vector<model::Body>& bodies = prepared.cell.placements.front().tree.bodies;
  Diagnostics diagnostics;
  for (std::size_t i = 1; i < bodies.size() && engine != "kinematic"; ++i) {
    const model::Inertial& inertial = bodies[i].inertial;
    const bool is_definite =
        inertial.inertia_kg_m2.allFinite() && inertial.inertia_kg_m2.llt().info() == Eigen::Success;
    if (inertial.mass_kg > 0.0 && !is_definite) {
      diagnostics.error(bodies[i].where,
                        fmt::format("engine '{}' cannot move body '{}': its inertia is not "
                                    "positive definite",
                                    engine, bodies[i].name),
                        "correct the model; only engine kinematic goes on without inertias");
    }
  }
  diagnostics.throw_if_errors();
}

/// Lets the engine say what it thinks of the model and its options, before anything is written.
void check_engine(const PreparedScenario& prepared, const ConfigSource& source,
                  const Plugins& plugins) {
  const Scenario& s = prepared.scenario;
  try {
    plugins.engines.make(s.engine, prepared.cell, {s.physics_period, s.solver});
  } catch (const InputError& refusal) {
    std::vector<Diagnostic> placed = refusal.diagnostics();
    for (Diagnostic& each : placed) {
      each.where = each.where.path.empty() ? source.where("engine.solver") : each.where;
    }
    throw InputError(std::move(placed));
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

/// Reads the robot's model and puts it into the cell. Gives the model file's text.
std::string place_robot(PreparedScenario& prepared, const ConfigSource& source,
                        const LoadOptions& options) {
  Scenario& s = prepared.scenario;
  model::Placement robot;
  robot.name = "robot";
  const std::string file = find_model_file(s.robot.model, source.path);
  robot.tree = read_tree(file, s, source, prepared.warnings);
  if (fs::path(file) == fs::path(source.path).parent_path() / s.robot.model) {
    // runs keep a copy beside their scenario, where its name alone finds it
    prepared.model_file = file;
    s.robot.model = fs::path(file).filename();
  }
  // lint comes first: it knows better why a model's numbers make no sense
  judge(model::lint(robot.tree), options, prepared);
  validate_against_model(s, source, robot.tree);
  set_rotor_inertias(s, robot.tree);
  s.robot.home_rad =
      control::per_joint(s.robot.home_rad, static_cast<int>(robot.tree.joints.size()));
  robot.initial_positions = s.robot.home_rad;
  prepared.end_effector_frame = *robot.tree.find_frame(s.robot.end_effector);
  prepared.cell.placements.push_back(std::move(robot));
  return read_text_file(file);
}

void make_plan(PreparedScenario& prepared, const ConfigSource& source) {
  const Scenario& s = prepared.scenario;
  Result<tasks::Plan> plan = tasks::plan_waypoints(s.task, prepared.cell.placements.front().tree,
                                                   prepared.end_effector_frame, s.robot.home_rad);
  if (!plan) {
    throw InputError(Diagnostic{source.where("task"),
                                "the task cannot be planned: " + plan.error().message,
                                "move the waypoints, or change task.path"});
  }
  prepared.plan = std::move(plan).value();
}

void identify(PreparedScenario& prepared, const std::string& model_text, const Plugins& plugins) {
  Hash model_hash;
  model_hash.add(std::string_view(model_text));
  prepared.model_hash = model_hash.text();
  Hash identity;
  identity.add(std::string_view(to_yaml(prepared.scenario, plugins)));
  identity.add(std::string_view(model_text));
  identity.add(static_cast<std::uint64_t>(kResultFormat));
  prepared.identity = identity.text();
}

}  // namespace

PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins) {
  check_allowed_names(options);
  PreparedScenario prepared;
  prepared.name = fs::path(path).stem();

  // the scenario by itself; reading rearranges the tree, but places in messages are those of the
  // file
  const ConfigSource source{read_config(text, path, options, plugins), path};
  ConfigNode root = source.root;
  prepared.scenario = read_scenario(root, plugins);
  resolve(prepared.scenario);
  validate_values(prepared.scenario, source);
  prepared.warnings = warnings_about_values(prepared.scenario, source);

  // with its model, its plan, and its engine
  const std::string model_text = place_robot(prepared, source, options);
  make_plan(prepared, source);
  judge(lint_servo_of(prepared.scenario, prepared.cell.placements.front().tree, prepared.plan),
        options, prepared);
  check_inertias(prepared);
  check_engine(prepared, source, plugins);
  identify(prepared, model_text, plugins);
  return prepared;
}

PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins) {
  if (fs::is_regular_file(name_or_file)) {
    return load_scenario_text(read_text_file(name_or_file), name_or_file, options, plugins);
  }
  for (const fs::path& folder : data_folders()) {
    const fs::path file = folder / "scenarios" / (name_or_file + ".yaml");
    if (fs::is_regular_file(file)) {
      return load_scenario_text(read_text_file(file), file.string(), options, plugins);
    }
  }
  std::vector<std::string> names;
  for (const ReadyScenario& ready : ready_scenarios()) {
    names.push_back(ready.name);
  }
  throw InputError(
      Diagnostic{{},
                 "there is no scenario '" + name_or_file + "'",
                 "it is neither a file nor a ready scenario; " + suggest(name_or_file, names)});
}

std::vector<ReadyScenario> ready_scenarios() {
  std::vector<ReadyScenario> all;
  for (const fs::path& folder : data_folders()) {
    if (!fs::is_directory(folder / "scenarios")) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "scenarios")) {
      const std::string name = entry.path().stem();
      const bool is_known = std::any_of(all.begin(), all.end(),
                                        [&](const ReadyScenario& r) { return r.name == name; });
      if (entry.path().extension() != ".yaml" || is_known) {
        continue;
      }
      Diagnostics ignored;
      const ConfigNode root = parse_config(read_text_file(entry.path()), entry.path(), ignored);
      const ConfigNode* title = root.find("title");
      all.push_back({name, title == nullptr ? "" : title->text});
    }
  }
  std::sort(all.begin(), all.end(),
            [](const ReadyScenario& a, const ReadyScenario& b) { return a.name < b.name; });
  return all;
}

std::string find_model_file(const std::string& name, const std::string& beside) {
  std::vector<fs::path> candidates{fs::path(beside).parent_path() / name};
  for (const fs::path& folder : data_folders()) {
    candidates.push_back(folder / "models" / name / (name + ".urdf"));
    candidates.push_back(folder / "models" / name / (name + ".sdf"));
  }
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate)) {
      return candidate;
    }
  }
  return {};
}

}  // namespace longarm::scenario
