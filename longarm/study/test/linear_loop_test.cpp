// SPDX-License-Identifier: Apache-2.0
// Closed forms of delayed loops against published tables and against eigenvalues of the same loops
// written out as matrices.
#include "longarm/study/margin/linear_loop.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/study/margin/linear_loop_roots.h"

namespace longarm::study {
namespace {

using namespace std::chrono_literals;

TEST(LoopLimit, OfWholeTicksIsTheSineFormula) {
  // K·h = 2 sin(π/(2(2n+1))): 2, 1, the golden ratio's inverse, 0.284630, 0.149460, 0.076605
  EXPECT_NEAR(loop_limit(0ms, 1ms).rate_per_s, 2000.0, 1e-9);
  EXPECT_NEAR(loop_limit(1ms, 1ms).rate_per_s, 1000.0, 1e-9);
  EXPECT_NEAR(loop_limit(2ms, 1ms).rate_per_s, 1000.0 * (std::sqrt(5.0) - 1.0) / 2.0, 1e-9);
  EXPECT_NEAR(loop_limit(5ms, 1ms).rate_per_s, 284.630, 5e-4);
  EXPECT_NEAR(loop_limit(10ms, 1ms).rate_per_s, 149.460, 5e-4);
  EXPECT_NEAR(loop_limit(20ms, 1ms).rate_per_s, 76.605, 5e-4);
  EXPECT_NEAR(loop_limit(40ms, 4ms).rate_per_s, 149.460 / 4.0, 5e-4);
}

TEST(LoopLimit, OfAnyDelayIsThatOfThePublishedTable) {
  const Duration periods[] = {1ms, 2ms, 4ms, 8ms};
  const double limits[3][4] = {{284.630, 267.949, 236.068, 200.0},
                               {149.460, 142.315, 133.975, 118.034},
                               {76.605, 74.730, 71.157, 66.987}};
  const Duration delays[] = {5ms, 10ms, 20ms};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      EXPECT_NEAR(loop_limit(delays[row], periods[column]).rate_per_s, limits[row][column], 5e-4)
          << row << ' ' << column;
    }
  }
}

TEST(LoopLimit, SwingsWithTwiceAsManyHalfTicksAsTheDelayHas) {
  // ωh = π/(2n+1), so that a swing lasts 2(2n+1) ticks
  EXPECT_NEAR(loop_limit(0ms, 1ms).period_s, 0.002, 1e-12);
  EXPECT_NEAR(loop_limit(10ms, 1ms).period_s, 0.042, 1e-12);
  // sampled ever faster it is four delays
  EXPECT_NEAR(loop_limit(10ms, 1us).period_s, 0.040, 5e-6);
}

TEST(LoopLimit, OfTorqueLevelVelocityLoopsIsThePublishedInertiaPerGain) {
  const std::pair<Duration, double> critical_ms[] = {
      {5ms, 3.513}, {7ms, 4.783}, {10ms, 6.691}, {20ms, 13.054}};
  for (const auto& [delay, inertia_per_gain_ms] : critical_ms) {
    EXPECT_NEAR(1e3 / loop_limit(delay, 1ms).rate_per_s, inertia_per_gain_ms, 5e-4);
  }
}

TEST(LargestStable, IsNothingWhereNotEvenZeroIs) {
  const auto below = [](Duration limit) { return [limit](Duration each) { return each < limit; }; };
  EXPECT_EQ(largest_stable(below(0ms), 1ms, 9ms), std::nullopt);
  EXPECT_EQ(largest_stable(below(1ns), 1ms, 9ms), Duration(0ms));
  EXPECT_EQ(largest_stable(below(7ms), 1ms, 9ms), Duration(6ms));
  EXPECT_EQ(largest_stable(below(7ms), 4ms, 9ms), Duration(4ms));
  EXPECT_EQ(largest_stable(below(1s), 4ms, 9ms), Duration(8ms));
}

/// The largest root of z^(n+2) − z^(n+1) + kh((1−f)z + f), as an eigenvalue.
std::complex<double> largest_root(int n, double f, double kh) {
  Eigen::VectorXd c = Eigen::VectorXd::Zero(n + 2);
  c[0] += kh * f;
  c[1] += kh * (1.0 - f);
  c[n + 1] -= 1.0;
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n + 2, n + 2);
  companion.diagonal(-1).setOnes();
  companion.col(n + 1) = -c;
  const Eigen::VectorXcd roots = companion.eigenvalues();
  Eigen::Index largest = 0;
  roots.cwiseAbs().maxCoeff(&largest);
  return roots[largest];
}

