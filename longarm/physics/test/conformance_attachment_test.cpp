// SPDX-License-Identifier: Apache-2.0
// Conformance: rigid joints made and broken at run time between all kinds of bodies, by constraints
// and by merging, and what they carry.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

struct JoiningCase {
  EngineCase engine;
  Joining joining = Joining::kConstraint;
};

void PrintTo(const JoiningCase& joining, std::ostream* out) {
  PrintTo(joining.engine, out);
}

std::vector<JoiningCase> all_joinings() {
  std::vector<JoiningCase> cases;
  for (const EngineCase& engine : all_engines()) {
    cases.push_back({engine, Joining::kConstraint});
    cases.push_back({engine, Joining::kMerged});
  }
  return cases;
}

std::string joining_name(const testing::TestParamInfo<JoiningCase>& info) {
  const JoiningCase& joining = info.param;
  return joining.engine.engine + "_" + joining.engine.solver +
         (joining.joining == Joining::kMerged ? "_merged" : "_constraint");
}

class Attachment : public testing::TestWithParam<JoiningCase> {
 protected:
  std::unique_ptr<Engine> make(const model::Cell& cell) const {
    const EngineCase& engine = GetParam().engine;
    return built_in_engines().make(engine.engine, cell, EngineOptions{.solver = engine.solver});
  }
  Joining joining() const { return GetParam().joining; }
  bool is_merged() const { return joining() == Joining::kMerged; }
  /// Whether the engine can join these two in the way that is tested.
  bool can_join(const Engine& engine, BodyId a, BodyId b) const {
    return is_merged() ? engine.can_merge(a, b) : engine.capabilities().has_attachments;
  }
  /// In N and N·m, for loads of some 5 N. QuickStep is off by up to a tenth of the load; MuJoCo's
  /// welds are springs that have settled by then. Newton and Euler are right after a step's error.
  double force_tolerance() const { return is_quick() && !is_merged() ? 0.7 : 5e-3; }
  double torque_tolerance() const { return is_quick() && !is_merged() ? 7e-2 : 1e-3; }
  bool is_quick() const { return GetParam().engine.solver == "quick"; }
  bool is_ode() const { return GetParam().engine.engine == "ode"; }
};
INSTANTIATE_TEST_SUITE_P(Engines, Attachment, testing::ValuesIn(all_joinings()), joining_name);

#define SKIP_UNLESS_JOINABLE(engine, a, b)                     \
  if (!can_join(engine, a, b)) {                               \
    GTEST_SKIP() << "this engine cannot join these like that"; \
  }

/// A hand on a vertical slider (body 1) and a part of 0.5 kg below it (body 2), 0.1 m aside.
model::Cell hand_and_part() {
  model::Body part = make_mass(0.5, {0.06, 0.08, 0.1}, {0.02, 0, 0});
  return cell_of({mechanism({{slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})}}),
                  free_body(part, {0.1, 0, -0.2})});
}

/// Two masses in space, 0.3 m apart: 1 kg with I = 1/600 kg·m², and 2 kg with I = 2/600 kg·m².
model::Cell two_in_space() {
  return cell_of({free_body(make_mass(1.0, {0.1, 0.1, 0.1}), {0, 0, 1}),
                  free_body(make_mass(2.0, {0.1, 0.1, 0.1}), {0.3, 0, 1})},
                 Vector3::Zero());
}

/// Linear momentum, and angular momentum about the world's origin, of two_in_space().
std::pair<Vector3, Vector3> momentum(const Engine& engine) {
  std::pair<Vector3, Vector3> sum{Vector3::Zero(), Vector3::Zero()};
  for (const int body : {0, 1}) {
    const double mass = 1.0 + body;
    const Twist twist = engine.twist(body_id(body));
    sum.first += mass * twist.linear_W;
    sum.second += engine.pose(body_id(body)).translation().cross(mass * twist.linear_W) +
                  mass / 600.0 * twist.angular_W;
  }
  return sum;
}

TEST_P(Attachment, CarriesWeightAndAcceleration) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 100);
  // at rest: F = m·g upwards, nothing about the centre of mass
  Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.force_W - Vector3(0, 0, 0.5 * kGravity)).norm(), 0.0, force_tolerance());
  EXPECT_NEAR(reaction.torque_W.norm(), 0.0, torque_tolerance());
  // the hand accelerates upwards by 3 m/s²: F = m(g + a)
  for (int i = 1; i <= 200; ++i) {
    engine->set_velocity(joint_id(0), 3.0 * i * kStep, 1e4);
    engine->step();
  }
  reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.force_W - Vector3(0, 0, 0.5 * (kGravity + 3.0))).norm(), 0.0,
              force_tolerance());
  // the part has come along: 0.1 m aside and 0.2 m below, within the weld's yield
  const Vector3 apart =
      engine->pose(body_id(2)).translation() - engine->pose(body_id(1)).translation();
  EXPECT_NEAR((apart - Vector3(0.1, 0, -0.2)).norm(), 0.0, 1e-3);
}

