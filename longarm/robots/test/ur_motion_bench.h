// SPDX-License-Identifier: Apache-2.0
// Motion of a UR5 without an engine, advanced by hand.
#pragma once

#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "longarm/robots/ur/motion.h"

namespace longarm::robots {

inline constexpr double kCycle_s = 0.008;
inline constexpr Joints kHome{
    0.0, -std::numbers::pi / 2, std::numbers::pi / 2, -std::numbers::pi / 2, -std::numbers::pi / 2,
    0.0};

inline UrLimits usual_limits() {
  UrLimits limits;
  limits.lower_rad.fill(-2 * std::numbers::pi);
  limits.upper_rad.fill(2 * std::numbers::pi);
  limits.speed_rad_s = std::numbers::pi;
  limits.safety_speed_rad_s = 3.3336;
  limits.acceleration_rad_s2 = 40.0;
  limits.stop_rad_s2 = 4.0;
  limits.brake_rad_s2 = 20.0;
  limits.smallest_singular_value = 0.01;
  return limits;
}

class UrMotionBench : public testing::Test {
 protected:
  const Joints& q() const { return motion_.target().q; }
  const Joints& qd() const { return motion_.target().qd; }
  void advance(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      motion_.advance();
    }
  }
  /// Cycles until the command lets its caller go on.
  int finish(Result<UrMoveId> begun, int at_most = 3000) {
    EXPECT_TRUE(begun) << (begun ? "" : begun.error().message);
    int cycles = 0;
    while (begun && motion_.is_busy(*begun) && cycles < at_most) {
      motion_.advance();
      ++cycles;
    }
    return cycles;
  }
  std::string fault() { return motion_.take_fault().value_or(""); }

  UrKinematics kinematics_{ur5_geometry()};
  UrMotion motion_{kinematics_, usual_limits(), kCycle_s, kHome};
};

}  // namespace longarm::robots
