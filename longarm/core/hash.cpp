// SPDX-License-Identifier: Apache-2.0
// Prints hashes.
#include "longarm/core/hash.h"

#include <fmt/format.h>

namespace longarm {

std::string Hash::text() const {
  return fmt::format("{:016x}", value());
}

}  // namespace longarm
