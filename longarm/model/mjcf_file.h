// SPDX-License-Identifier: Apache-2.0
// Reads robots in MJCF through MuJoCo's own reader. Internal to the folder.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model.h"
#include "longarm/model/model_resources.h"

namespace longarm::model {

/// The file at `path`, whose text is used for places and for the names of further files. Bodies
/// with at most one hinge or slide joint, inertials, shapes and meshes, excluded pairs, joints that
/// follow another, armature and the limits of motors become ours. What our models do not have is
/// left out with a warning (free joints, which stand still; springs, tendons, sites, ellipsoids),
/// or is an error (balls, several joints on a body). Empty after errors.
Model read_mjcf(const std::string& text, const std::string& path, ModelResources& resources,
                Diagnostics& diagnostics);

}  // namespace longarm::model
