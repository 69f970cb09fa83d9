// SPDX-License-Identifier: Apache-2.0
// What MoveIt's semantic description says of a robot that physics needs: which links never collide.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model.h"

namespace longarm::model {

/// The pairs of `<disable_collisions link1 link2/>`. Pairs that name a link which is not among
/// those of `model` are left out with one warning: such files are often about the robot and more.
std::vector<IgnoredContact> read_srdf(const std::string& text, const std::string& path,
                                      const Model& model, Diagnostics& diagnostics);

/// robot.srdf beside robot.urdf; empty if there is none.
std::string srdf_beside(const std::string& model_path);

}  // namespace longarm::model