TEST_P(Attachment, HoldsWhereItWasMovedTo) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  if (is_merged()) {
    GTEST_SKIP() << "a merged body is where it is";
  }
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 100);
  // aside, down and turned by a little
  model::Pose X_AB = model::Pose::Identity();
  X_AB.translation() = Vector3(0.1005, 0.0, -0.2003);
  X_AB.rotate(Eigen::AngleAxisd(2e-3, Vector3::UnitZ()));
  engine->move_attachment(attachment, X_AB);
  const Vector3 before = engine->pose(body_id(2)).translation();
  EXPECT_LT((before - engine->pose(body_id(1)).translation() - Vector3(0.1, 0, -0.2)).norm(), 1e-4)
      << "only a step moves it";
  run(*engine, 300);
  const model::Pose now = engine->pose(body_id(1)).inverse() * engine->pose(body_id(2));
  // a tenth of the way: what a joint gives under 0.5 kg
  EXPECT_LT((now.translation() - X_AB.translation()).norm(), 5e-5);
  EXPECT_NEAR(Eigen::AngleAxisd(now.linear()).angle(), 2e-3, 2e-4);
}

TEST_P(Attachment, LoadsTheMotorThatCarriesIt) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 100);
  EXPECT_NEAR(engine->efforts()[0], 2.5 * kGravity, is_quick() ? 1.5 : 5e-3);
}

TEST_P(Attachment, ReportsTheSameForceFromEitherSide) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(2), body_id(1));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(2), body_id(1), joining());
  run(*engine, 100);
  // now b is the hand: the part pulls it down, at its own centre of mass, which lies 0.12 m along x
  const Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.force_W - Vector3(0, 0, -0.5 * kGravity)).norm(), 0.0, force_tolerance());
  // (0.12, 0, z) × (0, 0, -mg) = (0, 0.12·mg, 0)
  EXPECT_NEAR((reaction.torque_W - Vector3(0, 0.12 * 0.5 * kGravity, 0)).norm(), 0.0,
              torque_tolerance());
}

TEST_P(Attachment, CarriesForceAndTorqueOnAStaticBody) {
  // a part held by the world, pushed and twisted from outside
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(0), body_id(2));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  model::Pose turned = model::Pose::Identity();
  turned.linear() = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  turned.translation() = Vector3(0.1, 0, -0.2);
  engine->reset_body(body_id(2), turned, {});
  const AttachmentId attachment = engine->attach(body_id(0), body_id(2), joining());
  const Vector3 twist(0.1, -0.2, 0.3);
  for (int i = 0; i < 200; ++i) {
    engine->apply_wrench(body_id(2), {Vector3(1.0, 0, 0), twist});
    engine->step();
  }
  const Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.torque_W + twist).norm(), 0.0, torque_tolerance());
  EXPECT_NEAR((reaction.force_W - Vector3(-1.0, 0, 0.5 * kGravity)).norm(), 0.0, force_tolerance());
}

TEST_P(Attachment, ReportsWhatAStaticBodyFeels) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(2), body_id(0));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(2), body_id(0), joining());
  run(*engine, 200);
  // about the base's origin: (0.12, 0, -0.2) × (0, 0, -mg) = (0, 0.12·mg, 0)
  const Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.force_W - Vector3(0, 0, -0.5 * kGravity)).norm(), 0.0, force_tolerance());
  EXPECT_NEAR((reaction.torque_W - Vector3(0, 0.12 * 0.5 * kGravity, 0)).norm(), 0.0,
              torque_tolerance());
}

TEST_P(Attachment, CarriesCentripetalForceOnAnArm) {
  // a hinge turns at 2 rad/s; the part hangs at a radius of 0.3 m: F = m·ω²·r = 0.6 N inwards
  model::Body arm = make_mass(2.0, {0.3, 0.05, 0.05}, {0.15, 0, 0});
  const auto engine = make(cell_of({mechanism({{hinge(Vector3::UnitZ()), arm}}),
                                    free_body(make_mass(0.5, {0.05, 0.05, 0.05}), {0.3, 0, 0})}));
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
  engine->set_velocity(joint_id(0), 2.0, 1e4);
  run(*engine, 400);
  const Wrench reaction = engine->attachment_reaction(attachment);
  const Vector3 outwards = engine->pose(body_id(2)).translation().normalized();
  EXPECT_NEAR(reaction.force_W.dot(outwards), -0.6, is_quick() ? 0.7 : 2e-2);
  EXPECT_NEAR(reaction.force_W.z(), 0.5 * kGravity, is_quick() ? 0.7 : 2e-2);
}

