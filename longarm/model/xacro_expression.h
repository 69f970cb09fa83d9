// SPDX-License-Identifier: Apache-2.0
// The Python expressions inside ${…} of xacro files. Internal to the folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longarm/model/xacro_value.h"

namespace longarm::model {

/// What an expression sees of the file around it. Either may be left out.
struct XacroSurroundings {
  /// A property by name, after a namespace as "namespace.name"; nothing if there is none.
  std::function<std::optional<XacroValue>(const std::string& name)> property{};
  /// xacro's own functions that need files or arguments: load_yaml, arg, abs_filename, warning;
  /// nothing if it is none of these.
  std::function<std::optional<XacroValue>(const std::string& name,
                                          const std::vector<XacroValue>& arguments)>
      function{};
};

/// Numbers, texts, lists, dictionaries; + - * / // % **, comparisons, `in`, and, or, not,
/// `a if b else c`; indices and slices; Python's math and the built-in functions and methods that
/// robots' files use. Throws XacroProblem for the rest and for what goes wrong.
XacroValue evaluate_xacro(const std::string& expression, const XacroSurroundings& around);

}  // namespace longarm::model
