// SPDX-License-Identifier: Apache-2.0
// Random numbers by name and index, the same on every machine and in every order of asking.
#pragma once

#include <cstdint>
#include <string_view>

namespace longarm {

/// One independent stream per (seed, name). Draw number i is a pure function of (seed, name, i), so
/// results do not depend on which part of the simulation draws first.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// Draw number `index`, without moving the stream.
  std::uint64_t bits_at(std::uint64_t index) const;
  /// In [0, 1), 53 bits.
  double uniform_at(std::uint64_t index) const;

  std::uint64_t bits() { return bits_at(next_++); }
  double uniform() { return uniform_at(next_++); }
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal; uses two draws.
  double normal();

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

}  // namespace longarm
