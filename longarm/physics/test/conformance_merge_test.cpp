// SPDX-License-Identifier: Apache-2.0
// Conformance: two bodies that become one, move on as one, and part again.
#include "longarm/physics/test/merge_fixture.h"

namespace longarm::physics {
namespace {

using model::Pose;
using model::Vector3;

class Merging : public MergeTest {};
INSTANTIATE_TEST_SUITE_P(Engines, Merging, testing::ValuesIn(all_engines()), engine_name);

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
