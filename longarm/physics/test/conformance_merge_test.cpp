// SPDX-License-Identifier: Apache-2.0
// Conformance: two bodies that become one, move on as one, and part again.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Matrix3;
using model::Pose;
using model::Vector3;

class Merging : public EngineTest {
 protected:
  /// In N and N·m; iterating leaves QuickStep a little off.
  double force_tolerance() const { return is("ode", "quick") ? 0.05 : 5e-3; }
  double torque_tolerance() const { return is("ode", "quick") ? 1e-2 : 1e-3; }
};
INSTANTIATE_TEST_SUITE_P(Engines, Merging, testing::ValuesIn(all_engines()), engine_name);

const model::Body kTray = make_mass(2.0, {0.4, 0.3, 0.1}, {0.01, 0.02, 0});
const model::Body kGear = make_mass(0.5, {0.06, 0.08, 0.1}, {0.02, 0, 0});

struct Momentum {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();  ///< about the world's origin
};

Momentum momentum(const Engine& engine, BodyId id, const model::Body& body) {
  const Pose X = engine.pose(id);
  const Twist twist = engine.twist(id);
  const Vector3 centre = X * body.inertial.X_LC.translation();
  const Vector3 velocity = twist.linear_W + twist.angular_W.cross(centre - X.translation());
  const Matrix3 inertia = X.linear() * body.inertial.inertia_kg_m2 * X.linear().transpose();
  const Vector3 linear = body.inertial.mass_kg * velocity;
  return {linear, centre.cross(linear) + inertia * twist.angular_W};
}

Momentum sum(const Momentum& a, const Momentum& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}

/// A belt on a slider along x (body 1), a tray (2) on it and a gear (3) on the tray; joint 0.
model::Cell belt_tray_gear() {
  const model::Body belt = make_box(20.0, {2, 0.5, 0.1});
  const model::Body tray = make_box(1.0, {0.3, 0.3, 0.02});
  const model::Body gear = make_box(0.2, {0.05, 0.05, 0.05});
  return cell_of({mechanism({{slider(Vector3::UnitX()), belt}}), free_body(tray, {0, 0, 0.06}),
                  free_body(gear, {0.05, 0.04, 0.095})});
}

TEST_P(Merging, TakesAFreeBodyOnceAndNoOther) {
  const auto engine =
      make(cell_of({mechanism({{slider(Vector3::UnitX()), make_mass(1, {1, 1, 1})}}),
                    free_body(kTray, {0, 0, 1}), free_body(kGear, {0, 0, 2})}));
  SKIP_UNLESS(engine, has_merging);
  const BodyId base = body_id(0);
  const BodyId hand = body_id(1);
  const BodyId tray = body_id(2);
  const BodyId gear = body_id(3);
  EXPECT_TRUE(engine->can_merge(base, tray));
  EXPECT_TRUE(engine->can_merge(hand, tray));
  EXPECT_TRUE(engine->can_merge(gear, tray));
  EXPECT_FALSE(engine->can_merge(tray, base)) << "it is fixed to the world";
  EXPECT_FALSE(engine->can_merge(tray, hand)) << "a joint carries it";
  EXPECT_FALSE(engine->can_merge(tray, tray));
  const AttachmentId attachment = engine->attach(tray, gear, Joining::kMerged);
  EXPECT_FALSE(engine->can_merge(hand, gear)) << "it is part of the tray";
  EXPECT_FALSE(engine->can_merge(gear, tray)) << "that would be a ring";
  EXPECT_TRUE(engine->can_merge(hand, tray)) << "with the gear";
  engine->detach(attachment);
  EXPECT_TRUE(engine->can_merge(hand, gear));
}

