// SPDX-License-Identifier: Apache-2.0
// An engine without masses: joints follow velocity and position commands exactly.
#pragma once

#include <memory>

#include "longarm/physics/engine.h"

namespace longarm::physics {

/// Throws InputError if `options.solver` is not empty.
std::unique_ptr<Engine> make_kinematic_engine(const model::Cell& cell,
                                              const EngineOptions& options);

}  // namespace longarm::physics
