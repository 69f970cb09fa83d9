// SPDX-License-Identifier: Apache-2.0
// A model as URDF, for programs that read nothing else.
#pragma once

#include <string>

#include "longarm/model/body_tree.h"

namespace longarm::model {

/// Links, joints, inertias, shapes and colours; every further frame is a link at a fixed joint.
/// Meshes are named by file:// and their place on this computer. Capsules become cylinders of the
/// same whole length; half spaces are left out. read_urdf() makes the same bodies of it.
std::string write_urdf(const BodyTree& tree);

}  // namespace longarm::model
