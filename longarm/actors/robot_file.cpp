// SPDX-License-Identifier: Apache-2.0
// Finds the file, reads it, and keeps it for the run's folder.
#include "longarm/actors/robot_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/suggest.h"
#include "longarm/model/inertia_estimate.h"
#include "longarm/model/model_file.h"
#include "longarm/model/srdf.h"
#include "longarm/physics/engine.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

void list_fields(Fields& fields, RobotFileKeys& keys) {
  fields.field("model", keys.model, "name of a built-in model, or a URDF, SDF, MJCF or xacro file");
  fields.field("search_path", keys.search_path,
               "folders to search for package:// and model://, before those of the environment");
  fields.field("xacro_args", keys.xacro_args,
               "xacro arguments, each as name:=value; default: those of the file");
  fields.field("pose_m_deg", keys.pose_m_deg,
               "[x, y, z, roll, pitch, yaw] of its base in the world; default: the origin");
  fields.choice("inertia", keys.inertia, {"file", "estimate"},
                "source of masses and inertias: the file, or estimates from shapes for moving "
                "bodies where they are missing or unphysical",
                "file");
  fields.rare("ignore_contacts", keys.ignore_contacts, "[]",
              "pairs of links that never collide: [[a, b], [c, d]]");
  fields.rare("srdf", keys.srdf, "\"\"",
              "SRDF file whose `<disable_collisions>` are applied; default: the one named after "
              "the model beside it; none: no SRDF");
  const bool has_pairs = std::all_of(keys.ignore_contacts.begin(), keys.ignore_contacts.end(),
                                     [](const auto& pair) { return pair.size() == 2; });
  if (!has_pairs) {
    fields.reject("ignore_contacts", "a contact is a pair of links",
                  "for example: [[forearm, wrist_3], [base, upper_arm]]");
  }
  for (const std::string& argument : keys.xacro_args) {
    if (!model::parse_xacro_argument(argument)) {
      fields.reject("xacro_args", "'" + argument + "' is not name:=value",
                    "for example: [\"prefix:=left_\", \"with_gripper:=false\"]");
    }
  }
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const bool is_pose = keys.pose_m_deg.empty() ||
                       (keys.pose_m_deg.size() == 6 &&
                        std::all_of(keys.pose_m_deg.begin(), keys.pose_m_deg.end(), is_finite));
  if (!is_pose) {
    fields.reject("pose_m_deg", "a pose is six numbers: x, y, z in m, roll, pitch, yaw in degrees",
                  "for example: [0, 0.8, 0, 0, 0, 180]");
  }
}

namespace {

/// From the scenario, and from an SRDF.
void add_ignored_contacts(const RobotFileKeys& keys, const std::string& model_path,
                          InputFiles& files, model::Model& model, Diagnostics& diagnostics,
                          std::vector<cell::KeyRemark>& remarks) {
  const std::vector<std::string> links = names_of(model.links);
  for (const std::vector<std::string>& pair : keys.ignore_contacts) {
    for (const std::string& link : pair) {
      if (std::find(links.begin(), links.end(), link) == links.end()) {
        remarks.push_back(
            {"ignore_contacts", "the robot has no link '" + link + "'", suggest(link, links)});
        return;
      }
    }
    model.ignored_contacts.push_back({pair[0], pair[1], {}});
  }
  std::string path = keys.srdf.empty() ? model::srdf_beside(model_path) : "";
  if (!keys.srdf.empty() && keys.srdf != "none") {
    const Result<std::string> found = files.find(keys.srdf);
    if (!found) {
      remarks.push_back({"srdf", found.error().message, "use srdf: none if there is no such file"});
      return;
    }
    path = *found;
  }
  if (path.empty()) {
    return;
  }
  const Result<std::string> text = read_file(path);
  if (!text) {
    remarks.push_back({"srdf", text.error().message, "use srdf: none to ignore it"});
    return;
  }
  files.remember(path, path, *text);
  for (model::IgnoredContact& pair : model::read_srdf(*text, path, model, diagnostics)) {
    model.ignored_contacts.push_back(std::move(pair));
  }
}

/// What --allow lets pass needs numbers all the same, and gets estimates.
void estimate(const RobotFileKeys& keys, const cell::LoadContext& context, model::BodyTree& tree,
              std::vector<cell::KeyRemark>& remarks) {
  const auto is_allowed = [&](const std::string& name) {
    return std::find(context.allow.begin(), context.allow.end(), name) != context.allow.end();
  };
  const bool is_wanted = keys.inertia == "estimate";
  // plans are looked at with an engine that wants masses, whichever one runs
  const bool is_needed_anyway =
      context.engine != "kinematic" && (is_allowed("mass") || is_allowed("inertia-definite"));
  if (!is_wanted && !is_needed_anyway) {
    return;
  }
  // other findings an engine can live with
  std::vector<std::string> kinds;
  for (const std::string& name : model::estimable_findings()) {
    const bool is_needed = name == "mass" || name == "inertia-definite";
    if (is_wanted || (is_needed && is_allowed(name))) {
      kinds.push_back(name);
    }
  }
  const std::vector<model::InertiaEstimate> estimates = model::estimate_inertials(tree, kinds);
  if (!estimates.empty()) {
    remarks.push_back({is_wanted ? "inertia" : "model",
                       fmt::format("masses or inertias of {} bod{} are ESTIMATED from shapes: {}",
                                   estimates.size(), estimates.size() == 1 ? "y" : "ies",
                                   model::in_words(estimates)),
                       "efforts and everything that depends on them are rough; add real values to "
                       "the model's <inertial>",
                       Severity::kWarning});
  }
}

}  // namespace

