// SPDX-License-Identifier: Apache-2.0
// The checksum that MCAP files carry: CRC-32 as in IEEE 802.3 and zip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace longarm::record {

/// Fed piece by piece; the pieces' borders do not matter.
class Crc32 {
 public:
  void add(std::span<const std::byte> bytes);
  /// Of all that was added so far.
  std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xffffffffU;
};

/// Of one piece.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace longarm::record
