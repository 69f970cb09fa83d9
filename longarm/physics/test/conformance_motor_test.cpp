// SPDX-License-Identifier: Apache-2.0
// Conformance: velocity and position motors with their force limits.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class Motor : public EngineTest {
 protected:
  /// How exactly a motor reaches its velocity. QuickStep iterates; it is off by percents of a
  /// step's change.
  double tolerance() const { return is("ode", "quick") ? 2e-2 : 1e-7; }
};
INSTANTIATE_TEST_SUITE_P(Engines, Motor, testing::ValuesIn(all_engines()), engine_name);

TEST_P(Motor, ChangesVelocityByNoMoreThanItsForceAllows) {
  const auto engine = make(one_joint(slider(Vector3::UnitX()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.012, 10.0);
  // fmax·h/m = 0.005 per step, then the rest: efforts 10, 10, m·0.002/h = 4, 0
  const double velocities[] = {0.005, 0.010, 0.012, 0.012};
  const double efforts[] = {10.0, 10.0, 4.0, 0.0};
  for (int i = 0; i < 4; ++i) {
    engine->step();
    EXPECT_NEAR(engine->velocities()[0], velocities[i], 1e-9) << "step " << i;
    EXPECT_NEAR(engine->efforts()[0], efforts[i], 1e-5) << "step " << i;
  }
}

TEST_P(Motor, HasTheSameLimitInBothDirections) {
  const auto engine = make(one_joint(slider(Vector3::UnitX()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), -1.0, 10.0);
  run(*engine, 10);
  EXPECT_NEAR(engine->velocities()[0], -0.05, 1e-9);
  EXPECT_NEAR(engine->efforts()[0], -10.0, 1e-9);
}

TEST_P(Motor, WithoutForceIsOff) {
  const auto engine = make(one_joint(slider(Vector3::UnitX()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->reset_joint(joint_id(0), 0.0, 0.3);
  engine->set_velocity(joint_id(0), 1.0, 0.0);
  run(*engine, 100);
  EXPECT_NEAR(engine->velocities()[0], 0.3, 1e-9);
  EXPECT_EQ(engine->efforts()[0], 0.0);
}

TEST_P(Motor, HoldsAWeightWithExactlyItsWeight) {
  const auto engine = make(one_joint(slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.0, 100.0);
  run(*engine, 100);
  // ODE's constraints yield by 1e-10 m/s per newton
  EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-8);
  EXPECT_NEAR(engine->efforts()[0], 2.0 * kGravity, 1e-6);
}

TEST_P(Motor, TooWeakForTheWeightSinksWithTheRest) {
  const auto engine = make(one_joint(slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.0, 9.62);
  run(*engine, 100);
  // a = 9.62/2 - 9.81 = -5
  EXPECT_NEAR(engine->velocities()[0], -0.5, 1e-8);
  EXPECT_NEAR(engine->efforts()[0], 9.62, 1e-8);
}

TEST_P(Motor, OvercomesTheJointsOwnDamping) {
  model::TreeJoint joint = slider(Vector3::UnitX());
  joint.dynamics.damping = 50.0;
  const auto engine = make(one_joint(joint, make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.2, 1000.0);
  run(*engine, 10);
  EXPECT_NEAR(engine->velocities()[0], 0.2, 1e-7);
  // steady: d·v = 10
  EXPECT_NEAR(engine->efforts()[0], 10.0, 1e-5);
}

TEST_P(Motor, ReachesItsVelocityWhileAnotherJointIsTooWeak) {
  // a shoulder without strength; the elbow still turns as told, relative to a falling upper arm
  const Vector3 axis = Vector3::UnitY();
  const auto engine =
      make(cell_of({mechanism({{make_joint(model::JointType::kRevolute, axis),
                                make_mass(2.0, {0.3, 0.05, 0.05}, {0.15, 0, 0})},
                               {make_joint(model::JointType::kRevolute, axis, 1, {0.3, 0, 0}),
                                make_mass(1.0, {0.3, 0.05, 0.05}, {0.15, 0, 0})}})}));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.0, 0.5);
  engine->set_velocity(joint_id(1), 0.4, 500.0);
  for (int i = 0; i < 200; ++i) {
    engine->step();
    ASSERT_NEAR(engine->velocities()[1], 0.4, is("ode") ? 2e-2 : 1e-7) << "step " << i;
  }
  // it falls (gravity turns it about +y) although the motor brakes with all it has
  EXPECT_GT(engine->velocities()[0], 1.0);
  EXPECT_NEAR(engine->efforts()[0], -0.5, is("ode", "quick") ? 1e-2 : 1e-6);
}

TEST_P(Motor, ReachesItsVelocityBesideAJointUnderEffort) {
  const auto engine =
      make(cell_of({mechanism({{slider(Vector3::UnitX()), make_mass(1.0, {0.1, 0.1, 0.1})},
                               {make_joint(model::JointType::kPrismatic, Vector3::UnitX(), 1),
                                make_mass(1.0, {0.1, 0.1, 0.1})}})}));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.1, 100.0);
  engine->set_effort(joint_id(1), 2.0);
  run(*engine, 100);
  // the carriage keeps 0.1 and takes the reaction: its motor pushes 2 N back; the tool accelerates
  // by 2 m/s². In the first step the tool loses the carriage's 0.1.
  EXPECT_NEAR(engine->velocities()[0], 0.1, tolerance());
  EXPECT_NEAR(engine->velocities()[1], 0.2 - 0.1, 2 * tolerance());
  EXPECT_NEAR(engine->efforts()[0], 2.0, is("ode", "quick") ? 0.1 : 1e-5);
}

TEST_P(Motor, BlockedPressesWithItsLimitFromTheFirstStep) {
  // a box overlaps a wall by 0.1 mm; free, the motor would reach 0.1 m/s in one step with half its
  // force
  model::Cell cell = one_joint(slider(Vector3::UnitX()), make_box(1.0, {0.1, 0.1, 0.1}));
  cell.placements.push_back(place(make_box(1.0, {0.1, 1, 1}), {0.0999, 0, 0}, true));
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_constraint_motors);
  SKIP_UNLESS(engine, has_contacts);
  engine->set_velocity(joint_id(0), 0.1, 200.0);
  for (int i = 0; i < 200; ++i) {
    engine->step();
    ASSERT_NEAR(engine->efforts()[0], 200.0, is("ode", "quick") ? 0.1 : 1e-6) << "step " << i;
  }
  EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-3);
  double pressing = 0.0;
  for (const Contact& contact : engine->contacts()) {
    pressing += std::abs(contact.force_on_b_W.x());
  }
  EXPECT_NEAR(pressing, 200.0, 0.2);
}

TEST_P(Motor, AgainstAStopPressesWithItsLimitAndComesAwayAtItsSpeed) {
  model::TreeJoint joint = slider(Vector3::UnitX());
  joint.limits.lower = -1.0;
  joint.limits.upper = 0.01;
  const auto engine = make(one_joint(joint, make_mass(1.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_constraint_motors);
  engine->set_velocity(joint_id(0), 0.1, 200.0);
  run(*engine, 300);
  EXPECT_NEAR(engine->positions()[0], 0.01, 1e-3);
  EXPECT_NEAR(engine->efforts()[0], 200.0, 1e-6);
  engine->set_velocity(joint_id(0), -0.1, 200.0);
  for (int i = 0; i < 100; ++i) {
    engine->step();
    // never flung off
    ASSERT_GE(engine->velocities()[0], -0.1 - 1e-6) << "step " << i;
  }
  EXPECT_NEAR(engine->velocities()[0], -0.1, 1e-6);
}

TEST_P(Motor, OfUnlimitedEffortPutsAJointInItsPlaceWithinAStep) {
  const auto engine = make(one_joint(slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})));
  engine->set_position(joint_id(0), 0.25, kInfinity);
  engine->step();
  EXPECT_NEAR(engine->positions()[0], 0.25, 1e-6);
  EXPECT_NEAR(engine->velocities()[0], 250.0, 1e-3);
  engine->step();
  EXPECT_NEAR(engine->positions()[0], 0.25, 1e-6);
  EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-3);
}

TEST_P(Motor, CountsManyTurns) {
  const auto engine = make(one_joint(hinge(Vector3::UnitZ()), make_mass(1.0, {0.1, 0.2, 0.3})));
  engine->set_velocity(joint_id(0), 50.0, 1e6);
  run(*engine, 2000);
  // 100 rad are sixteen turns
  EXPECT_NEAR(engine->positions()[0], 100.0, 1e-5);
  engine->set_velocity(joint_id(0), -50.0, 1e6);
  run(*engine, 4000);
  EXPECT_NEAR(engine->positions()[0], -100.0, 1e-5);
}

TEST_P(Motor, MovesAJointExactlyAsFarAsItsVelocity) {
  const auto engine = make(one_joint(hinge(Vector3::UnitX()), make_mass(1.0, {0.1, 0.2, 0.3})));
  engine->set_velocity(joint_id(0), 0.7, 1e6);
  run(*engine, 1000);
  EXPECT_NEAR(engine->positions()[0], 0.7, 1e-7);
}

TEST_P(Motor, YieldsToALaterEffortCommand) {
  const auto engine = make(one_joint(slider(Vector3::UnitX()), make_mass(2.0, {0.1, 0.1, 0.1})));
  SKIP_UNLESS(engine, has_dynamics);
  engine->set_velocity(joint_id(0), 0.0, 100.0);
  engine->set_effort(joint_id(0), 4.0);
  run(*engine, 100);
  EXPECT_NEAR(engine->velocities()[0], 0.2, 1e-9);
}

TEST_P(Motor, StopsAtTheEndOfItsTravel) {
  model::TreeJoint joint = slider(Vector3::UnitX());
  joint.limits.lower = 0.0;
  joint.limits.upper = 0.05;
  const auto engine = make(one_joint(joint, make_mass(2.0, {0.1, 0.1, 0.1})));
  engine->set_position(joint_id(0), 3.0, kInfinity);
  run(*engine, 50);
  EXPECT_NEAR(engine->positions()[0], 0.05, 1e-4);
  EXPECT_NEAR(engine->velocities()[0], 0.0, 1e-3);
}

}  // namespace
}  // namespace longarm::physics
