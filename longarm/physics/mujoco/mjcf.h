// SPDX-License-Identifier: Apache-2.0
// Writes a cell as MJCF, MuJoCo's own model format.
#pragma once

#include <string>

#include "longarm/physics/flat_cell.h"

namespace longarm::physics {

struct MjcfOptions {
  double period_s = 0.001;
  std::string solver = "newton";
  std::string integrator = "euler";
};

/// Spare places in the model, because MuJoCo cannot add to one: welds for attachments, body pairs
/// that never touch.
struct MjcfSlots {
  int welds = 0;
  int excludes = 0;
};

MjcfSlots count_slots(const FlatCell& cell);

/// A mesh asset: its corners only, so that MuJoCo makes it their convex hull.
std::string mjcf_mesh(const std::string& name, const model::MeshData& mesh);

/// Bodies that float freely and carry no joints come last. Bodies are named b<number>, joints
/// j<number>, free roots r<body>, shapes g<body>_<index>. Welds come first among the equality
/// constraints. The model is in its zero configuration.
std::string write_mjcf(const FlatCell& cell, const MjcfOptions& options, const MjcfSlots& slots);

}  // namespace longarm::physics
