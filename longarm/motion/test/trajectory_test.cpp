// SPDX-License-Identifier: Apache-2.0
// Tests the polynomials between trajectory points, the holding outside and what is refused.
#include "longarm/motion/trajectory.h"

#include <array>
#include <chrono>
#include <limits>

#include <gtest/gtest.h>

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;

struct State {
  double p = 0.0;
  double v = 0.0;
  double a = 0.0;
};

State state_at(const Trajectory& trajectory, Duration t) {
  State s;
  trajectory.sample(t, {&s.p, 1}, {&s.v, 1}, {&s.a, 1});
  return s;
}

void expect_state(const State& s, double p, double v, double a) {
  EXPECT_NEAR(s.p, p, 1e-12);
  EXPECT_NEAR(s.v, v, 1e-12);
  EXPECT_NEAR(s.a, a, 1e-12);
}

Trajectory make(std::vector<TrajectoryPoint> points) {
  Result<Trajectory> made = Trajectory::make(std::move(points));
  EXPECT_TRUE(made.has_value());
  return std::move(made).value();
}

TEST(Trajectory, IsLinearBetweenPointsWithoutVelocities) {
  const Trajectory t = make({{0s, {1.0}, {}, {}}, {2s, {5.0}, {}, {}}});
  expect_state(state_at(t, 500ms), 2.0, 2.0, 0.0);
}

// Rest to rest with x = t/T: 3x² − 2x³ = 5/32 at x = 1/4; its rates (6x − 6x²)/T = 9/16 and (6 −
// 12x)/T² = 3/4.
TEST(Trajectory, IsCubicBetweenPointsWithVelocities) {
  const Trajectory t = make({{0s, {0.0}, {0.0}, {}}, {2s, {1.0}, {0.0}, {}}});
  expect_state(state_at(t, 500ms), 5.0 / 32.0, 9.0 / 16.0, 0.75);
}

// A cubic is fixed by its ends, so it must come out as t³ itself: at t = 2, 8, 12 and 12.
TEST(Trajectory, ReproducesACubic) {
  const Trajectory t = make({{1s, {1.0}, {3.0}, {}}, {3s, {27.0}, {27.0}, {}}});
  expect_state(state_at(t, 2s), 8.0, 12.0, 12.0);
}

// Likewise t⁵ − t³: at t = 1: 0, 2, 14; at t = 3: 216, 378, 522; at t = 2: 24, 68, 148.
TEST(Trajectory, ReproducesAQuintic) {
  const Trajectory t = make({{1s, {0.0}, {2.0}, {14.0}}, {3s, {216.0}, {378.0}, {522.0}}});
  const State s = state_at(t, 2s);
  EXPECT_NEAR(s.p, 24.0, 1e-10);
  EXPECT_NEAR(s.v, 68.0, 1e-10);
  EXPECT_NEAR(s.a, 148.0, 1e-10);
}

// A field that only one end carries does not count: the first segment is linear, the second cubic
// from rest at both ends: 1 + (3x² − 2x³) at x = 1/4.
TEST(Trajectory, UsesOnlyWhatBothEndsOfASegmentCarry) {
  const Trajectory t =
      make({{0s, {0.0}, {}, {}}, {1s, {1.0}, {0.0}, {7.0}}, {2s, {2.0}, {0.0}, {}}});
  expect_state(state_at(t, 250ms), 0.25, 1.0, 0.0);
  expect_state(state_at(t, 1250ms), 1.0 + 5.0 / 32.0, 18.0 / 16.0, 3.0);
}

TEST(Trajectory, HoldsBeforeTheFirstPointAndAfterTheLast) {
  const Trajectory t = make({{1s, {1.0}, {3.0}, {}}, {3s, {27.0}, {27.0}, {}}});
  expect_state(state_at(t, 999ms), 1.0, 0.0, 0.0);
  expect_state(state_at(t, 1s), 1.0, 3.0, 6.0);
  expect_state(state_at(t, 3s), 27.0, 27.0, 18.0);
  expect_state(state_at(t, 3001ms), 27.0, 0.0, 0.0);
}

TEST(Trajectory, OfASinglePointIsThatPoint) {
  const Trajectory t = make({{1s, {4.0}, {2.0}, {}}});
  expect_state(state_at(t, 0s), 4.0, 0.0, 0.0);
  expect_state(state_at(t, 1s), 4.0, 0.0, 0.0);
  expect_state(state_at(t, 2s), 4.0, 0.0, 0.0);
}

TEST(Trajectory, SamplesTheSameWithAnyCursor) {
  std::vector<TrajectoryPoint> points;
  for (int i = 0; i < 20; ++i) {
    points.push_back({i * 10ms, {0.1 * i * i, -1.0 * i}, {1.0 * i, 0.5}, {}});
  }
  const Trajectory t = make(points);
  for (std::size_t start : {0UL, 7UL, 1000UL}) {
    for (const Duration now : {-5ms, 0ms, 12ms, 60ms, 99ms, 189ms, 190ms, 300ms}) {
      Trajectory::Cursor cursor{start};
      std::array<double, 2> with{};
      std::array<double, 2> without{};
      t.sample(now, with, {}, {}, cursor);
      t.sample(now, without);
      EXPECT_EQ(with, without);
    }
  }
}

std::string refusal(std::vector<TrajectoryPoint> points) {
  const Result<Trajectory> made = Trajectory::make(std::move(points));
  return made ? "accepted" : made.error().message;
}

TEST(Trajectory, SaysWhatIsWrongWithItsPoints) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({}), "a trajectory needs at least one point");
  EXPECT_EQ(refusal({{1s, {0.0}, {}, {}}, {1s, {1.0}, {}, {}}}),
            "trajectory point 1 is not later than the one before");
  EXPECT_EQ(refusal({{0s, {0.0}, {}, {}}, {1s, {1.0, 2.0}, {}, {}}}),
            "trajectory point 1 has 2 positions instead of 1");
  EXPECT_EQ(refusal({{0s, {0.0}, {1.0, 2.0}, {}}}),
            "trajectory point 0 has 2 velocities instead of 1");
  EXPECT_EQ(refusal({{0s, {0.0}, {}, {kNan}}}),
            "trajectory point 0 has accelerations that are not finite");
}

}  // namespace
}  // namespace longarm::motion
