// SPDX-License-Identifier: Apache-2.0
// Reads the one model of a file, or of a text, before its roots are joined. Internal to the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model_parts.h"
#include "longarm/model/model_resources.h"

namespace longarm::model {

/// Files that include each other, outermost first.
using IncludeChain = std::vector<std::string>;

/// URDF or SDF. Nothing after errors, and nothing for a file that holds a light instead of a model.
/// `name` is what the user calls the file.
std::optional<ModelParts> read_parts_file(const std::string& name, const std::string& path,
                                          ModelResources& resources, const IncludeChain& around,
                                          Diagnostics& diagnostics);

std::optional<ModelParts> read_sdf_parts(const std::string& text, const std::string& path,
                                         ModelResources& resources, const IncludeChain& around,
                                         Diagnostics& diagnostics);

/// Whether a file can be read at all: it is XML, and no xacro. The name of its root element, empty
/// after errors.
std::string format_of(const std::string& text, const std::string& path, Diagnostics& diagnostics);

}  // namespace longarm::model