TEST(SingleLoop, HasTheRootsOfItsCompanionMatrix) {
  for (const Duration delay : {Duration(0ms), Duration(4ms), Duration(5ms), Duration(22ms)}) {
    const auto n = static_cast<int>(delay / 4ms);
    const double f = to_seconds(delay % 4ms) / 0.004;
    for (const double part : {0.95, 0.999, 1.001, 1.3}) {
      const double rate = part * loop_limit(delay, 4ms).rate_per_s;
      const CharacteristicEquation equation = single_loop(rate, delay, 4ms);
      EXPECT_EQ(equation.is_stable(), part < 1.0) << n << ' ' << f << ' ' << part;
      EXPECT_EQ(is_loop_stable(rate, delay, 4ms), part < 1.0);

      const std::complex<double> root = largest_root(n, f, rate * 0.004);
      const std::optional<LoopSwing> swing = equation.fastest_swing();
      ASSERT_TRUE(swing);
      EXPECT_NEAR(swing->growth_per_s, std::log(std::abs(root)) / 0.004, 1e-6);
      EXPECT_NEAR(swing->period_s, 2.0 * std::numbers::pi / std::abs(std::arg(root)) * 0.004, 1e-9);
    }
  }
}

/// The same two loops as a matrix: efforts and commands act one after the other on (q, v), with the
/// past kept in shift registers. One joint.
double growth_of_matrix(double rate, double gain, int velocity_ticks, int position_ticks,
                        double h_s, double gravity_per_s2 = 0.0) {
  const int past = std::max(velocity_ticks, position_ticks);
  const int size = 2 * (past + 1);  // v now and before, then q now and before
  const int q = past + 1;
  Eigen::MatrixXd step = Eigen::MatrixXd::Zero(size, size);
  Eigen::RowVectorXd v_next = Eigen::RowVectorXd::Zero(size);
  v_next[0] += 1.0;
  v_next[velocity_ticks] -= h_s * rate;
  v_next[q + position_ticks] -= h_s * rate * gain;
  v_next[q] -= h_s * gravity_per_s2;
  v_next[q + velocity_ticks] += h_s * gravity_per_s2;
  step.row(0) = v_next;
  step.row(q) = h_s * v_next;
  step(q, q) += 1.0;
  for (int i = 1; i <= past; ++i) {
    step(i, i - 1) = 1.0;
    step(q + i, q + i - 1) = 1.0;
  }
  return std::log(step.eigenvalues().cwiseAbs().maxCoeff()) / h_s;
}

TEST(NestedLoops, HaveTheRootsOfTheirMatrix) {
  for (const auto& [velocity_ticks, position_ticks] :
       {std::pair{0, 0}, std::pair{5, 5}, std::pair{0, 12}, std::pair{8, 16}}) {
    for (const double rate : {60.0, 140.0, 190.0, 400.0}) {
      NestedLoops loops;
      loops.rates_per_s = Eigen::MatrixXd::Constant(1, 1, rate);
      loops.gains_per_s = Eigen::VectorXd::Constant(1, 30.0);
      loops.velocity_delay_ticks = velocity_ticks;
      loops.position_delay_ticks = position_ticks;
      loops.period = 1ms;
      const double growth = growth_of_matrix(rate, 30.0, velocity_ticks, position_ticks, 1e-3);
      EXPECT_EQ(loops.equation().is_stable(), growth < 0.0) << rate << ' ' << position_ticks;
      const std::optional<LoopSwing> swing = loops.equation().fastest_swing();
      ASSERT_TRUE(swing);
      EXPECT_NEAR(swing->growth_per_s, growth, 1e-5 * (1.0 + std::abs(growth)));
    }
  }
}

TEST(NestedLoops, AreDisturbedByGravityThatIsCompensatedLate) {
  NestedLoops loops;
  loops.rates_per_s = Eigen::MatrixXd::Constant(1, 1, 5.0);
  loops.gains_per_s = Eigen::VectorXd::Constant(1, 5.0);
  loops.velocity_delay_ticks = 40;
  loops.position_delay_ticks = 80;
  loops.period = 1ms;
  const double without = loops.equation().fastest_swing()->growth_per_s;
  EXPECT_NEAR(without, growth_of_matrix(5.0, 5.0, 40, 80, 1e-3), 1e-6);
  // a standing arm falls further the longer nobody notices; a hanging one (positive) is helped less
  for (const double gravity_per_s2 : {-10.0, 10.0}) {
    loops.gravity_per_s2 = Eigen::MatrixXd::Constant(1, 1, gravity_per_s2);
    const double with = loops.equation().fastest_swing()->growth_per_s;
    EXPECT_NEAR(with, growth_of_matrix(5.0, 5.0, 40, 80, 1e-3, gravity_per_s2), 1e-6);
    EXPECT_GT(std::abs(with - without), 0.1);
  }
  // noticed at once it cancels
  loops.velocity_delay_ticks = 0;
  EXPECT_NEAR(loops.equation().fastest_swing()->growth_per_s,
              growth_of_matrix(5.0, 5.0, 0, 80, 1e-3), 1e-6);
}