TEST_P(Merging, ReportsTheReactionThatAConstraintWould) {
  // a part 0.1 m beside and 0.2 m below a hand that accelerates by 3 m/s² along z
  for (const Joining joining : {Joining::kConstraint, Joining::kMerged}) {
    const auto engine =
        make(cell_of({mechanism({{slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})}}),
                      free_body(kGear, {0.1, 0, -0.2})}));
    SKIP_UNLESS(engine, has_merging);
    const double looser = joining == Joining::kConstraint ? 15.0 : 1.0;
    engine->set_velocity(joint_id(0), 0.0, 1e4);
    const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining);
    run(*engine, 100);
    Wrench reaction = engine->attachment_reaction(attachment);
    // at rest m·g, accelerated m(g + a), and nothing about the part's own centre of mass
    EXPECT_NEAR((reaction.force_W - Vector3(0, 0, 0.5 * kGravity)).norm(), 0.0,
                looser * force_tolerance());
    for (int i = 1; i <= 200; ++i) {
      engine->set_velocity(joint_id(0), 3.0 * i * kStep, 1e4);
      engine->step();
    }
    reaction = engine->attachment_reaction(attachment);
    EXPECT_NEAR((reaction.force_W - Vector3(0, 0, 0.5 * (kGravity + 3.0))).norm(), 0.0,
                looser * force_tolerance());
    EXPECT_NEAR(reaction.torque_W.norm(), 0.0, looser * torque_tolerance());
  }
}

TEST_P(Merging, ReportsTheReactionOfAPartOnAWheel) {
  // 0.5 kg, its centre of mass 0.3 m from the axis along the wheel's x, turning at ω = 4 rad/s
  // and speeding up by α = 2 rad/s²: inwards m·ω²·r, along the path m·α·r, torque I·α about z
  const double r = 0.3;
  const double alpha = 2.0;
  const auto engine =
      make(cell_of({mechanism({{hinge(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})}}),
                    free_body(kGear, {r - 0.02, 0, 0})},
                   Vector3::Zero()));
  SKIP_UNLESS(engine, has_merging);
  if (!engine->can_merge(body_id(1), body_id(2))) {
    GTEST_SKIP() << "this engine merges into no body that turns on a joint";
  }
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), Joining::kMerged);
  for (int i = 1; i <= 2000; ++i) {
    engine->set_velocity(joint_id(0), alpha * i * kStep, 1e4);
    engine->step();
  }
  const double omega = 4.0;
  // the reaction belongs to the beginning or the end of the step, 4 mrad apart
  const Matrix3 R = engine->pose(body_id(1)).linear();
  const Wrench reaction = engine->attachment_reaction(attachment);
  const Vector3 force = R.transpose() * reaction.force_W;
  EXPECT_NEAR(force.x(), -0.5 * omega * omega * r, 0.02);
  EXPECT_NEAR(force.y(), 0.5 * alpha * r, 0.02);
  // I_zz = m/12 (0.06² + 0.08²)
  EXPECT_NEAR(reaction.torque_W.z(), 0.5 / 12 * 0.01 * alpha, 1e-4);
}

TEST_P(Merging, AddsMassAndInertiaToAJoint) {
  // a torque of 0.3 N·m on a wheel of 2/12 (0.1² + 0.1²) kg·m² with the part's I + m·r²
  const double r = 0.3;
  const auto engine =
      make(cell_of({mechanism({{hinge(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})}}),
                    free_body(kGear, {r - 0.02, 0, 0})},
                   Vector3::Zero()));
  SKIP_UNLESS(engine, has_merging);
  if (!engine->can_merge(body_id(1), body_id(2))) {
    GTEST_SKIP() << "this engine merges into no body that turns on a joint";
  }
  engine->attach(body_id(1), body_id(2), Joining::kMerged);
  engine->set_effort(joint_id(0), 0.3);
  run(*engine, 500);
  const double inertia = 2.0 / 12 * 0.02 + 0.5 / 12 * 0.01 + 0.5 * r * r;
  EXPECT_NEAR(engine->velocities()[0], 0.5 * 0.3 / inertia, 0.01 * 0.5 * 0.3 / inertia);
}

