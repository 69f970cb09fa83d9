// SPDX-License-Identifier: Apache-2.0
// Motors at their limits on coupled inertias: every solution is checked against what defines it.
#include "longarm/physics/mujoco/limited_motors.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "longarm/physics/test/random_numbers.h"

namespace longarm::physics {
namespace {

TEST(LimitedMotors, GivesAWeakMotorItsLimitAndTheOthersWhatTheyWant) {
  // two masses of 1 and 2 on one rail, coupled: A = [3 2; 2 2] for a carriage that carries a
  // carriage
  LimitedMotors motors(2);
  motors.inertia << 3, 2, 2, 2;
  motors.is_motored = {1, 1};
  motors.wanted_acceleration << 1.0, 0.0;
  motors.limit << 1.5, 10.0;
  ASSERT_TRUE(motors.solve());
  // wanted: efforts 3 and 2. The first has only 1.5: 3a = 1.5 with the second at rest, whose motor
  // then needs 2a
  EXPECT_NEAR(motors.acceleration[0], 0.5, 1e-12);
  EXPECT_EQ(motors.acceleration[1], 0.0);
  EXPECT_EQ(motors.effort[0], 1.5);
  EXPECT_NEAR(motors.effort[1], 1.0, 1e-12);
}

TEST(LimitedMotors, SatisfiesItsConditionsOnRandomMechanisms) {
  std::mt19937_64 random(7);
  int saturated = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int size = 1 + trial % 9;
    LimitedMotors motors(size);
    Eigen::MatrixXd root(size, size);
    for (double& entry : root.reshaped()) {
      entry = draw(random);
    }
    motors.inertia = root * root.transpose() + 0.05 * Eigen::MatrixXd::Identity(size, size);
    for (int i = 0; i < size; ++i) {
      motors.force[i] = 3 * draw(random);
      motors.is_motored[static_cast<std::size_t>(i)] = draw(random) > -0.5;
      motors.wanted_acceleration[i] = 5 * draw(random);
      motors.limit[i] = 2 * std::abs(draw(random));
      motors.effort[i] = draw(random);
    }
    const Eigen::VectorXd given = motors.effort;
    ASSERT_TRUE(motors.solve()) << "trial " << trial;
    // the equation of motion holds
    const Eigen::VectorXd rest =
        motors.inertia * motors.acceleration - motors.force - motors.effort;
    ASSERT_NEAR(rest.norm(), 0.0, 1e-9) << "trial " << trial;
    for (int i = 0; i < size; ++i) {
      const double excess = motors.acceleration[i] - motors.wanted_acceleration[i];
      if (motors.is_motored[static_cast<std::size_t>(i)] == 0) {
        ASSERT_EQ(motors.effort[i], given[i]);
      } else if (std::abs(motors.effort[i]) < motors.limit[i]) {
        ASSERT_EQ(excess, 0.0);
      } else {
        // at the limit, and pushing towards what it wants
        ASSERT_EQ(std::abs(motors.effort[i]), motors.limit[i]);
        ASSERT_LE(excess * motors.effort[i], 0.0);
        ++saturated;
      }
    }
  }
  EXPECT_GT(saturated, 1000) << "too few motors were at their limits for this to mean anything";
}

}  // namespace
}  // namespace longarm::physics
