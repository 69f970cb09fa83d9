// SPDX-License-Identifier: Apache-2.0
// Conformance: contacts, friction, pairs that may not touch, rays and collision queries.
#include <cmath>

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class Contacts : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, Contacts, testing::ValuesIn(all_engines()), engine_name);

/// Gravity as on a ramp of slope `angle` whose surface is the plane z = 0, falling towards +x.
Vector3 ramp_gravity(double angle) {
  return kGravity * Vector3(std::sin(angle), 0, -std::cos(angle));
}

/// Sum of the contact forces on `body`.
Vector3 force_on(const Engine& engine, BodyId body) {
  Vector3 sum = Vector3::Zero();
  for (const Contact& contact : engine.contacts()) {
    if (contact.b == body) {
      sum += contact.force_on_b_W;
    } else if (contact.a == body) {
      sum -= contact.force_on_b_W;
    }
  }
  return sum;
}

TEST_P(Contacts, CarryTheWeightOfABoxAtRest) {
  const auto engine =
      make(cell_of({ground(), free_body(make_box(2.0, {0.2, 0.1, 0.1}), {0, 0, 0.05})}));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 500);
  // a contact per lower corner
  EXPECT_EQ(engine->contacts().size(), 4u);
  EXPECT_NEAR(force_on(*engine, body_id(1)).z(), 2.0 * kGravity, 2.0 * kGravity * 1e-3);
  // sinks by its elasticity only
  EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.05, 1e-3);
  for (const Contact& contact : engine->contacts()) {
    const double up = contact.a == body_id(0) ? 1.0 : -1.0;
    EXPECT_NEAR(up * contact.normal_W.z(), 1.0, 1e-6) << "the normal points from a to b";
    EXPECT_NEAR(contact.p_W.z(), 0.0, 1e-3);
  }
}

TEST_P(Contacts, HoldABoxOnASlopeBelowItsFrictionAngle) {
  // tan α = 0.45 < μ = 0.5
  const auto engine =
      make(cell_of({ground(0.5), free_body(make_box(1.0, {0.2, 0.2, 0.1}), {0, 0, 0.05})},
                   ramp_gravity(std::atan(0.45))));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 200);
  const double start = engine->pose(body_id(1)).translation().x();
  run(*engine, 1000);
  // soft friction creeps by less than 0.1 mm/s
  EXPECT_NEAR(engine->pose(body_id(1)).translation().x(), start, 1e-4);
}

TEST_P(Contacts, LetABoxSlideOnASlopeAboveItsFrictionAngle) {
  const double angle = std::atan(0.8);
  const auto engine =
      make(cell_of({ground(0.5), free_body(make_box(1.0, {0.2, 0.2, 0.05}), {0, 0, 0.025})},
                   ramp_gravity(angle)));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 100);
  const double before = engine->twist(body_id(1)).linear_W.x();
  run(*engine, 500);
  const double gained = engine->twist(body_id(1)).linear_W.x() - before;
  // a = g(sin α - μ cos α) = 9.81·(0.624695 - 0.5·0.780869) = 2.298 m/s²
  const double acceleration = kGravity * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR(gained, 0.5 * acceleration, 0.5 * acceleration * 2e-3);
  // and it slides, it does not hop
  EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.025, 1e-4);
}

TEST_P(Contacts, RubWithTheSmallerOfTwoFrictions) {
  for (const auto& [on_ground, on_box] : {std::pair{0.2, 1.0}, std::pair{1.0, 0.2}}) {
    const auto engine = make(cell_of(
        {ground(on_ground), free_body(make_box(1.0, {0.2, 0.2, 0.05}, on_box), {0, 0, 0.025})}));
    SKIP_UNLESS(engine, has_contacts);
    run(*engine, 100);
    engine->reset_body(body_id(1), engine->pose(body_id(1)), {{1.0, 0, 0}, {0, 0, 0}});
    run(*engine, 250);
    // v = 1 - μ·g·t = 1 - 0.2·9.81·0.25 = 0.5095
    EXPECT_NEAR(engine->twist(body_id(1)).linear_W.x(), 0.5095, 2e-3);
  }
}

TEST_P(Contacts, BringAPartToTheSpeedOfABelt) {
  // the belt is a long slider; μ = 0.4, v = 0.5: equal speed after v/(μg) = 127.4 ms and a slip of
  // v²/(2μg) = 31.9 mm
  model::Cell cell = cell_of(
      {mechanism({{slider(Vector3::UnitX()), make_box(50.0, {4, 0.5, 0.1})}}, {0, 0, -0.05}),
       free_body(make_box(0.3, {0.1, 0.1, 0.05}, 0.4), {0, 0, 0.025})});
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_contacts);
  engine->set_velocity(joint_id(0), 0.0, 1e6);
  run(*engine, 100);
  engine->set_velocity(joint_id(0), 0.5, 1e6);
  run(*engine, 100);
  // 0.1 s of μg = 3.924 m/s²; the belt itself runs from the first step
  EXPECT_NEAR(engine->twist(body_id(2)).linear_W.x(), 0.3924, 5e-3);
  run(*engine, 200);
  EXPECT_NEAR(engine->twist(body_id(2)).linear_W.x(), 0.5, 1e-3);
  const double slip = engine->positions()[0] - engine->pose(body_id(2)).translation().x();
  EXPECT_NEAR(slip, 0.25 / (2 * 0.4 * kGravity), 5e-4);
}