TEST_P(Merging, MakesOneFreeBodyOfTwo) {
  const auto engine = make(
      cell_of({free_body(kTray, {0, 0, 1}), free_body(kGear, {0.2, 0.1, 1.1})}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_merging);
  const Pose X_before = engine->pose(body_id(0)).inverse() * engine->pose(body_id(1));
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), Joining::kMerged);
  // 5 N on the gear for 0.2 s: both momenta grow by the impulse and its moment
  const Vector3 force(0, 3, 4);
  Vector3 moment = Vector3::Zero();
  for (int i = 0; i < 200; ++i) {
    const Vector3 centre = engine->pose(body_id(1)) * kGear.inertial.X_LC.translation();
    moment += kStep * centre.cross(force);
    engine->apply_wrench(body_id(1), {force, Vector3::Zero()});
    engine->step();
  }
  const Momentum all =
      sum(momentum(*engine, body_id(0), kTray), momentum(*engine, body_id(1), kGear));
  // steps are of first order where the centre of mass is not at the origin
  EXPECT_NEAR((all.linear - 0.2 * force).norm(), 0.0, 0.01 * 0.2 * force.norm());
  EXPECT_NEAR((all.angular - moment).norm(), 0.0, 0.01 * moment.norm());
  const Pose X_after = engine->pose(body_id(0)).inverse() * engine->pose(body_id(1));
  EXPECT_TRUE(X_after.isApprox(X_before, 1e-9));
  // the tray lacks what the gear's neighbour exerts: m·a of the gear = 5 N - reaction
  const Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_LT(reaction.force_W.dot(force), 0.0);
}

TEST_P(Merging, KeepsMomentumWhenBodiesPart) {
  const auto engine = make(
      cell_of({free_body(kTray, {0, 0, 1}), free_body(kGear, {0.2, 0.1, 1.1})}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_merging);
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), Joining::kMerged);
  engine->reset_body(body_id(0), Pose(Eigen::Translation3d(0, 0, 1)),
                     {Vector3(0.3, -0.2, 0.1), Vector3(1, 2, 3)});
  // accelerate it, too
  for (int i = 0; i < 300; ++i) {
    engine->apply_wrench(body_id(0), {Vector3(4, 0, 1), Vector3(0.05, 0.02, 0)});
    engine->step();
  }
  const auto total = [&] {
    return sum(momentum(*engine, body_id(0), kTray), momentum(*engine, body_id(1), kGear));
  };
  const Momentum before = total();
  engine->detach(attachment);
  const Momentum at_split = total();
  engine->step();
  const Momentum after = total();
  for (const Momentum& then : {at_split, after}) {
    EXPECT_NEAR((then.linear - before.linear).norm(), 0.0, 0.01 * before.linear.norm());
    EXPECT_NEAR((then.angular - before.angular).norm(), 0.0, 0.01 * before.angular.norm());
  }
  // and each goes its own way: the gear's centre of mass straight on
  const Vector3 velocity = momentum(*engine, body_id(1), kGear).linear;
  run(*engine, 100);
  EXPECT_NEAR((momentum(*engine, body_id(1), kGear).linear - velocity).norm(), 0.0,
              1e-3 * velocity.norm());
}

TEST_P(Merging, KeepsMomentumWhenBodiesMeet) {
  // 2 kg at 1 m/s catches 0.5 kg at rest: 0.8 m/s
  const model::Body striker = make_mass(2.0, {0.1, 0.1, 0.1});
  const model::Body struck = make_mass(0.5, {0.1, 0.1, 0.1});
  const auto engine = make(
      cell_of({free_body(striker, {0, 0, 0}), free_body(struck, {0.1, 0, 0})}, Vector3::Zero()));
  SKIP_UNLESS(engine, has_merging);
  engine->reset_body(body_id(0), Pose::Identity(), {Vector3(1, 0, 0), Vector3::Zero()});
  engine->attach(body_id(0), body_id(1), Joining::kMerged);
  engine->step();
  EXPECT_NEAR(engine->twist(body_id(0)).linear_W.x(), 0.8, 1e-6);
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.x(), 0.8, 1e-6);
}

