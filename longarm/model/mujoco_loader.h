// SPDX-License-Identifier: Apache-2.0
// MuJoCo's XML reader, which a process has one of.
#pragma once

#include <memory>
#include <string>

#include <mujoco/mujoco.h>

namespace longarm::model {

struct MujocoModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
using MujocoModelPtr = std::unique_ptr<mjModel, MujocoModelDeleter>;

/// Compiles MJCF from memory. Null after errors, with MuJoCo's own words in `error`. Threads take
/// turns; warnings are not printed, and MuJoCo cannot end the process without a word from us.
MujocoModelPtr load_mujoco_text(const std::string& mjcf, std::string& error);

}  // namespace longarm::model
