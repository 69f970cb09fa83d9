// SPDX-License-Identifier: Apache-2.0
// Says where an engine only comes near the contact parameters of a cell.
#pragma once

#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::physics {

/// One warning for each model whose surfaces have a stiffness, a minimum depth or a greatest
/// correction, if the engine follows them only across the contact. None for engines that follow
/// them to the letter or have no contacts.
std::vector<Diagnostic> surface_warnings(const model::Cell& cell, const Capabilities& capabilities);

}  // namespace longarm::physics
