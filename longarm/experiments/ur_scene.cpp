// SPDX-License-Identifier: Apache-2.0
// Puts the arms first, then what stands around them, and says which key is to blame.
#include "longarm/experiments/ur_scene.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/lint.h"
#include "longarm/model/model_file.h"
#include "longarm/model/world.h"
#include "longarm/robots/ur_robot.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/ready.h"

namespace longarm::experiments {
namespace {

using Remarks = std::vector<KeyRemark>;

// arms whose bases are nearer than this stand in each other
constexpr double kNearest_m = 0.1;

void attempt(const std::string& key, Remarks& remarks, const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    blame(key, error.diagnostics(), remarks);
  }
}

void lint_tree(const std::string& key, const model::Placement& placement,
               const ExperimentContext& context, Remarks& remarks) {
  for (const model::LintFinding& finding : model::lint(placement.tree, placement.is_fixed)) {
    const bool is_about_mass = finding.name == "mass" || finding.name.starts_with("inertia");
    if (context.engine != "kinematic" || !is_about_mass) {
      blame(key, {finding.diagnostic}, remarks);
    }
  }
}

/// Whether a copy among a run's inputs is found by this name.
bool can_be_kept(const std::filesystem::path& name) {
  return name.is_relative() && std::find(name.begin(), name.end(), "..") == name.end();
}

/// So that the run's scenario.yaml finds it again: a copy, or where it is if it names further files
/// (meshes, includes). `files_read` were new when it was read.
void keep(std::string& name, const std::string& path, std::size_t files_read, UrScene& scene) {
  const bool is_kept = std::any_of(scene.inputs.begin(), scene.inputs.end(),
                                   [&](const InputFile& file) { return file.path == path; });
  if (can_be_kept(name) && (files_read == 1 || is_kept)) {
    scene.inputs.push_back({name, path});
    return;
  }
  name = std::filesystem::absolute(path).lexically_normal();
}

/// The programs of a controller are files that results depend on.
void find_programs(robots::UrConfig& config, UrScene& scene, InputFiles& files,
                   const ExperimentContext& context) {
  if (config.programs.empty()) {
    return;
  }
  namespace fs = std::filesystem;
  std::error_code error;
  for (const std::string& folder : context.search) {
    if (fs::is_directory(fs::path(folder) / config.programs, error)) {
      config.programs_at = fs::path(folder) / config.programs;
      break;
    }
  }
  std::vector<fs::path> scripts;
  for (const auto& entry : fs::directory_iterator(robots::programs_folder(config), error)) {
    if (entry.path().extension() == ".script") {
      scripts.push_back(entry.path());
    }
  }
  std::sort(scripts.begin(), scripts.end());
  const bool is_kept = can_be_kept(config.programs) && !scripts.empty();
  for (const fs::path& script : scripts) {
    const Result<std::string> text = read_file(script);
    if (!text) {
      continue;  // told when the controller is made
    }
    const InputFile file{fs::path(config.programs) / script.filename(), script};
    files.remember(file.name, file.path, *text);
    if (is_kept) {
      scene.inputs.push_back(file);
    }
  }
  if (!is_kept && !config.programs_at.empty()) {
    config.programs = fs::absolute(config.programs_at).lexically_normal();
  }
}

void place_arm(UrArmSection& arm, UrScene& scene, InputFiles& files,
               const ExperimentContext& context, Remarks& remarks) {
  const std::string key = fmt::format("robots.{}.model", arm.name);
  const Result<std::string> beside = files.find(arm.model);
  const std::string path = beside ? *beside : scenario::find_model_file(arm.model, arm.model);
  if (path.empty()) {
    remarks.push_back({key, "there is no model '" + arm.model + "'",
                       suggest(arm.model, scenario::ready_models())});
    return;
  }
  Diagnostics diagnostics;
  const std::size_t files_before = files.all().size();
  const model::Model model =
      model::read_model_file(path, scenario::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  model::Placement placement;
  placement.name = arm.name;
  placement.tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  if (!arm.pose_m_deg.empty()) {
    placement.X_WR = tasks::pose_of(arm.pose_m_deg);
  }
  if (arm.controller.home_rad.size() == placement.tree.joints.size()) {
    placement.initial_positions = arm.controller.home_rad;
  }
  lint_tree(key, placement, context, remarks);
  if (beside) {
    keep(arm.model, path, files.all().size() - files_before, scene);
  }
  for (const model::Placement& other : scene.cell.placements) {
    if ((other.X_WR.translation() - placement.X_WR.translation()).norm() < kNearest_m) {
      remarks.push_back({fmt::format("robots.{}.pose_m_deg", arm.name),
                         fmt::format("it stands where '{}' stands", other.name),
                         "for example: [0, 1, 0, 0, 0, 0]"});
    }
  }
  scene.cell.placements.push_back(std::move(placement));
}

void place_world(UrRunConfig& config, UrScene& scene, InputFiles& files,
                 const ExperimentContext& context, Remarks& remarks) {
  if (config.world.empty()) {
    return;
  }
  const Result<std::string> beside = files.find(config.world);
  const std::string path = beside ? *beside : scenario::find_model_file(config.world, config.world);
  if (path.empty()) {
    remarks.push_back({"world", "there is no world '" + config.world + "'",
                       "it is neither a file beside the scenario nor a ready world"});
    return;
  }
  Diagnostics diagnostics;
  const std::size_t files_before = files.all().size();
  const model::World world =
      model::read_world_file(path, scenario::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  for (model::Placement& placement : model::make_placements(world, diagnostics)) {
    if (!placement.tree.is_static) {
      lint_tree("world", placement, context, remarks);
    }
    scene.cell.placements.push_back(std::move(placement));
  }
  diagnostics.throw_if_errors();
  blame("world", diagnostics.all(), remarks);
  scene.cell.gravity_m_s2 = world.gravity_m_s2;
  if (beside) {
    keep(config.world, path, files.all().size() - files_before, scene);
  }
}

/// One by one, so that the key that is to blame is known.
void try_robots(const UrRunConfig& config, const UrScene& scene, const ExperimentContext& context,
                Remarks& remarks) {
  for (const UrArmSection& arm : config.robots) {
    const Remarks wrong = robots::judge_ur(arm.controller, scene.cell, context.options.period,
                                           fmt::format("robots.{}.", arm.name));
    remarks.insert(remarks.end(), wrong.begin(), wrong.end());
  }
  if (has_errors(remarks)) {
    return;
  }
  std::unique_ptr<physics::Engine> engine;
  attempt("world", remarks,
          [&] { engine = context.engines.make(context.engine, scene.cell, context.options); });
  if (!engine) {
    return;
  }
  for (const UrArmSection& arm : config.robots) {
    attempt("robots." + arm.name, remarks,
            [&] { robots::UrRobot(*engine, scene.cell, arm.controller, context.options.period); });
  }
}

/// As the loops of arms have it: one value per joint, or one for all.
void judge_gains(const UrRunConfig& config, std::size_t joints, Remarks& remarks) {
  const control::GainsConfig& gains = config.driver.gains;
  for (const auto& [name, values] :
       {std::pair("p", &gains.p), std::pair("i", &gains.i), std::pair("d", &gains.d),
        std::pair("i_clamp", &gains.i_clamp)}) {
    if (values->size() > 1 && values->size() != joints) {
      remarks.push_back({fmt::format("driver.gains.{}", name),
                         fmt::format("{} gains for {} joints", values->size(), joints),
                         "give one for each joint, or one for all"});
    }
  }
}

void plan(const UrRunConfig& config, UrScene& scene, const ExperimentContext& context,
          Remarks& remarks) {
  const auto placement = static_cast<int>(config.driven());
  const UrArmSection& arm = config.driven_arm();
  const model::BodyTree& tree = scene.cell.placements[config.driven()].tree;
  judge_gains(config, tree.joints.size(), remarks);
  scene.end_effector = tree.find_frame(arm.controller.flange).value_or(0);
  const bool fits =
      std::all_of(config.task.joints_rad.begin(), config.task.joints_rad.end(),
                  [&](const std::vector<double>& q) { return q.size() == tree.joints.size(); });
  if (!fits) {
    remarks.push_back(
        {"task.joints_rad", fmt::format("a configuration has {} numbers", tree.joints.size()), ""});
  }
  for (const auto& [key, values] :
       {std::pair("task.velocity_limit_rad_s", &config.task.velocity_limit_rad_s),
        std::pair("task.acceleration_limit_rad_s2", &config.task.acceleration_limit_rad_s2)}) {
    if (values->size() > 1 && values->size() != tree.joints.size()) {
      remarks.push_back({key,
                         fmt::format("{} limits for {} joints", values->size(), tree.joints.size()),
                         "give one for each joint, or one for all"});
    }
  }
  if (has_errors(remarks)) {
    return;
  }
  const Result<tasks::Plan> made = tasks::plan_task(
      config.task, {scene.cell, placement, scene.end_effector, arm.controller.home_rad,
                    context.engines, static_cast<std::uint64_t>(context.seed)});
  if (!made) {
    remarks.push_back({"task", made.error().message, "change the task, or the robot's home_rad"});
    return;
  }
  scene.plan = *made;
}

}  // namespace

void keep_all(const std::vector<InputFile>& files, UrScene& scene) {
  std::copy_if(files.begin(), files.end(), std::back_inserter(scene.inputs),
               [](const InputFile& file) { return can_be_kept(file.name); });
}

Remarks load_ur_scene(UrRunConfig& config, UrScene& scene, InputFiles& files,
                      const ExperimentContext& context) {
  Remarks remarks;
  for (UrArmSection& arm : config.robots) {
    attempt(fmt::format("robots.{}.model", arm.name), remarks,
            [&] { place_arm(arm, scene, files, context, remarks); });
    find_programs(arm.controller, scene, files, context);
  }
  attempt("world", remarks, [&] { place_world(config, scene, files, context, remarks); });
  if (!has_errors(remarks)) {
    try_robots(config, scene, context, remarks);
  }
  if (!has_errors(remarks) && config.driver.is_on()) {
    plan(config, scene, context, remarks);
  }
  return remarks;
}

}  // namespace longarm::experiments
