// SPDX-License-Identifier: Apache-2.0
// Ways of a tool: where it is when, and what the arm is told.
#include "labs/picking/way.h"

#include <chrono>

#include <gtest/gtest.h>

namespace longarm::picking {
namespace {

using namespace std::chrono_literals;
using model::Vector3;

TEST(Way, IsWhereItsLegsAre) {
  const RunningWay way({{Vector3(1, 0, 0), 2s}, {Vector3(1, 1, 0), 1s, true}}, Vector3::Zero(),
                       Time(10s));
  EXPECT_EQ(way.at(Time(9s)), Vector3::Zero());
  EXPECT_NEAR(way.at(Time(11s)).x(), 0.5, 1e-12);
  EXPECT_LT(way.at(Time(10'100ms)).x(), 0.01) << "it starts from rest";
  EXPECT_NEAR(way.at(Time(12'250ms)).y(), 0.25, 1e-12) << "evenly";
  EXPECT_EQ(way.at(Time(99s)), Vector3(1, 1, 0));
}

TEST(Way, LegsStayWithinTheirLimits) {
  for (const double distance : {0.01, 0.1, 1.0}) {
    const Duration time = leg_time(distance, 0.8, 2.5);
    const RunningWay way({{Vector3(distance, 0, 0), time}}, Vector3::Zero(), Time{});
    constexpr double kStep_s = 1e-3;
    for (Time t = Time(2ms); t < Time(time); t += 1ms) {
      const double x0 = way.at(t - 2ms).x();
      const double x1 = way.at(t - 1ms).x();
      const double x2 = way.at(t).x();
      EXPECT_LT((x2 - x1) / kStep_s, 0.8 + 1e-6);
      EXPECT_LT(std::abs(x2 - 2 * x1 + x0) / (kStep_s * kStep_s), 2.5 + 1e-3);
    }
  }
}

TEST(Way, IsAProgramOfMoves) {
  const Way way{{Vector3(1, 0, 0.5), 2s}, {Vector3(1, 0.1, 0.5), 1s, true}};
  EXPECT_EQ(movel_program(way, Vector3::Zero(), model::Pose::Identity(), model::Matrix3::Identity(),
                          {0, 0, 0.14}, 2.5),
            "def way():\n"
            "  set_tcp(p[0.000000,0.000000,0.140000,0,0,0])\n"
            "  movel(p[1.000000,0.000000,0.500000,0.000000,0.000000,0.000000],t=2.000000)\n"
            "  movel(p[1.000000,0.100000,0.500000,0.000000,0.000000,0.000000],"
            "a=2.500000,v=0.100000)\n"
            "end\n");
}

}  // namespace
}  // namespace longarm::picking
