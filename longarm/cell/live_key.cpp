// SPDX-License-Identifier: Apache-2.0
// What values must be.
#include "longarm/cell/live_key.h"

#include <cmath>

#include <fmt/format.h>

namespace longarm::cell {

Result<double> number_in(const nlohmann::ordered_json& value, double least, double most) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    return Error{"give a number"};
  }
  const auto number = value.get<double>();
  if (number < least || number > most) {
    return Error{std::isfinite(most) ? fmt::format("give a number from {} to {}", least, most)
                                     : fmt::format("give a number from {} on", least)};
  }
  return number;
}

}  // namespace longarm::cell