TEST_P(Attachment, SharesAPushBetweenTwoFreeBodies) {
  // 6 N on the lighter one, along the line of centres: a = 2 m/s², so the other needs 4 N
  for (const bool is_swapped : {false, true}) {
    const auto engine = make(two_in_space());
    const BodyId a = body_id(is_swapped ? 1 : 0);
    const BodyId b = body_id(is_swapped ? 0 : 1);
    SKIP_UNLESS_JOINABLE(*engine, a, b);
    const AttachmentId attachment = engine->attach(a, b, joining());
    for (int i = 0; i < 100; ++i) {
      engine->apply_wrench(body_id(0), {Vector3(6, 0, 0), Vector3::Zero()});
      engine->step();
    }
    EXPECT_NEAR(engine->twist(b).linear_W.x(), 0.2, 1e-3);
    // the lighter one is pushed by 6 N and needs 2: the joint takes 4 back
    const Vector3 expected(is_swapped ? -4.0 : 4.0, 0, 0);
    EXPECT_NEAR((engine->attachment_reaction(attachment).force_W - expected).norm(), 0.0,
                force_tolerance());
  }
}

TEST_P(Attachment, SharesATwistBetweenTwoFreeBodies) {
  // 0.1 N·m about y on the lighter one; together I = 3/600 + 1·0.2² + 2·0.1² = 0.065 kg·m² about
  // the common centre, α = 1/0.65 rad/s². The other, 0.1 m along x, needs I·α = 2/600/0.65 and
  // F = m·α×r = 2·(0, α, 0)×(0.1, 0, 0) = (0, 0, -0.2·α).
  const double alpha = 1.0 / 0.65;
  for (const bool is_swapped : {false, true}) {
    const auto engine = make(two_in_space());
    const BodyId a = body_id(is_swapped ? 1 : 0);
    const BodyId b = body_id(is_swapped ? 0 : 1);
    SKIP_UNLESS_JOINABLE(*engine, a, b);
    const AttachmentId attachment = engine->attach(a, b, joining());
    // long enough for a spring to settle, too short to turn
    for (int i = 0; i < 40; ++i) {
      engine->apply_wrench(body_id(0), {Vector3::Zero(), Vector3(0, 0.1, 0)});
      engine->step();
    }
    const Wrench reaction = engine->attachment_reaction(attachment);
    const double sign = is_swapped ? -1.0 : 1.0;
    const double torque = is_swapped ? alpha / 600.0 - 0.1 : alpha / 300.0;
    EXPECT_NEAR(reaction.force_W.z(), sign * -0.2 * alpha, is_quick() ? 5e-2 : 5e-3);
    EXPECT_NEAR(reaction.torque_W.y(), torque, is_quick() ? 1e-2 : 1e-3);
  }
}

TEST_P(Attachment, MakesTwoBodiesFallAsOne) {
  const auto engine = make(cell_of({free_body(make_mass(1.0, {0.1, 0.1, 0.1}), {0, 0, 1}),
                                    free_body(make_mass(2.0, {0.1, 0.1, 0.1}), {0.3, 0, 1})}));
  SKIP_UNLESS_JOINABLE(*engine, body_id(0), body_id(1));
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), joining());
  run(*engine, 300);
  // both fall freely, so the joint carries nothing
  EXPECT_NEAR(engine->twist(body_id(0)).linear_W.z(), -0.3 * kGravity, 1e-6);
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.norm(), 0.0, 1e-5);
}

TEST_P(Attachment, KeepsMomentumWhenMadeAndBroken) {
  const auto engine = make(two_in_space());
  SKIP_UNLESS_JOINABLE(*engine, body_id(0), body_id(1));
  engine->reset_body(body_id(0), engine->pose(body_id(0)), {Vector3(0.3, 0.6, 0), {0, 1, 2}});
  engine->reset_body(body_id(1), engine->pose(body_id(1)), {Vector3(-0.1, 0, 0.4), {1, 0, 0}});
  const auto [linear, angular] = momentum(*engine);
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), joining());
  run(*engine, 200);
  engine->detach(attachment);
  run(*engine, 10);
  const auto [linear_after, angular_after] = momentum(*engine);
  // integrators drift by their own first order, the body turning at some 2 rad/s; ODE's bodies are
  // at their centres, where nothing drifts
  EXPECT_NEAR((linear_after - linear).norm(), 0.0, (is_ode() ? 1e-9 : 0.01) * linear.norm());
  EXPECT_NEAR((angular_after - angular).norm(), 0.0, 0.01 * angular.norm());
}

