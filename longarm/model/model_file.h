// SPDX-License-Identifier: Apache-2.0
// Reads a model file, whichever format it is in.
#pragma once

#include <string>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/model/model.h"
#include "longarm/model/model_search.h"

namespace longarm::model {

/// URDF, SDF or MJCF, told apart by the root element, or xacro of the first two. After errors the
/// model is empty, about which make_body_tree() keeps quiet: both may be given the same
/// diagnostics, one after the other. Meshes and included models are looked for beside the file and
/// in `search`; `files` remembers everything that was read, the model file first.
Model read_model_file(const std::string& path, const ModelSearch& search, InputFiles& files,
                      Diagnostics& diagnostics);
/// With nowhere else to search.
Model read_model_file(const std::string& path, Diagnostics& diagnostics);

/// The text of a model file, expanded if it is xacro; empty if it cannot be read.
std::string expanded_model_text(const std::string& path, const ModelSearch& search);

}  // namespace longarm::model
