// SPDX-License-Identifier: Apache-2.0
// The pure functions of URScript, one table per subject; private to call_pure().
#pragma once

#include <span>
#include <string_view>

#include "longarm/protocols/ur/script/operators.h"
#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

using Arguments = std::span<const Value>;
using PureFunction = Failure (*)(Arguments arguments, Value& result);

struct NamedFunction {
  std::string_view name;
  PureFunction function = nullptr;
};

std::span<const NamedFunction> functions_of_numbers();
std::span<const NamedFunction> functions_of_poses();
std::span<const NamedFunction> functions_of_texts();  ///< and of lists

/// "'sqrt' takes a number, not a list"
Failure wrong_argument(std::string_view function, std::string_view takes, const Value& given);

}  // namespace longarm::protocols::ur::script
