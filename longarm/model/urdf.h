// SPDX-License-Identifier: Apache-2.0
// Reads robots in the Unified Robot Description Format.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model.h"

namespace longarm::model {

class ModelResources;

/// `path` is used in messages and to find meshes, which are loaded for collisions only. Beyond URDF
/// it understands `<capsule radius length>` shapes, the attribute `rotor_inertia` of `<dynamics>`
/// (reflected to the link side),
/// `<longarm:ignore_contact a b/>` in `<robot>`, and Gazebo's `<mu1>`. An effort or velocity limit
/// of 0 means unknown and is read as unlimited; floating and planar joints are read as fixed. After
/// errors the result holds names and places only; make_body_tree() then still finds what is wrong
/// with the tree.
Model read_urdf(const std::string& text, const std::string& path, Diagnostics& diagnostics);
Model read_urdf(const std::string& text, const std::string& path, ModelResources& resources,
                Diagnostics& diagnostics);

}  // namespace longarm::model