TEST_P(Merging, FormsChains) {
  const auto engine = make(belt_tray_gear());
  SKIP_UNLESS(engine, has_merging);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId gear_on_tray = engine->attach(body_id(2), body_id(3), Joining::kMerged);
  const AttachmentId tray_on_belt = engine->attach(body_id(1), body_id(2), Joining::kMerged);
  // the belt speeds up by 1 m/s²
  for (int i = 1; i <= 100; ++i) {
    engine->set_velocity(joint_id(0), 1.0 * i * kStep, 1e4);
    engine->step();
  }
  EXPECT_TRUE(engine->contacts().empty()) << "all of them are one";
  EXPECT_NEAR(engine->efforts()[0], 21.2, 0.05);
  EXPECT_NEAR(
      (engine->attachment_reaction(gear_on_tray).force_W - 0.2 * Vector3(1, 0, kGravity)).norm(),
      0.0, force_tolerance());
  const Wrench tray = engine->attachment_reaction(tray_on_belt);
  EXPECT_NEAR((tray.force_W - 1.2 * Vector3(1, 0, kGravity)).norm(), 0.0, force_tolerance());
  // the gear's need of 0.2 (1, 0, g) acts at (0.05, 0.04, 0.035) from the tray's centre
  const Vector3 torque = Vector3(0.05, 0.04, 0.035).cross(0.2 * Vector3(1, 0, kGravity));
  EXPECT_NEAR((tray.torque_W - torque).norm(), 0.0, torque_tolerance());
  EXPECT_NEAR(engine->twist(body_id(3)).linear_W.x(), 0.1, 1e-3);

  // the tray leaves with the gear and slides on its own
  engine->detach(tray_on_belt);
  EXPECT_NEAR(engine->twist(body_id(3)).linear_W.x(), 0.1, 1e-3);
  const Vector3 apart =
      engine->pose(body_id(3)).translation() - engine->pose(body_id(2)).translation();
  engine->set_velocity(joint_id(0), 0.1, 1e4);
  run(*engine, 100);
  EXPECT_FALSE(engine->contacts().empty());
  for (const Contact& contact : engine->contacts()) {
    EXPECT_EQ(std::minmax(contact.a, contact.b), std::minmax(body_id(1), body_id(2)));
  }
  const Vector3 now =
      engine->pose(body_id(3)).translation() - engine->pose(body_id(2)).translation();
  EXPECT_NEAR((now - apart).norm(), 0.0, 1e-4);
  // what holds the gear knows nothing of the belt
  EXPECT_NEAR(
      (engine->attachment_reaction(gear_on_tray).force_W - 0.2 * Vector3(0, 0, kGravity)).norm(),
      0.0, 0.05);
  engine->detach(gear_on_tray);
  run(*engine, 100);
  EXPECT_NEAR(engine->pose(body_id(3)).translation().z(), 0.095, 1e-3) << "it lies on the tray";
}

TEST_P(Merging, FollowsASupportThatIsPutElsewhere) {
  const auto engine = make(belt_tray_gear());
  SKIP_UNLESS(engine, has_merging);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  engine->attach(body_id(2), body_id(3), Joining::kMerged);
  engine->attach(body_id(1), body_id(2), Joining::kMerged);
  engine->reset_joint(joint_id(0), -0.25, 0.0);
  EXPECT_NEAR((engine->pose(body_id(3)).translation() - Vector3(-0.2, 0.04, 0.095)).norm(), 0.0,
              1e-9);
  const auto hit = engine->ray({-0.2, 0.04, 1.0}, {0, 0, -1}, 2.0);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->body, body_id(3));
  EXPECT_NEAR(hit->distance_m, 1.0 - 0.12, 1e-6);
}

