// SPDX-License-Identifier: Apache-2.0
// Counter-based streams: a scrambled key plus the index, scrambled again (the SplitMix64
// construction).
#include "longarm/core/random.h"

#include <cmath>
#include <numbers>

#include "longarm/core/hash.h"

namespace longarm {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  Hash hash;
  hash.add(seed);
  hash.add(name);
  key_ = hash.value();
}

std::uint64_t RandomStream::bits_at(std::uint64_t index) const {
  return mix64(key_ + (index + 1) * kGolden);
}

double RandomStream::uniform_at(std::uint64_t index) const {
  return static_cast<double>(bits_at(index) >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
  // Box-Muller; 1 - u keeps the logarithm's argument above zero
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace longarm
