// SPDX-License-Identifier: Apache-2.0
// Reads a model file, whichever format it is in.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model.h"

namespace longarm::model {

/// URDF or SDF, told apart by the root element. After errors the model is empty, about which
/// make_body_tree() keeps quiet: both may be given the same diagnostics, one after the other.
Model read_model_file(const std::string& path, Diagnostics& diagnostics);

}  // namespace longarm::model
