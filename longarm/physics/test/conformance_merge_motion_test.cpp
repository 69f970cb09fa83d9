// SPDX-License-Identifier: Apache-2.0
// Conformance: bodies that have become one weigh, turn and pull as one, and keep their momentum.
#include "longarm/physics/test/merge_fixture.h"

namespace longarm::physics {
namespace {

using model::Matrix3;
using model::Pose;
using model::Vector3;

class MergedMotion : public MergeTest {};
INSTANTIATE_TEST_SUITE_P(Engines, MergedMotion, testing::ValuesIn(all_engines()), engine_name);

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

TEST_P(MergedMotion, ReportsTheReactionThatAConstraintWould) {
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

TEST_P(MergedMotion, ReportsTheReactionOfAPartOnAWheel) {
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

TEST_P(MergedMotion, AddsMassAndInertiaToAJoint) {
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

TEST_P(MergedMotion, MakesOneFreeBodyOfTwo) {
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

TEST_P(MergedMotion, KeepsMomentumWhenBodiesPart) {
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

TEST_P(MergedMotion, KeepsMomentumWhenBodiesMeet) {
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

}  // namespace
}  // namespace longarm::physics
