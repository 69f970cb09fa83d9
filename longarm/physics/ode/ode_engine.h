// SPDX-License-Identifier: Apache-2.0
// The seeds' own engine: the Open Dynamics Engine, with its joint motors and hard contacts.
#pragma once

#include <memory>

#include "longarm/physics/engine.h"

namespace longarm::physics {

/// Solvers: "direct" (default) and "quick", which iterates in a random order shared by the whole
/// process. Throws InputError on any other.
std::unique_ptr<Engine> make_ode_engine(const model::Cell& cell, const EngineOptions& options);

}  // namespace longarm::physics