// Kv h/J = 14.28 and 3 of two joints that do not touch, no delay: (z - 1)² + 14.28 ((z - 1) + h K
// z) has a root near 1 - 14.28.
TEST(NestedLoops, FindARootFarOutsideTheCircle) {
  NestedLoops loops;
  loops.rates_per_s = Eigen::Vector2d(14280.0, 3000.0).asDiagonal();
  loops.gains_per_s = Eigen::Vector2d(5.0, 5.0);
  loops.period = 1ms;
  EXPECT_FALSE(loops.equation().is_stable());
  const LoopSwing swing = loops.equation().fastest_swing().value();
  EXPECT_NEAR(swing.growth_per_s, growth_of_matrix(14280.0, 5.0, 0, 0, 1e-3), 1e-6);
  EXPECT_NEAR(swing.z.real(), -13.3, 0.2);
}

TEST(NestedLoops, SampledFastAreThePublishedLoopWithServoLag) {
  // Plant 1/(s(Ts+1)), 20 ms: K_max for lags of 5, 10, 20, 50 ms. Sampling at 0.1 ms holds a
  // command for half a period longer on average, 0.05 ms of 20 ms, which costs up to 0.5 %.
  const std::pair<double, double> lag_and_limit[] = {
      {0.005, 66.31}, {0.010, 61.15}, {0.020, 56.75}, {0.050, 53.06}};
  for (const auto& [lag_s, limit] : lag_and_limit) {
    NestedLoops loops;
    loops.rates_per_s = Eigen::MatrixXd::Constant(1, 1, 1.0 / lag_s);
    loops.position_delay_ticks = 200;
    loops.period = 100us;
    for (const double part : {0.99, 1.01}) {
      loops.gains_per_s = Eigen::VectorXd::Constant(1, part * limit);
      EXPECT_EQ(loops.equation().is_stable(), part < 1.0) << lag_s;
    }
  }
}

TEST(NestedLoops, OfTwoEqualJointsThatDoNotTouchAreThoseOfOne) {
  NestedLoops loops;
  loops.rates_per_s = Eigen::Vector2d(140.0, 190.0).asDiagonal();
  loops.gains_per_s = Eigen::Vector2d(10.0, 5.0);
  loops.velocity_delay_ticks = 8;
  loops.position_delay_ticks = 8;
  loops.period = 1ms;
  const double expected =
      std::max(growth_of_matrix(140.0, 10.0, 8, 8, 1e-3), growth_of_matrix(190.0, 5.0, 8, 8, 1e-3));
  EXPECT_NEAR(loops.equation().fastest_swing()->growth_per_s, expected, 1e-6);
}

TEST(FastestMode, OfOneJointIsGainPerInertia) {
  // the drum has 1 kg·m², its rotor 0.25
  const cell::PreparedScenario prepared = cell::load_scenario(
      "one-joint", {{"servo=pid", "servo.p=100", "servo.rotor_inertia_kg_m2=0.25"}, {}, {}},
      labs::built_in_plugins());
  motion::Dynamics dynamics(prepared.model.placements.front().tree);
  const std::vector<double> q{0.3};
  const std::vector<double> gains{100.0};
  EXPECT_NEAR(fastest_mode(dynamics, q, gains).rate_per_s, 80.0, 1e-9);
  EXPECT_EQ(fastest_mode(dynamics, q, gains).joint, 0U);
}

TEST(FastestMode, OfAnArmSatisfiesItsEigenproblemAndNamesTheBusiestJoint) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("ur5-waypoints", {{"cut=effort"}, {}, {}}, labs::built_in_plugins());
  motion::Dynamics dynamics(prepared.model.placements.front().tree);
  const std::vector<double> gains{100.0, 100.0, 100.0, 50.0, 50.0, 50.0};
  const VelocityMode mode = fastest_mode(dynamics, actors::arm_of(prepared).plan().goal, gains);
  // the same by the plain product M⁻¹·Kv; the last wrist carries least, so it is the fastest, a
  // little below gain / rotor inertia
  const Eigen::VectorXd diagonal = Eigen::Map<const Eigen::VectorXd>(gains.data(), 6);
  const Eigen::MatrixXd product =
      dynamics.mass_matrix(actors::arm_of(prepared).plan().goal).inverse() *
      Eigen::MatrixXd(diagonal.asDiagonal());
  EXPECT_NEAR(mode.rate_per_s, product.eigenvalues().real().maxCoeff(), 1e-8);
  EXPECT_EQ(mode.joint, 5U);
  EXPECT_LT(mode.rate_per_s, 50.0 / 0.35);
  EXPECT_GE(fastest_mode_along(dynamics, actors::arm_of(prepared).plan().trajectory,
                               actors::arm_of(prepared).plan().hold_start, gains)
                .rate_per_s,
            mode.rate_per_s * 0.999);
}

}  // namespace
}  // namespace longarm::study
