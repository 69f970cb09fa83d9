// SPDX-License-Identifier: Apache-2.0
// Says how much an engine changes the meshes of a cell.
#pragma once

#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::physics {

/// For an engine that fills the hollows of meshes: one warning for each mesh that gets notably
/// larger. None for engines with true meshes or without contacts.
std::vector<Diagnostic> mesh_warnings(const model::Cell& cell, const Capabilities& capabilities);

}  // namespace longarm::physics
