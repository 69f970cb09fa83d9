// SPDX-License-Identifier: Apache-2.0
// What drivers of UR arms say, byte for byte.
#include <chrono>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/actors/ur_driver.h"

namespace longarm::actors {
namespace {

using namespace std::chrono_literals;

TEST(UrDriverText, SaysVelocitiesWithinTheirLimits) {
  const std::vector<double> pi(6, std::numbers::pi);
  EXPECT_EQ(speedj_line(pi, {}),
            "speedj([3.141592,3.141592,3.141592,3.141592,3.141592,3.141592],15.0000,0.008000)\n");
  const std::vector<double> some{0.5, -0.25, 0.0, 1.0, 0.0000019, -1.5};
  EXPECT_EQ(speedj_line(some, {.acceleration_rad_s2 = 1.25, .time = 0ms, .watchdog_cycles = 12}),
            "speedj([0.500000,-0.250000,0.000000,1.000000,0.000001,-1.500000],1.2500)\n");
}

// 1 rad is 1000000 = 0x000f4240, −1 rad its two's complement
TEST(UrDriverText, PutsAnglesIntoBigEndianIntegers) {
  const std::vector<double> q{1.0, -1.0, 0.0, 0.0000005, 0.0, 0.0};
  const std::string expected(
      "\x00\x0f\x42\x40\xff\xf0\xbd\xc0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0"
      "\0\0\0\x01",
      28);
  EXPECT_EQ(servoj_frame(q, true), expected);
  EXPECT_EQ(servoj_frame(q, false).substr(24), std::string(4, '\0'));
}

}  // namespace
}  // namespace longarm::actors