model::ModelSearch robot_search(const RobotFileKeys& keys, const cell::LoadContext& context) {
  std::vector<std::string> folders;
  for (const std::string& folder : keys.search_path) {
    folders.push_back(std::filesystem::path(context.folder) / folder);
  }
  model::ModelSearch search = config::model_search(folders);
  for (const std::string& argument : keys.xacro_args) {
    if (const auto pair = model::parse_xacro_argument(argument)) {
      search.xacro_arguments.insert(*pair);
    }
  }
  return search;
}

model::Placement read_robot(RobotFileKeys& keys, const std::string& name, InputFiles& files,
                            const cell::LoadContext& context, std::vector<cell::KeyRemark>& remarks,
                            const std::function<void(model::Model&)>& change) {
  model::Placement placement;
  placement.name = name;
  const Result<std::string> beside = files.find(keys.model);
  const std::string path = beside ? *beside : config::find_model_file(keys.model, keys.model);
  if (path.empty()) {
    remarks.push_back({"model", "there is no model '" + keys.model + "'",
                       "it is neither a file beside the scenario nor a built-in model; " +
                           suggest(keys.model, config::ready_models())});
    return placement;
  }
  Diagnostics diagnostics;
  const std::size_t files_before = files.all().size();
  model::Model model =
      model::read_model_file(path, robot_search(keys, context), files, diagnostics);
  diagnostics.throw_if_errors();
  add_ignored_contacts(keys, path, files, model, diagnostics, remarks);
  diagnostics.throw_if_errors();
  if (change) {
    change(model);
  }
  placement.tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  // in spite of which it can be used, such as visuals that are left out
  for (const Diagnostic& each : diagnostics.all()) {
    remarks.push_back({"model", each.message, each.hint, each.severity, each.where});
  }
  estimate(keys, context, placement.tree, remarks);
  if (!keys.pose_m_deg.empty()) {
    placement.X_WR = tasks::pose_of(keys.pose_m_deg);
  }
  if (beside) {
    // visuals are not read, but the viewer looks for them beside the file
    const auto is_mesh = [](const model::Geometry& visual) {
      return std::holds_alternative<model::Mesh>(visual.shape);
    };
    const bool names_visuals = std::any_of(
        placement.tree.bodies.begin(), placement.tree.bodies.end(), [&](const auto& body) {
          return std::any_of(body.visuals.begin(), body.visuals.end(), is_mesh);
        });
    context.kept.keep(keys.model, path,
                      files.all().size() - files_before + (names_visuals ? 1 : 0));
  }
  return placement;
}

void ignore_start_overlaps(model::Placement& placement, const cell::LoadContext& context,
                           std::vector<cell::KeyRemark>& remarks) {
  model::Cell alone;
  alone.placements = {placement};
  const std::unique_ptr<physics::Engine> engine =
      context.engines.make("mujoco", alone, physics::EngineOptions{context.options.period, ""});
  std::vector<std::string> words;
  for (const auto& [a, b] : engine->collisions_at(placement.initial_positions)) {
    const auto first = static_cast<int>(std::min(a, b));
    const auto second = static_cast<int>(std::max(a, b));
    placement.tree.ignored_contacts.emplace_back(first, second);
    const std::vector<model::Body>& bodies = placement.tree.bodies;
    words.push_back(fmt::format("'{}' and '{}'", bodies[static_cast<std::size_t>(first)].name,
                                bodies[static_cast<std::size_t>(second)].name));
  }
  if (words.empty()) {
    return;
  }
  std::vector<std::pair<int, int>>& pairs = placement.tree.ignored_contacts;
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  remarks.push_back(
      {"ignore_start_overlaps",
       fmt::format("{} pair{} of bodies overlap at the start; their collisions are ignored: {}",
                   words.size(), words.size() == 1 ? "" : "s", join(words)),
       "change the start position, or correct the collision shapes", Severity::kWarning});
}

}  // namespace longarm::actors
