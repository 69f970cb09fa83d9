// SPDX-License-Identifier: Apache-2.0
// Expands xacro files, the macros that robot descriptions are written with. Internal to the folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/rewritten_xml.h"

namespace longarm::model {

/// Whether a text has elements or attributes that only xacro understands. The namespace alone says
/// nothing: expanded files keep it.
bool is_xacro(const std::string& text);

/// A call of a macro, as it is written.
struct XacroCall {
  std::string macro;
  SourceLocation where;
};

/// The calls of macros in a text that has nothing else for xacro to do: no definition, no include,
/// no condition, no ${…}. They were left over when someone expanded the file. Empty otherwise.
std::vector<XacroCall> leftover_calls(const std::string& text, const std::string& path);

/// Properties, macros with default values and blocks, includes, conditions, arguments, YAML files,
/// $(find …), $(arg …), $(env …), $(eval …) and the expressions of evaluate_xacro(). Included files
/// are found and remembered by `resources`, whose search has the arguments. Nothing after an error.
std::optional<RewrittenXml> expand_xacro(const std::string& text, const std::string& path,
                                         ModelResources& resources, Diagnostics& diagnostics);

}  // namespace longarm::model
