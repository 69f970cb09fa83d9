// SPDX-License-Identifier: Apache-2.0
// UR arms and what stands around them, read from their files and judged; and the driver's plan.
// Internal to the folder.
#pragma once

#include <vector>

#include "longarm/experiments/experiment.h"
#include "longarm/experiments/ur_config.h"

namespace longarm::experiments {

/// What is known of a run without an engine. Arms come first, in the order of their keys.
struct UrScene {
  model::Cell cell;
  tasks::Plan plan;                 ///< of the driver, from its start on; nothing without one
  int end_effector = 0;             ///< frame of the driven arm's tree: its flange
  std::vector<InputFile> inputs{};  ///< that runs keep copies of
};

/// Files that keys name by themselves, such as traces of links.
void keep_all(const std::vector<InputFile>& files, UrScene& scene);

/// Tries everything once; the scene is good if no remark is an error. Keys whose file cannot be
/// kept with a run by itself get its whole path.
std::vector<KeyRemark> load_ur_scene(UrRunConfig& config, UrScene& scene, InputFiles& files,
                                     const ExperimentContext& context);

}  // namespace longarm::experiments