TEST_P(Contacts, SlideForeverWithoutFriction) {
  const auto engine =
      make(cell_of({ground(), free_body(make_box(1.0, {0.2, 0.2, 0.05}, 0.0), {0, 0, 0.025})}));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 100);
  engine->reset_body(body_id(1), engine->pose(body_id(1)), {{1.0, 0, 0}, {0, 0, 0}});
  run(*engine, 500);
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.x(), 1.0, 1e-4);
}

TEST_P(Contacts, StopSpheresCylindersAndCapsules) {
  std::vector<model::Placement> placements{ground()};
  const model::Shape shapes[] = {model::Sphere{0.05}, model::Cylinder{0.05, 0.1},
                                 model::Capsule{0.05, 0.1}};
  const double heights[] = {0.05, 0.05, 0.1};
  for (int i = 0; i < 3; ++i) {
    model::Body body = make_mass(0.5, {0.1, 0.1, 0.1});
    body.collisions.push_back(make_shape(shapes[i]));
    placements.push_back(free_body(body, {0.5 * i, 0, heights[i] + 1e-4}));
  }
  const auto engine = make(cell_of(placements));
  SKIP_UNLESS(engine, has_contacts);
  // a standing capsule balances on a point for so long
  run(*engine, 100);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(engine->pose(body_id(i + 1)).translation().z(), heights[i], 1e-3) << "shape " << i;
    EXPECT_NEAR(force_on(*engine, body_id(i + 1)).z(), 0.5 * kGravity, 0.25) << "shape " << i;
  }
}

TEST_P(Contacts, OfAPairCanBeSwitchedOffAndOn) {
  const auto engine =
      make(cell_of({ground(), free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0.05})}));
  SKIP_UNLESS(engine, has_contacts);
  engine->set_pair_collision(body_id(0), body_id(1), false);
  run(*engine, 20);
  EXPECT_TRUE(engine->contacts().empty());
  // free fall of 20 steps
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.z(), -0.02 * kGravity, 1e-9);
  engine->set_pair_collision(body_id(1), body_id(0), true);
  engine->step();
  EXPECT_FALSE(engine->contacts().empty());
  run(*engine, 1000);
  EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.05, 2e-3);
}

TEST_P(Contacts, DoNotArtificiallyJoinNeighboursInATree) {
  // the carriage overlaps the base it slides on; a box across the way does stop it
  model::Placement carriage =
      mechanism({{slider(Vector3::UnitX()), make_box(1.0, {0.2, 0.2, 0.2})}});
  carriage.tree.bodies[0] = make_box(1.0, {0.2, 0.2, 0.2});
  const auto engine =
      make(cell_of({carriage, place(make_box(1.0, {0.1, 1, 1}), {0.5, 0, 0}, true)}));
  SKIP_UNLESS(engine, has_contacts);
  engine->set_velocity(joint_id(0), 1.0, 50.0);
  run(*engine, 100);
  EXPECT_TRUE(engine->contacts().empty());
  run(*engine, 900);
  // surfaces meet at 0.5 - 0.05 - 0.1
  EXPECT_NEAR(engine->positions()[0], 0.35, 2e-3);
  EXPECT_NEAR(std::abs(force_on(*engine, body_id(1)).x()), 50.0, 0.5);
}

TEST_P(Contacts, IgnoreThePairsThatTheModelIgnores) {
  const auto make_pair = [&](bool is_ignored, bool self_collides) {
    model::Placement pair = mechanism({{slider(Vector3::UnitX()), make_box(1.0, {0.1, 0.1, 0.1})},
                                       {slider(Vector3::UnitX()), make_box(1.0, {0.1, 0.1, 0.1})}});
    pair.tree.self_collides = self_collides;
    if (is_ignored) {
      pair.tree.ignored_contacts = {{2, 1}};
    }
    return make(cell_of({pair}));
  };
  const auto touching = make_pair(false, true);
  SKIP_UNLESS(touching, has_contacts);
  touching->step();
  EXPECT_FALSE(touching->contacts().empty());
  for (const auto& engine : {make_pair(true, true), make_pair(false, false)}) {
    engine->step();
    EXPECT_TRUE(engine->contacts().empty());
  }
}

