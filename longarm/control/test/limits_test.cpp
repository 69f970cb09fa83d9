// SPDX-License-Identifier: Apache-2.0
// Tests of joint limits.
#include "longarm/control/limits.h"

#include <limits>

#include <gtest/gtest.h>

namespace longarm::control {
namespace {

constexpr model::JointLimits kLimits{.lower = -1.0, .upper = 2.0, .velocity = 3.0, .effort = 40.0};

TEST(Limits, VelocityIsBoundedOnBothSides) {
  EXPECT_EQ(limit_velocity(kLimits, 0.0, 2.5), 2.5);
  EXPECT_EQ(limit_velocity(kLimits, 0.0, 7.0), 3.0);
  EXPECT_EQ(limit_velocity(kLimits, 0.0, -7.0), -3.0);
}

TEST(Limits, AtAPositionLimitOnlyTheWayBackIsOpen) {
  for (const double position : {2.0, 2.5}) {
    EXPECT_EQ(limit_velocity(kLimits, position, 0.5), 0.0);
    EXPECT_EQ(limit_velocity(kLimits, position, -0.5), -0.5);
    EXPECT_EQ(limit_velocity(kLimits, position, -7.0), -3.0);
  }
  for (const double position : {-1.0, -1.5}) {
    EXPECT_EQ(limit_velocity(kLimits, position, -0.5), 0.0);
    EXPECT_EQ(limit_velocity(kLimits, position, 0.5), 0.5);
    EXPECT_EQ(limit_velocity(kLimits, position, 7.0), 3.0);
  }
}

TEST(Limits, PositionAndEffortAreBoundedOnBothSides) {
  EXPECT_EQ(limit_position(kLimits, 1.5), 1.5);
  EXPECT_EQ(limit_position(kLimits, 9.0), 2.0);
  EXPECT_EQ(limit_position(kLimits, -9.0), -1.0);
  EXPECT_EQ(limit_effort(kLimits, 30.0), 30.0);
  EXPECT_EQ(limit_effort(kLimits, 41.0), 40.0);
  EXPECT_EQ(limit_effort(kLimits, -41.0), -40.0);
}

TEST(Limits, WithoutLimitsEverythingPasses) {
  const model::JointLimits unlimited;
  EXPECT_EQ(limit_velocity(unlimited, 1e9, 1e12), 1e12);
  EXPECT_EQ(limit_position(unlimited, -1e12), -1e12);
  EXPECT_EQ(limit_effort(unlimited, 1e12), 1e12);
}

}  // namespace
}  // namespace longarm::control
