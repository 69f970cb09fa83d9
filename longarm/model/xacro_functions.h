// SPDX-License-Identifier: Apache-2.0
// Python's functions and methods that xacro files call. Internal to the folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/model/xacro_value.h"

namespace longarm::model {

/// What a call is given: values in order, then those with a name.
struct XacroArguments {
  std::vector<XacroValue> values;
  XacroDict named;
};

/// pi, e, tau, inf, nan, True, False, None.
std::optional<XacroValue> xacro_constant(const std::string& name);

/// Whether xacro_function() knows it.
bool is_xacro_function(const std::string& name);

/// Of Python's built-in functions and its module math. Throws XacroProblem for wrong arguments.
XacroValue xacro_function(const std::string& name, const XacroArguments& arguments);

/// A method of a text, a list or a dictionary: split, lower, get, … Throws XacroProblem.
XacroValue xacro_method(const XacroValue& self, const std::string& name,
                        const XacroArguments& arguments);

/// self[index], also of texts and from the end. Throws XacroProblem.
XacroValue xacro_item(const XacroValue& self, const XacroValue& index);

/// self[from:to] of a text or a list.
XacroValue xacro_slice(const XacroValue& self, const XacroValue& from, const XacroValue& to);

/// `+` of numbers, texts and lists, and so on. Throws XacroProblem.
XacroValue xacro_operation(const std::string& operation, const XacroValue& a, const XacroValue& b);

/// ==, !=, <, <=, >, >=, in, not in.
bool xacro_comparison(const std::string& operation, const XacroValue& a, const XacroValue& b);

}  // namespace longarm::model
