// SPDX-License-Identifier: Apache-2.0
// Grippers of cells hold by friction alone: without creep, and no more than friction can.
#include <gtest/gtest.h>

#include "longarm/robots/test/grip_fixture.h"

namespace longarm::robots {
namespace {

class RobotGrip : public testing::TestWithParam<GripCase> {};

TEST_P(RobotGrip, HoldsAGearWithoutCreeping) {
  GripBench bench(GetParam());
  ASSERT_TRUE(bench.is_holding());
  // MuJoCo by itself: some 50 µm/s, which is a lost gear after minutes
  bench.run(3.0);
  EXPECT_LT(bench.slide_m_s(5.0), 1e-6);
  bench.set_static_friction(false);
  EXPECT_GT(bench.slide_m_s(0.5), 5e-6) << "nothing left to prove";
}

TEST_P(RobotGrip, IsPulledOutOfAtTheLimitOfFriction) {
  for (const bool is_out : {true, false}) {
    GripBench bench(GetParam());
    ASSERT_TRUE(bench.is_holding());
    EXPECT_NEAR(bench.pull_out_ratio(is_out ? bench.outwards_W() : bench.along_pads_W()), 1.0, 0.03)
        << (is_out ? "out of the gripper" : "along the pads");
  }
}

INSTANTIATE_TEST_SUITE_P(Grippers, RobotGrip, testing::ValuesIn(grip_cases()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace longarm::robots
