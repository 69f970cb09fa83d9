// SPDX-License-Identifier: Apache-2.0
// Conformance: rigid joints made and broken at run time, and what they carry.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

/// A hand on a vertical slider (body 1) and a part of 0.5 kg below it (body 2), 0.1 m aside.
model::Cell hand_and_part() {
  model::Body part = make_mass(0.5, {0.06, 0.08, 0.1}, {0.02, 0, 0});
  return cell_of({mechanism({{slider(Vector3::UnitZ()), make_mass(2.0, {0.1, 0.1, 0.1})}}),
                  free_body(part, {0.1, 0, -0.2})});
}

class Attachment : public EngineTest {
 protected:
  /// In N and N·m. QuickStep is off by up to a tenth of the load; MuJoCo's welds are springs that
  /// have settled by then.
  double force_tolerance() const { return is("ode", "quick") ? 0.7 : 5e-3; }
  double torque_tolerance() const { return is("ode", "quick") ? 7e-2 : 1e-3; }
};
INSTANTIATE_TEST_SUITE_P(Engines, Attachment, testing::ValuesIn(all_engines()), engine_name);

TEST_P(Attachment, CarriesWeightAndAcceleration) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS(engine, has_attachments);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2));
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

TEST_P(Attachment, ReportsTheSameForceFromEitherSide) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS(engine, has_attachments);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(2), body_id(1));
  run(*engine, 100);
  // now b is the hand: the part pulls it down
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.z(), -0.5 * kGravity,
              force_tolerance());
}

TEST_P(Attachment, CarriesTorqueAboutTheCentreOfMass) {
  // a part welded to the world, twisted from outside
  const auto engine = make(hand_and_part());
  SKIP_UNLESS(engine, has_attachments);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  model::Pose turned = model::Pose::Identity();
  turned.linear() = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  turned.translation() = Vector3(0.1, 0, -0.2);
  engine->reset_body(body_id(2), turned, {});
  const AttachmentId attachment = engine->attach(body_id(0), body_id(2));
  const Vector3 twist(0.1, -0.2, 0.3);
  for (int i = 0; i < 200; ++i) {
    engine->apply_wrench(body_id(2), {Vector3(1.0, 0, 0), twist});
    engine->step();
  }
  const Wrench reaction = engine->attachment_reaction(attachment);
  EXPECT_NEAR((reaction.torque_W + twist).norm(), 0.0, torque_tolerance());
  EXPECT_NEAR((reaction.force_W - Vector3(-1.0, 0, 0.5 * kGravity)).norm(), 0.0, force_tolerance());
}

TEST_P(Attachment, MakesTwoBodiesFallAsOne) {
  const auto engine = make(cell_of({free_body(make_mass(1.0, {0.1, 0.1, 0.1}), {0, 0, 1}),
                                    free_body(make_mass(2.0, {0.1, 0.1, 0.1}), {0.3, 0, 1})}));
  SKIP_UNLESS(engine, has_attachments);
  const AttachmentId attachment = engine->attach(body_id(0), body_id(1));
  run(*engine, 300);
  // both fall freely, so the joint carries nothing
  EXPECT_NEAR(engine->twist(body_id(0)).linear_W.z(), -0.3 * kGravity, 1e-6);
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.norm(), 0.0, 1e-5);
}

TEST_P(Attachment, LetsGoWhenDetached) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS(engine, has_attachments);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2));
  run(*engine, 100);
  engine->detach(attachment);
  const double before = engine->twist(body_id(2)).linear_W.z();
  run(*engine, 100);
  EXPECT_NEAR(engine->twist(body_id(2)).linear_W.z() - before, -0.1 * kGravity, 1e-9);
}

TEST_P(Attachment, CanBeMadeAgainElsewhere) {
  const auto engine = make(hand_and_part());
  SKIP_UNLESS(engine, has_attachments);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  for (int i = 0; i < 50; ++i) {
    const AttachmentId attachment = engine->attach(body_id(1), body_id(2));
    run(*engine, 10);
    engine->detach(attachment);
    engine->step();
  }
  const AttachmentId attachment = engine->attach(body_id(1), body_id(2));
  run(*engine, 100);
  EXPECT_NEAR(engine->attachment_reaction(attachment).force_W.z(), 0.5 * kGravity,
              force_tolerance());
}

}  // namespace
}  // namespace longarm::physics
