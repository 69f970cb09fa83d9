// SPDX-License-Identifier: Apache-2.0
// Finds the file, reads it, and keeps it for the run's folder.
#include "longarm/actors/robot_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/suggest.h"
#include "longarm/model/model_file.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

void list_fields(Fields& fields, RobotFileKeys& keys) {
  fields.field("model", keys.model, "a ready model's name, or a URDF or SDF file");
  fields.field("search_path", keys.search_path,
               "folders to look in for package:// and model://, before those of the environment");
  fields.field("pose_m_deg", keys.pose_m_deg,
               "[x, y, z, roll, pitch, yaw] of its base in the world; default: the origin");
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const bool is_pose = keys.pose_m_deg.empty() ||
                       (keys.pose_m_deg.size() == 6 &&
                        std::all_of(keys.pose_m_deg.begin(), keys.pose_m_deg.end(), is_finite));
  if (!is_pose) {
    fields.reject("pose_m_deg", "a pose is six numbers: x, y, z in m, roll, pitch, yaw in degrees",
                  "for example: [0, 0.8, 0, 0, 0, 180]");
  }
}

model::Placement read_robot(RobotFileKeys& keys, const std::string& name, InputFiles& files,
                            const cell::LoadContext& context,
                            std::vector<cell::KeyRemark>& remarks) {
  model::Placement placement;
  placement.name = name;
  const Result<std::string> beside = files.find(keys.model);
  const std::string path = beside ? *beside : config::find_model_file(keys.model, keys.model);
  if (path.empty()) {
    remarks.push_back({"model", "there is no model '" + keys.model + "'",
                       "it is neither a file beside the scenario nor a ready model; " +
                           suggest(keys.model, config::ready_models())});
    return placement;
  }
  Diagnostics diagnostics;
  const std::size_t files_before = files.all().size();
  std::vector<std::string> folders;
  for (const std::string& folder : keys.search_path) {
    folders.push_back(std::filesystem::path(context.folder) / folder);
  }
  const model::Model model =
      model::read_model_file(path, config::model_search(folders), files, diagnostics);
  diagnostics.throw_if_errors();
  placement.tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  // in spite of which it can be used, such as visuals that are left out
  for (const Diagnostic& each : diagnostics.all()) {
    remarks.push_back({"model", each.message, each.hint, each.severity, each.where});
  }
  if (!keys.pose_m_deg.empty()) {
    placement.X_WR = tasks::pose_of(keys.pose_m_deg);
  }
  if (beside) {
    context.kept.keep(keys.model, path, files.all().size() - files_before);
  }
  return placement;
}

}  // namespace longarm::actors
