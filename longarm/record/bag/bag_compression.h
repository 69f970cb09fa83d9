// SPDX-License-Identifier: Apache-2.0
// The compressions that a bag's chunks may have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/record/bag/bag_format.h"

namespace longarm::record {

/// Replaces what is in `out`.
void compress_chunk(BagCompression compression, std::span<const std::byte> content,
                    std::vector<std::byte>& out);

/// Exactly `size` bytes into `out`, or the reason why not. Memory follows what is there, not what
/// is claimed.
Result<bool> decompress_chunk(std::string_view compression, std::span<const std::byte> stored,
                              std::uint64_t size, std::vector<std::byte>& out);

}  // namespace longarm::record