TEST_P(Merging, LeavesEachBodyItsOwnContactsAndLoads) {
  // a ball of 0.3 kg on a block of 1 kg that has become part of the ground
  model::Body ball = make_mass(0.3, {0.05, 0.05, 0.05});
  ball.collisions.push_back(make_shape(model::Sphere{0.03}, 1.0));
  model::Body block = make_mass(1.0, {0.2, 0.2, 0.1});
  block.collisions.push_back(make_shape(model::Box{{0.02, 0.02, 0.02}}, 1.0, {0.09, 0, 0}));
  block.collisions.push_back(make_shape(model::Box{{0.1, 0.1, 0.1}}, 1.0));
  const auto engine =
      make(cell_of({ground(), free_body(block, {0, 0, 0.05}), free_body(ball, {0, 0, 0.13})}));
  SKIP_UNLESS(engine, has_merging);
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), Joining::kMerged);
  run(*engine, 500);
  ASSERT_EQ(engine->contacts().size(), 1u);
  const Contact& contact = engine->contacts().front();
  const bool is_a = contact.a == body_id(1);
  EXPECT_EQ(is_a ? contact.b : contact.a, body_id(2));
  EXPECT_EQ(is_a ? contact.a : contact.b, body_id(1));
  EXPECT_EQ(is_a ? contact.geometry_a : contact.geometry_b, 1);
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.z(), 1.3 * kGravity, 0.05);
  // pushed sideways at its centre of mass, by 2 N
  engine->apply_wrench(body_id(1), {Vector3(2, 0, 0), Vector3(0, 0, 0.1)});
  engine->step();
  const Wrench pushed = engine->attachment_reaction(attachment);
  EXPECT_NEAR(pushed.force_W.x(), -2.0, 0.05);
  EXPECT_NEAR(pushed.torque_W.z(), -0.1, 1e-3);
  // and nothing of that is left in the next step
  engine->step();
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.x(), 0.0, 0.05);
  // told not to touch the block, the ball falls through it onto the ground
  engine->set_pair_collision(body_id(1), body_id(2), false);
  run(*engine, 400);
  EXPECT_NEAR(engine->pose(body_id(2)).translation().z(), 0.03, 2e-3);
}

TEST_P(Merging, IsForeseenInNoCollision) {
  const auto engine = make(belt_tray_gear());
  SKIP_UNLESS(engine, has_merging);
  // the gear a little inside the tray, both within reach of nothing else
  engine->reset_body(body_id(3), Pose(Eigen::Translation3d(0.05, 0.04, 0.09)), {});
  const std::vector<double> at{0.0};
  const std::pair gear_in_tray(body_id(2), body_id(3));
  auto pairs = engine->collisions_at(at);
  EXPECT_EQ(std::count(pairs.begin(), pairs.end(), gear_in_tray), 1);
  engine->attach(body_id(2), body_id(3), Joining::kMerged);
  pairs = engine->collisions_at(at);
  EXPECT_EQ(std::count(pairs.begin(), pairs.end(), gear_in_tray), 0);
}

TEST_P(Merging, LetsEverythingThatMovesBecomePartOfTheWorld) {
  const auto engine = make(cell_of({ground(), free_body(kTray, {0, 0, 1})}));
  SKIP_UNLESS(engine, has_merging);
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), Joining::kMerged);
  run(*engine, 100);
  EXPECT_EQ(engine->pose(body_id(1)).translation(), Vector3(0, 0, 1));
  EXPECT_EQ(engine->twist(body_id(1)).linear_W, Vector3::Zero());
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.z(), 2.0 * kGravity, 1e-9);
  engine->detach(attachment);
  run(*engine, 100);
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.z(), -0.1 * kGravity, 1e-6);
}

TEST_P(Merging, GivesBackTheBodyThatItTook) {
  // merged and parted a hundred times the gear still spins as one that never was
  const auto cell = cell_of({free_body(kTray, {0, 0, 1}), free_body(kGear, {0.2, 0.1, 1.1})});
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_merging);
  const auto never = make(cell);
  for (int i = 0; i < 100; ++i) {
    engine->detach(engine->attach(body_id(0), body_id(1), Joining::kMerged));
  }
  for (Engine* either : {engine.get(), never.get()}) {
    either->reset_body(body_id(1), Pose::Identity(), {Vector3::Zero(), Vector3(3, 2, 1)});
    run(*either, 300);
  }
  EXPECT_TRUE(engine->pose(body_id(1)).isApprox(never->pose(body_id(1)), 1e-12));
  EXPECT_TRUE(engine->pose(body_id(0)).isApprox(never->pose(body_id(0)), 1e-12));
}

TEST_P(Merging, PassesOnWhatAConstraintPullsAt) {
  // the gear is part of the tray, the tray hangs on the world by a constraint at the gear
  const auto engine =
      make(cell_of({ground(), free_body(kTray, {0, 0, 1}), free_body(kGear, {0.2, 0.1, 1.1})}));
  SKIP_UNLESS(engine, has_merging);
  const AttachmentId merged = engine->attach(body_id(1), body_id(2), Joining::kMerged);
  const AttachmentId held = engine->attach(body_id(0), body_id(2));
  run(*engine, 300);
  const double looser = is("ode", "quick") ? 20.0 : 10.0;
  EXPECT_NEAR(engine->attachment_reaction(held).force_W.z(), 2.5 * kGravity,
              looser * force_tolerance());
  // the tray pulls the gear down by its own weight
  EXPECT_NEAR(engine->attachment_reaction(merged).force_W.z(), -2.0 * kGravity,
              looser * force_tolerance());
}

