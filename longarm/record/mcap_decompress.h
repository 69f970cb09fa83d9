// SPDX-License-Identifier: Apache-2.0
// Opens the records of a chunk, whole or cut short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::record {

/// Fills `out` with what `stored` holds, as far as it goes and no further than `size` bytes. Fails
/// on an unknown compression, on bytes that are none of it, and on chunks that are too large to be
/// meant.
Result<bool> decompress(std::string_view compression, std::span<const std::byte> stored,
                        std::uint64_t size, std::vector<std::byte>& out);

}  // namespace longarm::record
