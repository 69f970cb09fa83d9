// SPDX-License-Identifier: Apache-2.0
// A value that whoever watches a cell may change while it runs.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/core/result.h"

namespace longarm::cell {

/// Numbers in SI units, lists of them, or booleans.
struct LiveKey {
  std::string name;  ///< of the actor and its key, with slashes: "ur5/gains/p"
  std::string unit;  ///< "" if it has none
  std::string doc;
  std::function<nlohmann::ordered_json()> value;
  /// The error says what is wrong with it.
  std::function<Result<bool>(const nlohmann::ordered_json&)> set;
};

/// A number from `least` on, up to and including `most`; else the error.
Result<double> number_in(const nlohmann::ordered_json& value, double least, double most);

}  // namespace longarm::cell