TEST_P(Attachment, LetsGoWithTheVelocityOfARigidBody) {
  const auto engine = make(two_in_space());
  SKIP_UNLESS_JOINABLE(*engine, body_id(0), body_id(1));
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1), joining());
  for (int i = 0; i < 100; ++i) {
    engine->apply_wrench(body_id(0), {Vector3::Zero(), Vector3(0, 0, 0.65)});
    engine->step();
  }
  // 0.65 N·m on 0.065 kg·m² for 0.1 s: 1 rad/s
  const Vector3 apart =
      engine->pose(body_id(1)).translation() - engine->pose(body_id(0)).translation();
  engine->detach(attachment);
  const Twist first = engine->twist(body_id(0));
  const Twist second = engine->twist(body_id(1));
  EXPECT_NEAR((second.angular_W - Vector3(0, 0, 1)).norm(), 0.0, 5e-3);
  EXPECT_NEAR((second.linear_W - first.linear_W - Vector3(0, 0, 1).cross(apart)).norm(), 0.0, 5e-3);
  EXPECT_NEAR(apart.norm(), 0.3, 1e-4);
  // from now on both fly straight on
  run(*engine, 50);
  EXPECT_NEAR((engine->twist(body_id(1)).linear_W - second.linear_W).norm(), 0.0, 1e-9);
}

TEST_P(Attachment, LetsGoWhenDetached) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 100);
  engine->detach(attachment);
  const double before = engine->twist(body_id(2)).linear_W.z();
  run(*engine, 100);
  EXPECT_NEAR(engine->twist(body_id(2)).linear_W.z() - before, -0.1 * kGravity, 1e-9);
}

TEST_P(Attachment, CanBeMadeAgainElsewhere) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  for (int i = 0; i < 50; ++i) {
    const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
    run(*engine, 10);
    engine->detach(attachment);
    engine->step();
  }
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 100);
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.z(), 0.5 * kGravity,
              force_tolerance());
}

TEST_P(Attachment, CarriesAChainThatIsStillTouched) {
  // a gear (0.3 kg) on a tray (1 kg) on a lift; both joints hold everything above them
  model::Body lift = make_box(5.0, {0.5, 0.5, 0.1});
  const auto engine = make(cell_of({mechanism({{slider(Vector3::UnitZ()), lift}}),
                                    free_body(make_box(1.0, {0.3, 0.3, 0.04}), {0, 0, 0.07}),
                                    free_body(make_box(0.3, {0.05, 0.05, 0.02}), {0.1, 0, 0.1}),
                                    free_body(make_box(0.2, {0.05, 0.05, 0.02}), {0.1, 0, 0.12})}));
  SKIP_UNLESS_JOINABLE(*engine, body_id(1), body_id(2));
  engine->set_pair_collision(body_id(1), body_id(2), false);
  engine->set_pair_collision(body_id(2), body_id(3), false);
  engine->set_velocity(joint_id(0), 0.0, 1e5);
  const AttachmentId gear = engine->attach(body_id(2), body_id(3), joining());
  const AttachmentId tray = engine->attach(body_id(1), body_id(2), joining());
  run(*engine, 300);
  // the fourth lies loose on the gear: its weight comes through the gear
  EXPECT_NEAR(engine->attachment_reaction(gear).force_W.z(), 0.5 * kGravity,
              is_quick() ? 0.5 : 2e-2);
  EXPECT_NEAR(engine->attachment_reaction(tray).force_W.z(), 1.5 * kGravity,
              is_quick() ? 1.5 : 2e-2);
  double on_loose = 0.0;
  for (const Contact& contact : engine->contacts()) {
    EXPECT_TRUE(contact.a == body_id(3) || contact.b == body_id(3)) << "contacts keep their bodies";
    on_loose += (contact.b == body_id(4) ? 1.0 : -1.0) * contact.force_on_b_W.z();
  }
  EXPECT_NEAR(on_loose, 0.2 * kGravity, is_quick() ? 0.5 : 0.02);
}

TEST_P(Attachment, KeepsBodiesThatOverlapTogether) {
  // without an order not to touch: parts of one body do not push each other
  if (!is_merged()) {
    GTEST_SKIP() << "the contact of two bodies held by a constraint is the caller's business";
  }
  const auto engine = make(cell_of({free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0}),
                                    free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0.05, 0, 0})},
                                   Vector3::Zero()));
  SKIP_UNLESS_JOINABLE(*engine, body_id(0), body_id(1));
  engine->attach(body_id(0), body_id(1), joining());
  run(*engine, 20);
  EXPECT_TRUE(engine->contacts().empty());
  EXPECT_NEAR(engine->pose(body_id(1)).translation().x(), 0.05, 1e-12);
}

}  // namespace
}  // namespace longarm::physics
