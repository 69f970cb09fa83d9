// SPDX-License-Identifier: Apache-2.0
// Tests of the PID controller against the rules of control_toolbox, by hand.
#include "longarm/control/pid.h"

#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/control/test/arm_fixture.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;
using test::kInfinity;
using ::testing::ElementsAre;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Outputs for a list of errors one second apart, so that the integral is their plain sum.
std::vector<double> run(Pid& pid, const std::vector<double>& errors) {
  std::vector<double> outputs;
  for (const double error : errors) {
    outputs.push_back(pid.update(error, 1s));
  }
  return outputs;
}

TEST(Pid, OfNoGainsGivesNothing) {
  Pid pid;
  EXPECT_EQ(pid.update(7.0, 3.0, 1ms), 0.0);
}

TEST(Pid, ProportionalPartIsGainTimesErrorWhateverThePeriod) {
  Pid pid({.p = 2.0});
  EXPECT_EQ(pid.update(0.75, 1ms), 1.5);
  EXPECT_EQ(pid.update(-0.25, 10s), -0.5);
}

TEST(Pid, IntegralPartGrowsByGainTimesErrorTimesPeriod) {
  // 3 · (2 · 0.5) = 3, then 3 · (1 + 2 · 0.5) = 6, then 3 · (2 - 4 · 0.25) = 3
  Pid pid({.i = 3.0, .i_clamp = 100.0});
  EXPECT_EQ(pid.update(2.0, 500ms), 3.0);
  EXPECT_EQ(pid.update(2.0, 500ms), 6.0);
  EXPECT_EQ(pid.update(-4.0, 250ms), 3.0);
}

TEST(Pid, WithoutClampTheIntegralHasNoEffect) {
  Pid pid({.p = 1.0, .i = 1000.0});
  EXPECT_THAT(run(pid, {2.0, 2.0, 2.0}), ElementsAre(2.0, 2.0, 2.0));
  Pid with_antiwindup({.p = 1.0, .i = 1000.0, .antiwindup = true});
  EXPECT_THAT(run(with_antiwindup, {2.0, 2.0}), ElementsAre(2.0, 2.0));
}

TEST(Pid, ClampBoundsTheContributionOnBothSidesNotTheGain) {
  // sums 1, 2, 1, 0, -1, -2, times 4, held within ±6
  Pid pid({.i = 4.0, .i_clamp = 6.0});
  EXPECT_THAT(run(pid, {1, 1, -1, -1, -1, -1}), ElementsAre(4, 6, 4, 0, -4, -6));
}

TEST(Pid, WithoutAntiwindupTheIntegralWindsUpBehindItsClamp) {
  // sums 1 … 5 show as 1; on the way back 4, 3, 2, 1 still do, and only the fifth error shows 0
  Pid pid({.i = 1.0, .i_clamp = 1.0, .antiwindup = false});
  EXPECT_THAT(run(pid, {1, 1, 1, 1, 1}), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(run(pid, {-1, -1, -1, -1, -1, -1}), ElementsAre(1, 1, 1, 1, 0, -1));
}

TEST(Pid, WithAntiwindupTheIntegralTurnsAtOnce) {
  // the sum itself stops at 1, so the first error back brings it to 0
  Pid pid({.i = 1.0, .i_clamp = 1.0, .antiwindup = true});
  EXPECT_THAT(run(pid, {1, 1, 1, 1, 1}), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(run(pid, {-1, -1, -1}), ElementsAre(0, -1, -1));
}

TEST(Pid, AntiwindupBoundsTheSumByClampOverGain) {
  // |sum| ≤ 6 / 4 = 1.5: sums 1, 1.5, 0.5, -0.5, -1.5, -1.5, times 4
  Pid pid({.i = 4.0, .i_clamp = 6.0, .antiwindup = true});
  EXPECT_THAT(run(pid, {1, 1, -1, -1, -1, -1}), ElementsAre(4, 6, 2, -2, -6, -6));
  // a negative gain has the same bounds with the sign turned
  Pid negative({.i = -4.0, .i_clamp = 6.0, .antiwindup = true});
  EXPECT_THAT(run(negative, {1, 1, -1}), ElementsAre(-4, -6, -2));
}

TEST(Pid, DerivativeIsTheBackwardDifferenceWithAKickAtTheFirstError) {
  // d · (0.5 - 0) / 0.25 = 4, d · (0.75 - 0.5) / 0.25 = 2, no change, and back down
  Pid pid({.d = 2.0});
  EXPECT_EQ(pid.update(0.5, 250ms), 4.0);
  EXPECT_EQ(pid.update(0.75, 250ms), 2.0);
  EXPECT_EQ(pid.update(0.75, 250ms), 0.0);
  EXPECT_EQ(pid.update(0.5, 125ms), -4.0);
}

TEST(Pid, ResetForgetsTheIntegralAndKicksAgain) {
  Pid pid({.i = 1.0, .d = 2.0, .i_clamp = 100.0});
  run(pid, {3.0, 3.0, 3.0});
  pid.reset();
  // integral 0.5 · 0.25 from nothing, derivative 2 · (0.5 - 0) / 0.25
  EXPECT_EQ(pid.update(0.5, 250ms), 0.125 + 4.0);
}

TEST(Pid, SuppliedRateReplacesTheDifference) {
  // 3 · 0.5 + 2 · 0.25, with no kick at the first
  Pid pid({.p = 3.0, .d = 2.0});
  EXPECT_EQ(pid.update(0.5, 0.25, 1ms), 2.0);
  EXPECT_EQ(pid.update(0.5, -1.0, 1ms), -0.5);
}

TEST(Pid, GivesZeroForNoTimeAndRemembersNothingOfIt) {
  Pid pid({.p = 1.0, .i = 1.0, .d = 1.0, .i_clamp = 100.0});
  EXPECT_EQ(pid.update(5.0, 0ns), 0.0);
  EXPECT_EQ(pid.update(5.0, 1.0, 0ns), 0.0);
  EXPECT_EQ(pid.update(5.0, -1ms), 0.0);
  // as a first update: 2 + 2 · 1 s + (2 - 0) / 1 s
  EXPECT_EQ(pid.update(2.0, 1s), 6.0);
}

TEST(Pid, GivesZeroForErrorsThatAreNoNumbersAndIsNotPoisonedByThem) {
  Pid pid({.p = 1.0, .i = 1.0, .d = 1.0, .i_clamp = 100.0});
  EXPECT_EQ(pid.update(kNan, 1s), 0.0);
  EXPECT_EQ(pid.update(kInfinity, 1s), 0.0);
  EXPECT_EQ(pid.update(-kInfinity, 0.0, 1s), 0.0);
  EXPECT_EQ(pid.update(1.0, kNan, 1s), 0.0);
  EXPECT_EQ(pid.update(1.0, kInfinity, 1s), 0.0);
  EXPECT_EQ(pid.update(2.0, 1s), 6.0);
}

}  // namespace
}  // namespace longarm::control
