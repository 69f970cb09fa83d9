// SPDX-License-Identifier: Apache-2.0
// A value that whoever watches a cell may change while it runs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/result.h"

namespace longarm::cell {

/// Numbers in SI units, lists of them, texts, or booleans.
struct LiveKey {
  std::string name;  ///< of the actor and its key, with slashes: "ur5/gains/p"
  std::string unit;  ///< "" if it has none
  std::string doc;
  std::function<nlohmann::ordered_json()> value;
  /// The error says what is wrong with it.
  std::function<Result<bool>(const nlohmann::ordered_json&)> set;
  std::optional<double> least{};  ///< of numbers, where there are limits
  std::optional<double> most{};
};

/// A number from `least` on, up to and including `most`; else the error.
Result<double> number_in(const nlohmann::ordered_json& value, double least, double most);

/// What a key is called and means, and which numbers it takes.
struct LiveNumber {
  std::string name;
  std::string unit;
  std::string doc;
  double least = 0.0;
  double most = 0.0;  ///< may be infinite
};
LiveKey live_number(LiveNumber what, std::function<double()> value,
                    std::function<Result<bool>(double)> set);
/// The same for as many numbers as there are now.
LiveKey live_numbers(LiveNumber what, std::function<std::vector<double>()> value,
                     std::function<Result<bool>(const std::vector<double>&)> set);

}  // namespace longarm::cell
