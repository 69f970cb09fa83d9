// SPDX-License-Identifier: Apache-2.0
// "did you mean 'delay'?" and "valid names are: …" for every message that rejects a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longarm {

/// The nearest of `names` if it is close enough to be a slip of the keyboard, else empty.
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

/// "did you mean 'delay'?" where one is near, otherwise "valid names are: a, b, c".
std::string suggest(std::string_view word, const std::vector<std::string>& names);

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Of items that have a `name`, in their order.
template <typename Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    names.push_back(item.name);
  }
  return names;
}

}  // namespace longarm