TEST_P(Merging, IsRestoredBitByBit) {
  const auto engine = make(belt_tray_gear());
  SKIP_UNLESS(engine, has_merging);
  SKIP_UNLESS(engine, restores_exactly);
  engine->set_velocity(joint_id(0), 0.1, 1e4);
  run(*engine, 50);
  const AttachmentId gear = engine->attach(body_id(2), body_id(3), Joining::kMerged);
  run(*engine, 50);
  const Snapshot with_gear = engine->save();
  // the other way round: restored later into a state where others are merged
  const auto play = [&] {
    std::vector<double> numbers;
    engine->apply_wrench(body_id(3), {Vector3(0, 1, 0), Vector3::Zero()});
    run(*engine, 20);
    const AttachmentId tray = engine->attach(body_id(1), body_id(2), Joining::kMerged);
    const Snapshot unsettled = engine->save();
    run(*engine, 20);
    numbers.push_back(engine->attachment_reaction(gear).force_W.x());
    engine->detach(tray);
    run(*engine, 20);
    numbers.insert(numbers.end(), unsettled.numbers.begin(), unsettled.numbers.end());
    const Snapshot end = engine->save();
    numbers.insert(numbers.end(), end.numbers.begin(), end.numbers.end());
    return numbers;
  };
  const std::vector<double> first = play();
  engine->detach(gear);
  run(*engine, 10);
  engine->restore(with_gear);
  EXPECT_EQ(engine->save().numbers, with_gear.numbers);
  EXPECT_EQ(play(), first);
}

TEST_P(Merging, CostsNoSecondLookAtManyBodies) {
  // fifty boxes that rest on a belt are as many contacts; merged there is none
  std::vector<model::Placement> placements{
      mechanism({{slider(Vector3::UnitX()), make_box(50.0, {12, 0.5, 0.1})}})};
  for (int i = 0; i < 50; ++i) {
    placements.push_back(free_body(make_box(0.1, {0.1, 0.1, 0.1}), {0.2 * i - 5, 0, 0.1}));
  }
  const auto engine = make(cell_of(placements));
  SKIP_UNLESS(engine, has_merging);
  engine->set_velocity(joint_id(0), 0.0, 1e5);
  run(*engine, 5);
  EXPECT_GE(engine->contacts().size(), 50u);
  std::vector<AttachmentId> attachments;
  for (int i = 0; i < 50; ++i) {
    attachments.push_back(engine->attach(body_id(1), body_id(2 + i), Joining::kMerged));
  }
  run(*engine, 5);
  EXPECT_TRUE(engine->contacts().empty());
  // every other one leaves, in another order than they came
  for (int i = 48; i >= 0; i -= 2) {
    engine->detach(attachments[static_cast<std::size_t>(i)]);
  }
  run(*engine, 50);
  for (int i = 0; i < 50; ++i) {
    const Vector3 p = engine->pose(body_id(2 + i)).translation();
    EXPECT_NEAR((p - Vector3(0.2 * i - 5, 0, 0.1)).norm(), 0.0, 2e-3) << i;
  }
  EXPECT_GE(engine->contacts().size(), 25u);
}

class MergingDeath : public Merging {};
INSTANTIATE_TEST_SUITE_P(Engines, MergingDeath, testing::ValuesIn(all_engines()), engine_name);

TEST_P(MergingDeath, RefusesToPutAPartElsewhere) {
  const auto engine = make(belt_tray_gear());
  SKIP_UNLESS(engine, has_merging);
  engine->attach(body_id(2), body_id(3), Joining::kMerged);
  EXPECT_DEATH(engine->reset_body(body_id(3), Pose::Identity(), {}), "part of another");
  EXPECT_DEATH(engine->attach(body_id(1), body_id(3), Joining::kMerged), "cannot be merged");
}

}  // namespace
}  // namespace longarm::physics
