// SPDX-License-Identifier: Apache-2.0
// Reads the one model of a file, or of a text, before its roots are joined. Internal to the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model_parts.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/xacro.h"

namespace longarm::model {

/// Files that include each other, outermost first.
using IncludeChain = std::vector<std::string>;

/// URDF, SDF or MJCF. Nothing after errors, and nothing for a file that holds a light instead of a
/// model. `name` is what the user calls the file.
std::optional<ModelParts> read_parts_file(const std::string& name, const std::string& path,
                                          ModelResources& resources, const IncludeChain& around,
                                          Diagnostics& diagnostics);

std::optional<ModelParts> read_sdf_parts(const std::string& text, const std::string& path,
                                         ModelResources& resources, const IncludeChain& around,
                                         Diagnostics& diagnostics);

/// The text of a model file, expanded if it is xacro.
struct ModelText {
  std::string path;
  std::string format;  ///< its root element: robot, sdf or mujoco
  std::string text;
  std::optional<RewrittenXml> xacro{};

  /// Hands over what was found in `text`, with places as they are in the files that the user wrote.
  void hand_over(const Diagnostics& found, Diagnostics& diagnostics) const;
  void put_right(Model& model) const;
};

/// Nothing after errors: it cannot be read, is no XML, no model, or xacro that cannot be expanded.
/// `name` is what the user calls the file.
std::optional<ModelText> read_model_text(const std::string& name, const std::string& path,
                                         ModelResources& resources, Diagnostics& diagnostics);

}  // namespace longarm::model
