// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests, the same on every machine.
#pragma once

#include <cmath>
#include <random>

namespace longarm::physics {

/// Uniform in [-1, 1).
inline double draw(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 11), -52) - 1.0;
}

}  // namespace longarm::physics
