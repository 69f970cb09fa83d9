// SPDX-License-Identifier: Apache-2.0
// Reads models in the Simulation Description Format.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model.h"

namespace longarm::model {

class ModelResources;

/// The one model of an SDF text, also where it stands inside a `<world>`. Models inside it and
/// those that it includes become part of it, with names such as `gripper::palm`. `path` is used in
/// messages and to find meshes and included models. Beyond SDF it understands `<longarm:mimic joint
/// multiplier offset/>` in `<axis>`,
/// `<longarm:rotor_inertia>` in `<dynamics>` and `<longarm:ignore_contact a b/>` in `<model>`. SDF
/// frames become links without mass.
Model read_sdf(const std::string& text, const std::string& path, Diagnostics& diagnostics);
Model read_sdf(const std::string& text, const std::string& path, ModelResources& resources,
               Diagnostics& diagnostics);

}  // namespace longarm::model
