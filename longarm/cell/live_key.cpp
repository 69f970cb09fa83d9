// SPDX-License-Identifier: Apache-2.0
// What values must be.
#include "longarm/cell/live_key.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace longarm::cell {
namespace {

using Json = nlohmann::ordered_json;

LiveKey key_of(const LiveNumber& what) {
  LiveKey key{what.name, what.unit, what.doc, {}, {}};
  if (std::isfinite(what.least)) {
    key.least = what.least;
  }
  if (std::isfinite(what.most)) {
    key.most = what.most;
  }
  return key;
}

}  // namespace

Result<double> number_in(const Json& value, double least, double most) {
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

LiveKey live_number(LiveNumber what, std::function<double()> value,
                    std::function<Result<bool>(double)> set) {
  LiveKey key = key_of(what);
  key.value = [value = std::move(value)]() -> Json { return value(); };
  key.set = [what = std::move(what), set = std::move(set)](const Json& wanted) -> Result<bool> {
    const Result<double> number = number_in(wanted, what.least, what.most);
    return number ? set(*number) : number.error();
  };
  return key;
}

LiveKey live_numbers(LiveNumber what, std::function<std::vector<double>()> value,
                     std::function<Result<bool>(const std::vector<double>&)> set) {
  LiveKey key = key_of(what);
  key.value = [value]() -> Json { return value(); };
  key.set = [what = std::move(what), value = std::move(value),
             set = std::move(set)](const Json& wanted) -> Result<bool> {
    const std::size_t count = value().size();
    if (!wanted.is_array() || wanted.size() != count) {
      return Error{fmt::format("give a list of {} numbers", count)};
    }
    std::vector<double> all;
    for (const Json& each : wanted) {
      const Result<double> number = number_in(each, what.least, what.most);
      if (!number) {
        return Error{fmt::format("number {}: {}", all.size() + 1, number.error().message)};
      }
      all.push_back(*number);
    }
    return set(all);
  };
  return key;
}

}  // namespace longarm::cell
