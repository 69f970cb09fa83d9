// SPDX-License-Identifier: Apache-2.0
// Curves come back as they were, and damaged ones do not come back at all.
#include "longarm/study/curves.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace longarm::study {
namespace {

Curves example() {
  Curves curves;
  curves.start_s = 0.001;
  curves.period_s = 0.006;
  curves.names = {"end_effector.x", "velocity_command.elbow"};
  curves.columns = {{1.0F, -0.0F, std::numeric_limits<float>::denorm_min()},
                    {3e38F, std::numeric_limits<float>::infinity(), 0.1F}};
  return curves;
}

TEST(Curves, ComeBackBitByBit) {
  const Result<Curves> back = unpack(pack(example()));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, example());
  EXPECT_TRUE(std::signbit(back->columns[0][1]));
}

TEST(Curves, AreFoundByName) {
  const Curves curves = example();
  ASSERT_NE(curves.find("velocity_command.elbow"), nullptr);
  EXPECT_EQ(curves.find("velocity_command.elbow")->back(), 0.1F);
  EXPECT_EQ(curves.find("velocity_command"), nullptr);
}

TEST(Curves, OfSmoothMotionTakeLessThanTheirFloats) {
  Curves curves;
  curves.names = {"x"};
  curves.columns.emplace_back();
  for (int i = 0; i < 2000; ++i) {
    curves.columns[0].push_back(static_cast<float>(std::sin(i * 0.003)));
  }
  EXPECT_LT(pack(curves).size(), 2000 * sizeof(float) * 8 / 10);
}

TEST(Curves, DamagedAnywhereAreRefusedOrWhole) {
  const std::string bytes = pack(example());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string spoiled = bytes;
    spoiled[i] = static_cast<char>(spoiled[i] ^ 0x55);
    (void)unpack(spoiled);  // must not crash, whatever it says
    EXPECT_FALSE(unpack(bytes.substr(0, i))) << "cut after " << i;
  }
  EXPECT_FALSE(unpack(""));
  EXPECT_EQ(unpack("abc").error().message, "the curves of a run are damaged");
}

}  // namespace
}  // namespace longarm::study
