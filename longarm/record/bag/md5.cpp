// SPDX-License-Identifier: Apache-2.0
// RFC 1321, section 3.
#include "longarm/record/bag/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "longarm/record/byte_buffer.h"

namespace longarm::record {
namespace {

constexpr std::size_t kMd5Block = 64;
constexpr std::size_t kSteps = 64;
using State = std::array<std::uint32_t, 4>;

/// The table T of the standard: 2³² |sin i|, for i from 1 on.
std::array<std::uint32_t, kSteps> sines() {
  std::array<std::uint32_t, kSteps> table{};
  for (std::size_t i = 0; i < kSteps; ++i) {
    table[i] = static_cast<std::uint32_t>(
        std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return table;
}

void mix(State& state, ByteReader block, const std::array<std::uint32_t, kSteps>& table) {
  constexpr std::array<std::array<int, 4>, 4> kShifts{
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  std::array<std::uint32_t, 16> words{};
  for (std::uint32_t& word : words) {
    word = block.get<std::uint32_t>();
  }
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < kSteps; ++i) {
    const std::size_t round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (b & d) | (c & ~d)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    const std::size_t word = round == 0   ? i
                             : round == 1 ? (5 * i + 1) % 16
                             : round == 2 ? (3 * i + 5) % 16
                                          : (7 * i) % 16;
    const std::uint32_t turned =
        b + std::rotl(a + mixed + words[word] + table[i], kShifts[round][i % 4]);
    a = d;
    d = c;
    c = b;
    b = turned;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5_hex(std::string_view text) {
  ByteBuffer padded;
  padded.put_text(text);
  padded.put(std::uint8_t{0x80});
  padded.put_zeros((2 * kMd5Block - sizeof(std::uint64_t) - padded.size() % kMd5Block) % kMd5Block);
  padded.put(std::uint64_t{8} * text.size());

  const std::array<std::uint32_t, kSteps> table = sines();
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (ByteReader in(padded.bytes()); in.size() > 0;) {
    mix(state, ByteReader(in.get_bytes(kMd5Block)), table);
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (int shift = 0; shift < 32; shift += 8) {
      hex += fmt::format("{:02x}", word >> shift & 0xffU);
    }
  }
  return hex;
}

}  // namespace longarm::record
