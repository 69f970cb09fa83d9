// SPDX-License-Identifier: Apache-2.0
// Whole numbers and strong ids as places in a vector.
#pragma once

#include <cstddef>

namespace longarm {

/// Where a thing with this number or id stands in a vector of them; the number is not negative.
template <typename Id>
constexpr std::size_t index_of(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace longarm
