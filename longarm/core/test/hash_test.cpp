// SPDX-License-Identifier: Apache-2.0
// Tests that the hash sees every bit and the order.
#include "longarm/core/hash.h"

#include <cmath>

#include <gtest/gtest.h>

namespace longarm {
namespace {

std::uint64_t hash_of(std::initializer_list<double> numbers) {
  Hash hash;
  for (const double number : numbers) {
    hash.add(number);
  }
  return hash.value();
}

TEST(Hash, SeesTheLastBitTheSignOfZeroAndTheOrder) {
  EXPECT_EQ(hash_of({1.0, 2.0}), hash_of({1.0, 2.0}));
  EXPECT_NE(hash_of({1.0, 2.0}), hash_of({2.0, 1.0}));
  EXPECT_NE(hash_of({1.0}), hash_of({std::nextafter(1.0, 2.0)}));
  EXPECT_NE(hash_of({0.0}), hash_of({-0.0}));
  EXPECT_NE(hash_of({0.0}), hash_of({0.0, 0.0}));
}

TEST(Hash, PrintsSixteenDigits) {
  EXPECT_EQ(Hash().text().size(), 16U);
}

}  // namespace
}  // namespace longarm
