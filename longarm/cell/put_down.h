// SPDX-License-Identifier: Apache-2.0
// Somebody takes a part and puts it down elsewhere.
#pragma once

#include "longarm/model/body_tree.h"
#include "longarm/physics/engine.h"

namespace longarm::cell {

/// Moves a free body to the place of `X_WP`, at rest, just above the highest thing below its
/// outline; its height in `X_WP` means nothing then. Where nothing is below, or the engine has no
/// rays, the height stays. Whatever joins it to others must have been undone.
void put_down(physics::Engine& engine, const model::Body& shape, physics::BodyId body,
              const model::Pose& X_WP);

}  // namespace longarm::cell
