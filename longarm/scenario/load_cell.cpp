// SPDX-License-Identifier: Apache-2.0
// Puts the robot first, then what stands around it.
#include "longarm/scenario/load_cell.h"

#include <algorithm>
#include <filesystem>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/model_file.h"
#include "longarm/model/world.h"
#include "longarm/physics/mesh_warnings.h"
#include "longarm/physics/surface_warnings.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;

/// Whether a finding is of no consequence because the engine does not know masses.
bool is_about_nothing(const model::LintFinding& finding, const Scenario& s) {
  return s.engine == "kinematic" && (finding.name == "mass" || finding.name.starts_with("inertia"));
}

/// Nothing that computes accelerations goes on with such a body, whatever --allow says, and not
/// every engine survives it to tell.
void check_inertias(const PreparedScenario& prepared) {
  const std::string& engine = prepared.scenario.engine;
  Diagnostics diagnostics;
  for (const model::Placement& placement : prepared.cell.placements) {
    const std::vector<model::Body>& bodies = placement.tree.bodies;
    const bool is_still = placement.tree.is_static || engine == "kinematic";
    for (std::size_t i = placement.is_fixed ? 1 : 0; i < bodies.size() && !is_still; ++i) {
      const model::Inertial& inertial = bodies[i].inertial;
      const bool is_definite = inertial.inertia_kg_m2.allFinite() &&
                               inertial.inertia_kg_m2.llt().info() == Eigen::Success;
      if (inertial.mass_kg > 0.0 && !is_definite) {
        diagnostics.error(bodies[i].where,
                          fmt::format("engine '{}' cannot move body '{}': its inertia is not "
                                      "positive definite",
                                      engine, bodies[i].name),
                          "correct the model; only engine kinematic goes on without inertias");
      }
    }
  }
  diagnostics.throw_if_errors();
}

void keep_warnings(const Diagnostics& diagnostics, PreparedScenario& prepared) {
  prepared.warnings.insert(prepared.warnings.end(), diagnostics.all().begin(),
                           diagnostics.all().end());
}

/// Runs keep a copy of a user's file among their inputs; one that names further files (meshes,
/// includes) stays where it is.
std::string keep(const std::string& file, bool names_others, PreparedScenario& prepared) {
  if (names_others) {
    return fs::absolute(file).lexically_normal();
  }
  std::string name = kInputsFolder + ("/" + fs::path(file).filename().string());
  const bool is_taken = std::any_of(prepared.copies.begin(), prepared.copies.end(),
                                    [&](const FileCopy& copy) { return copy.name == name; });
  if (is_taken) {
    name = kInputsFolder + ("/world-" + fs::path(file).filename().string());
  }
  prepared.copies.push_back({file, name});
  return name;
}

model::ModelSearch search_of(const Scenario& s, const ConfigSource& source) {
  std::vector<std::string> folders;
  for (const std::string& folder : s.robot.search_path) {
    folders.push_back(fs::path(source.path).parent_path() / folder);
  }
  return model_search(folders);
}

/// What the file says in spite of which it can be used, such as visuals that are left out, becomes
/// a warning.
model::BodyTree read_robot(const std::string& file, const ConfigSource& source,
                           PreparedScenario& prepared, InputFiles& files) {
  const Scenario& s = prepared.scenario;
  if (file.empty()) {
    throw InputError(Diagnostic{source.where("robot.model"),
                                "there is no model '" + s.robot.model + "'",
                                "it is neither a file beside the scenario nor a ready model; " +
                                    suggest(s.robot.model, ready_models())});
  }
  Diagnostics diagnostics;
  const model::Model model = model::read_model_file(file, search_of(s, source), files, diagnostics);
  diagnostics.throw_if_errors();
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  keep_warnings(diagnostics, prepared);
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

void place_robot(PreparedScenario& prepared, const ConfigSource& source, const LoadOptions& options,
                 InputFiles& files) {
  Scenario& s = prepared.scenario;
  model::Placement robot;
  robot.name = "robot";
  if (!s.robot.pose_m_deg.empty()) {
    robot.X_WR = tasks::pose_of(s.robot.pose_m_deg);
  }
  const std::string file = find_model_file(s.robot.model, source.path);
  robot.tree = read_robot(file, source, prepared, files);
  if (fs::path(file) == fs::path(source.path).parent_path() / s.robot.model) {
    s.robot.model = keep(file, files.all().size() > 1, prepared);
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
}

void place_world(PreparedScenario& prepared, const ConfigSource& source, const LoadOptions& options,
                 InputFiles& files) {
  Scenario& s = prepared.scenario;
  if (s.world.empty()) {
    return;
  }
  const Result<std::string> beside = files_of(source.path).find(s.world);
  const std::string file = beside ? *beside : find_model_file(s.world, "");
  if (file.empty()) {
    throw InputError(Diagnostic{source.where("world"), beside.error().message,
                                "world names an SDF file beside the scenario, or a ready world"});
  }
  Diagnostics diagnostics;
  const std::size_t files_before = files.all().size();
  const model::World world = model::read_world_file(file, search_of(s, source), files, diagnostics);
  diagnostics.throw_if_errors();
  std::vector<model::Placement> placements = model::make_placements(world, diagnostics);
  diagnostics.throw_if_errors();
  keep_warnings(diagnostics, prepared);
  for (model::Placement& placement : placements) {
    if (!placement.tree.is_static) {
      judge(model::lint(placement.tree), options, prepared);
    }
    prepared.cell.placements.push_back(std::move(placement));
  }
  prepared.cell.gravity_m_s2 = world.gravity_m_s2;
  if (beside) {  // a ready one keeps its name
    s.world = keep(file, files.all().size() > files_before + 1, prepared);
  }
}

}  // namespace

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

void load_cell(PreparedScenario& prepared, const ConfigSource& source, const LoadOptions& options,
               InputFiles& files) {
  place_robot(prepared, source, options, files);
  place_world(prepared, source, options, files);
  check_inertias(prepared);
}

void check_on_engine(PreparedScenario& prepared, const ConfigSource& source) {
  const Scenario& s = prepared.scenario;
  try {
    const auto engine =
        prepared.plugins.engines.make(s.engine, prepared.cell, {s.physics_period, s.solver});
    for (const Diagnostic& warning :
         physics::mesh_warnings(prepared.cell, engine->capabilities())) {
      prepared.warnings.push_back(warning);
    }
    for (const Diagnostic& warning :
         physics::surface_warnings(prepared.cell, engine->capabilities())) {
      prepared.warnings.push_back(warning);
    }
    if (!s.world.empty() && !engine->capabilities().has_contacts) {
      prepared.warnings.push_back({source.where("world"),
                                   "engine '" + s.engine +
                                       "' has no contacts: the arm passes "
                                       "through the world",
                                   "use engine mujoco or ode", Severity::kWarning});
    }
  } catch (const InputError& refusal) {
    std::vector<Diagnostic> placed = refusal.diagnostics();
    for (Diagnostic& each : placed) {
      each.where = each.where.path.empty() ? source.where("engine.solver") : each.where;
    }
    throw InputError(std::move(placed));
  }
}

}  // namespace longarm::scenario
