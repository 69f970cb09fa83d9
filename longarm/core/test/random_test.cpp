// SPDX-License-Identifier: Apache-2.0
// Tests that streams are independent of each other and of the order of asking.
#include "longarm/core/random.h"

#include <cmath>

#include <gtest/gtest.h>

namespace longarm {
namespace {

TEST(RandomStream, DrawsDependOnSeedNameAndIndexOnly) {
  RandomStream a(1, "link.states");
  const std::uint64_t first = a.bits();
  const std::uint64_t second = a.bits();
  const RandomStream b(1, "link.states");
  EXPECT_EQ(b.bits_at(1), second);
  EXPECT_EQ(b.bits_at(0), first);
  EXPECT_NE(RandomStream(2, "link.states").bits_at(0), first);
  EXPECT_NE(RandomStream(1, "link.commands").bits_at(0), first);
}

// Mean of n uniforms: 1/2 with standard error sqrt(1/12/n); of n normals: 0 with 1/sqrt(n),
// variance 1.
TEST(RandomStream, HasTheMomentsItShould) {
  constexpr int kCount = 100'000;
  RandomStream uniform(7, "u");
  RandomStream normal(7, "n");
  double sum_u = 0.0;
  double sum_n = 0.0;
  double sum_n2 = 0.0;
  for (int i = 0; i < kCount; ++i) {
    sum_u += uniform.uniform();
    const double x = normal.normal();
    sum_n += x;
    sum_n2 += x * x;
  }
  EXPECT_NEAR(sum_u / kCount, 0.5, 4.0 * std::sqrt(1.0 / 12.0 / kCount));
  EXPECT_NEAR(sum_n / kCount, 0.0, 4.0 / std::sqrt(kCount));
  EXPECT_NEAR(sum_n2 / kCount, 1.0, 4.0 * std::sqrt(2.0 / kCount));
}

}  // namespace
}  // namespace longarm
