// SPDX-License-Identifier: Apache-2.0
// Parts that are struck while they are held, and parts that only seem to rest.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "longarm/mechanisms/test/simplifier_fixture.h"

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using physics::BodyId;

constexpr BodyId kBlock{1};
constexpr BodyId kBall{2};

class Striking : public SimplifierTest {};

// 0.1 kg at 2 m/s hit 0.2 kg: 0.2 N s, which a plastic impact makes 0.667 m/s of both; friction
// takes 0.3 · 0.2 · 9.81 = 0.59 N, 0.006 N s in 10 ms
TEST_P(Striking, APartThatIsHeldTakesOnTheMomentumOfABlow) {
  model::Body block = physics::make_box(0.2, {0.1, 0.1, 0.1}, 0.3);
  block.name = "block";
  model::Body ball = physics::make_mass(0.1, {0.04, 0.04, 0.04});
  ball.name = "ball";
  ball.collisions.push_back(physics::make_shape(model::Sphere{0.02}, 0.0));
  SimplifiedWorld cell =
      world(physics::cell_of({physics::ground(1.0), physics::free_body(block, {0, 0, 0.05}),
                              physics::free_body(ball, {-1.0, 0, 0.02})}));
  model::Pose start = model::Pose::Identity();
  start.translation() = Vector3(-0.05 - 0.02 - 0.005, 0.0, 0.05);
  for (int i = 0; i < 300; ++i) {
    cell.engine->reset_body(kBall, start, {});  // or it would lie down somewhere itself
    cell.step();
  }
  ASSERT_TRUE(cell.simplifier.is_joined(kBlock, kGround));

  cell.engine->reset_body(kBall, start, {Vector3(2.0, 0.0, 0.0), Vector3::Zero()});
  int steps = 0;
  while (cell.simplifier.is_joined(kBlock, kGround) && ++steps < 100) {
    cell.step();
  }
  ASSERT_LT(steps, 20);
  cell.run(10);
  const double block_m_s = cell.engine->twist(kBlock).linear_W.x();
  const double ball_m_s = cell.engine->twist(kBall).linear_W.x();
  EXPECT_NEAR(0.2 * block_m_s + 0.1 * ball_m_s, 0.2 - 0.006, 0.01);
  EXPECT_NEAR(block_m_s, 0.667, 0.12);
  EXPECT_LE(ball_m_s, block_m_s + 0.02);
}

// on a slope of 27° with friction 0.5 a part slides with g (sin 27° − 0.5 cos 27°) = 0.0833 m/s²,
// slowly enough to look like rest for a while: 41.6 mm in a second
TEST_P(Striking, APartThatBeginsToSlideIsNotHeld) {
  const double slope = 27.0 * std::numbers::pi / 180.0;
  const Vector3 gravity(9.81 * std::sin(slope), 0.0, -9.81 * std::cos(slope));
  model::Body block = physics::make_box(0.2, {0.1, 0.1, 0.05}, 0.5);
  SimplifiedWorld cell = world(
      physics::cell_of({physics::ground(1.0), physics::free_body(block, {0, 0, 0.025})}, gravity));
  cell.run(1000);
  EXPECT_FALSE(cell.simplifier.is_joined(kBlock, kGround));
  EXPECT_NEAR(cell.engine->pose(kBlock).translation().x(), 0.0416, 0.004);
}

INSTANTIATE_TEST_SUITE_P(, Striking, testing::ValuesIn(all_simplifier_cases()),
                         simplifier_case_name);

}  // namespace
}  // namespace longarm::mechanisms
