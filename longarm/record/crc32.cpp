// SPDX-License-Identifier: Apache-2.0
// CRC-32, sixteen bytes at a time.
#include "longarm/record/crc32.h"

#include <array>
#include <bit>
#include <cstring>

namespace longarm::record {
namespace {

constexpr std::uint32_t kPolynomial = 0xedb88320U;  // bit-reversed 0x04c11db7
constexpr std::size_t kStride = 16;

using Table = std::array<std::uint32_t, 256>;

/// tables[k][b] is what byte b does to the checksum when k zero bytes follow it.
constexpr std::array<Table, kStride> make_tables() {
  std::array<Table, kStride> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
    }
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < kStride; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

constexpr std::array<Table, kStride> kTables = make_tables();
static_assert(std::endian::native == std::endian::little);

/// The part of the checksum that four bytes make, the last of them `zeros` bytes before the end.
std::uint32_t four_bytes(std::uint32_t word, std::size_t zeros) {
  return kTables[zeros + 3][word & 0xffU] ^ kTables[zeros + 2][(word >> 8) & 0xffU] ^
         kTables[zeros + 1][(word >> 16) & 0xffU] ^ kTables[zeros][word >> 24];
}

}  // namespace

void Crc32::add(std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint32_t state = state_;
  for (; left >= kStride; left -= kStride, at += kStride) {
    std::array<std::uint32_t, 4> words;
    std::memcpy(words.data(), at, kStride);
    state = four_bytes(words[0] ^ state, 12) ^ four_bytes(words[1], 8) ^ four_bytes(words[2], 4) ^
            four_bytes(words[3], 0);
  }
  for (; left > 0; --left, ++at) {
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<std::uint32_t>(*at)) & 0xffU];
  }
  state_ = state;
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  Crc32 crc;
  crc.add(bytes);
  return crc.value();
}

}  // namespace longarm::record
