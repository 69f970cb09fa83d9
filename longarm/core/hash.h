// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of a sequence of numbers: equal runs have equal hashes, whatever machine code made
// them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace longarm {

/// Scrambles 64 bits so that each input bit reaches each output bit.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Order matters; floating-point numbers count bit by bit, so 0.0 and -0.0 differ.
class Hash {
 public:
  constexpr void add(std::uint64_t word) {
    // one multiply per word is enough here: value() scrambles the rest
    state_ = std::rotl((state_ ^ word) * 0x9e3779b97f4a7c15ULL, 29);
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::span<const double> numbers) {
    for (const double number : numbers) {
      add(number);
    }
  }
  constexpr void add(std::string_view text) {
    for (const char c : text) {
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
    add(static_cast<std::uint64_t>(text.size()));
  }

  constexpr std::uint64_t value() const { return mix64(state_); }

  /// Sixteen hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t state_ = 0x6c6f6e6761726d21ULL;
};

}  // namespace longarm