TEST_P(Contacts, KeepAPartBetweenTwoFingersUpToTheirFriction) {
  // two fingers press a part with F = 10 N each, μ = 0.5: they hold 2μF = 10 N, one kilogram
  // weighs 9.81 N
  const auto squeeze = [&](double mass_kg) {
    model::Body part = make_box(mass_kg, {0.04, 0.04, 0.04}, 0.5);
    auto engine = make(cell_of(
        {mechanism({{make_joint(model::JointType::kPrismatic, Vector3::UnitX(), 0, {-0.03, 0, 0}),
                     make_box(0.2, {0.02, 0.04, 0.04})},
                    {make_joint(model::JointType::kPrismatic, -Vector3::UnitX(), 0, {0.03, 0, 0}),
                     make_box(0.2, {0.02, 0.04, 0.04})}}),
         free_body(part, {0, 0, 0})}));
    engine->set_effort(joint_id(0), 10.0);
    engine->set_effort(joint_id(1), 10.0);
    run(*engine, 300);
    return engine->pose(body_id(3)).translation().z();
  };
  if (!make(cell_of({}))->capabilities().has_contacts) {
    GTEST_SKIP() << "this engine has no contacts";
  }
  // 0.9 kg stays; the first milliseconds, before the fingers press, may cost a tenth of a
  // millimetre
  EXPECT_NEAR(squeeze(0.9), 0.0, 5e-4);
  // 1.2 kg weigh 11.8 N: slips with a = 1.77/1.2 = 1.5 m/s², 66 mm in 0.3 s, out of the fingers
  // after 40
  EXPECT_LT(squeeze(1.2), -0.02);
}

TEST_P(Contacts, RaysMeetTheNearestShape) {
  const auto engine = make(cell_of({ground(), place(make_box(1, {0.2, 0.2, 0.2}), {2, 0, 1}, true),
                                    free_body(make_box(1, {0.2, 0.2, 0.2}), {3, 0, 1})}));
  SKIP_UNLESS(engine, has_rays);
  // the face of the first box is at 2 - 0.1
  const auto box = engine->ray({0, 0, 1}, Vector3::UnitX(), 10.0);
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(box->body, body_id(1));
  EXPECT_NEAR(box->distance_m, 1.9, 1e-9);
  const auto behind = engine->ray({4, 0, 1}, -Vector3::UnitX(), 10.0);
  ASSERT_TRUE(behind.has_value());
  EXPECT_EQ(behind->body, body_id(2));
  EXPECT_NEAR(behind->distance_m, 0.9, 1e-9);
  const auto floor = engine->ray({0, 0, 1}, -Vector3::UnitZ(), 10.0);
  ASSERT_TRUE(floor.has_value());
  EXPECT_EQ(floor->body, body_id(0));
  EXPECT_NEAR(floor->distance_m, 1.0, 1e-9);
  EXPECT_FALSE(engine->ray({0, 0, 1}, Vector3::UnitX(), 1.8).has_value());
  EXPECT_FALSE(engine->ray({0, 0, 1}, Vector3::UnitZ(), 10.0).has_value());
}

TEST_P(Contacts, AreForeseenAtAConfigurationWithoutTouchingTheState) {
  model::Cell cell = cell_of({mechanism({{slider(Vector3::UnitX()), make_box(1, {0.1, 0.1, 0.1})}}),
                              place(make_box(1, {0.1, 0.1, 0.1}), {1, 0, 0}, true)});
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_collision_query);
  const auto undisturbed = make(cell);
  for (const auto& e : {engine.get(), undisturbed.get()}) {
    e->set_velocity(joint_id(0), 0.3, 10.0);
    run(*e, 100);
  }
  const std::vector<double> inside{0.95};
  const std::vector<double> outside{0.5};
  const std::vector<std::pair<BodyId, BodyId>> expected{{body_id(1), body_id(2)}};
  EXPECT_EQ(engine->collisions_at(inside), expected);
  EXPECT_TRUE(engine->collisions_at(outside).empty());
  for (const auto& e : {engine.get(), undisturbed.get()}) {
    run(*e, 100);
  }
  EXPECT_EQ(engine->positions()[0], undisturbed->positions()[0]);
  EXPECT_EQ(engine->velocities()[0], undisturbed->velocities()[0]);
}

TEST_P(Contacts, OfThePairsSwitchedOffAreNotForeseen) {
  const auto engine =
      make(cell_of({mechanism({{slider(Vector3::UnitX()), make_box(1, {0.1, 0.1, 0.1})}}),
                    place(make_box(1, {0.1, 0.1, 0.1}), {1, 0, 0}, true)}));
  SKIP_UNLESS(engine, has_collision_query);
  engine->set_pair_collision(body_id(1), body_id(2), false);
  EXPECT_TRUE(engine->collisions_at(std::vector{0.95}).empty());
}

}  // namespace
}  // namespace longarm::physics
