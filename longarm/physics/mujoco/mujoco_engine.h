// SPDX-License-Identifier: Apache-2.0
// The default engine: MuJoCo, with exact velocity motors.
#pragma once

#include <memory>

#include "longarm/physics/engine.h"

namespace longarm::physics {

/// Solvers: "newton" (default), "noslip" (Newton and ten passes against creeping contacts), "cg".
/// Throws InputError on any other, and on cells MuJoCo cannot compile.
std::unique_ptr<Engine> make_mujoco_engine(const model::Cell& cell, const EngineOptions& options);

}  // namespace longarm::physics
