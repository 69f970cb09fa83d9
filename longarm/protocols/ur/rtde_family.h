// SPDX-License-Identifier: Apache-2.0
// Rows of a table of RTDE variables that differ by a number at the end of their names.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/protocols/ur/controller_state.h"

namespace longarm::protocols::ur {

/// Of bit registers, and of registers that hold a number.
inline constexpr int kLastBit = static_cast<int>(Registers::kBits) - 1;
inline constexpr int kLastNumber = static_cast<int>(Registers::kNumbers) - 1;

/// One variable, or as many as there are numbers from `first` to `last`.
struct RtdeFamily {
  static constexpr int kNone = -1;

  std::string_view name;  ///< up to the number
  int first = kNone;
  int last = kNone;

  std::size_t count() const {
    return first == kNone ? 1 : static_cast<std::size_t>(last - first) + 1;
  }
  std::string member(std::size_t place) const {
    return first == kNone ? std::string(name)
                          : std::string(name) + std::to_string(first + static_cast<int>(place));
  }
  /// The number of the member that is called so, 0 for a family of one.
  std::optional<std::uint8_t> find(std::string_view wanted) const {
    if (first == kNone) {
      return wanted == name ? std::optional<std::uint8_t>(0) : std::nullopt;
    }
    if (!wanted.starts_with(name)) {
      return std::nullopt;
    }
    const std::string_view digits = wanted.substr(name.size());
    int number = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // "07" and "+7" are no names, and -0 must not be one either
    const bool is_plain = problem == std::errc() && end == digits.data() + digits.size() &&
                          digits == std::to_string(number);
    if (!is_plain || number < first || number > last) {
      return std::nullopt;
    }
    return static_cast<std::uint8_t>(number);
  }
};

}  // namespace longarm::protocols::ur
