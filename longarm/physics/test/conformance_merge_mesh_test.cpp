// SPDX-License-Identifier: Apache-2.0
// Conformance: shapes stay where they are while bodies become one and part again, meshes and
// others.
#include "longarm/model/test/mesh_robot.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class MergedShapes : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, MergedShapes, testing::ValuesIn(all_engines()), engine_name);

constexpr BodyId kBelt{1};
constexpr BodyId kFirstTray{2};
constexpr BodyId kOtherTray{3};
constexpr BodyId kBox{4};

/// A solid whose centre of mass and whose mesh are at `centre`.
model::Body mesh_box_at(double mass_kg, const Vector3& size_m, const Vector3& centre) {
  model::Body body = make_mass(mass_kg, size_m, centre);
  model::Mesh mesh;
  mesh.data = std::make_shared<const model::MeshData>(model::box_mesh(-size_m / 2.0, size_m / 2.0));
  body.collisions.push_back(make_shape(mesh, 1.0, centre));
  return body;
}

/// A belt whose top is at z = 0 (joint 0), two trays of 20 mm on it, and a box of 50 mm on the
/// first one. Frames are at the undersides, those of the belt at its top.
model::Cell belt_trays_box() {
  const model::Body belt = mesh_box_at(20.0, {2.0, 0.5, 0.1}, {0, 0, -0.05});
  const model::Body tray = mesh_box_at(1.0, {0.3, 0.2, 0.02}, {0, 0, 0.01});
  const model::Body box = mesh_box_at(0.2, {0.03, 0.04, 0.05}, {0, 0, 0.025});
  return cell_of({mechanism({{slider(Vector3::UnitX()), belt}}), free_body(tray, {-0.4, 0.1, 0}),
                  free_body(tray, {0.3, 0, 0}), free_body(box, {-0.3, 0.05, 0.02})});
}

/// The height of what is met from above.
double top(const Engine& engine, double x, double y, BodyId expected) {
  const auto hit = engine.ray({x, y, 1.0}, {0, 0, -1}, 2.0);
  if (!hit.has_value() || hit->body != expected) {
    return kInfinity;
  }
  return 1.0 - hit->distance_m;
}

TEST_P(MergedShapes, StayWhereTheyAreUnderALoad) {
  const auto engine = make(belt_trays_box());
  SKIP_UNLESS(engine, has_merging);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  const auto expect_tops = [&](const char* when) {
    SCOPED_TRACE(when);
    // contacts give by less than 0.1 mm
    EXPECT_NEAR(top(*engine, -0.9, -0.2, kBelt), 0.0, 1e-4);
    EXPECT_NEAR(top(*engine, 0.9, 0.2, kBelt), 0.0, 1e-4);
    EXPECT_NEAR(top(*engine, -0.5, 0.05, kFirstTray), 0.02, 1e-4);
    EXPECT_NEAR(top(*engine, -0.3, 0.05, kBox), 0.07, 2e-4);
    EXPECT_NEAR(top(*engine, 0.42, 0.05, kOtherTray), 0.02, 1e-4);
  };
  run(*engine, 100);
  expect_tops("before");
  const AttachmentId box_on_tray = engine->attach(kFirstTray, kBox, Joining::kMerged);
  run(*engine, 100);
  expect_tops("a box in a tray");
  const AttachmentId tray_on_belt = engine->attach(kBelt, kFirstTray, Joining::kMerged);
  run(*engine, 300);
  expect_tops("both on the belt");
  engine->detach(tray_on_belt);
  run(*engine, 100);
  expect_tops("off the belt");
  engine->detach(box_on_tray);
  run(*engine, 100);
  expect_tops("apart");
}

TEST_P(MergedShapes, CarryOthersWhileAndAfterTheyAreOne) {
  const auto engine = make(belt_trays_box());
  SKIP_UNLESS(engine, has_merging);
  engine->set_velocity(joint_id(0), 0.0, 1e4);
  run(*engine, 100);
  // the belt carries the second tray, by contact, while the first one is part of it
  const AttachmentId box_on_tray = engine->attach(kFirstTray, kBox, Joining::kMerged);
  const AttachmentId tray_on_belt = engine->attach(kBelt, kFirstTray, Joining::kMerged);
  run(*engine, 200);
  double lift_N = 0.0;
  for (const Contact& contact : engine->contacts()) {
    EXPECT_EQ(contact.a == kOtherTray ? contact.b : contact.a, kBelt);
    EXPECT_EQ(contact.a == kOtherTray ? contact.a : contact.b, kOtherTray);
    lift_N += (contact.b == kOtherTray ? 1.0 : -1.0) * contact.force_on_b_W.z();
  }
  EXPECT_NEAR(lift_N, 1.0 * kGravity, 0.1);
  // and so does the tray the box, when only the box has left again
  engine->detach(box_on_tray);
  run(*engine, 200);
  EXPECT_NEAR(engine->pose(kBox).translation().z(), 0.02, 2e-4);
  engine->detach(tray_on_belt);
  run(*engine, 200);
  EXPECT_NEAR(engine->pose(kFirstTray).translation().z(), 0.0, 2e-4);
  EXPECT_NEAR(engine->pose(kBox).translation().z(), 0.02, 4e-4);
}

TEST_P(MergedShapes, StandUprightUnderALoadAtTheirSide) {
  // a column, its frame at its foot, and a plate that becomes part of it: together their
  // centre of mass is (0.2 · 0.03 + 0.4 · 0) / 0.6 = 0.01 m beside the column's axis, above its
  // foot
  model::Body column = make_mass(0.4, {0.06, 0.08, 0.2}, {0, 0, 0.1});
  column.collisions.push_back(make_shape(model::Box{{0.06, 0.08, 0.2}}, 1.0, {0, 0, 0.1}));
  const model::Body plate = mesh_box_at(0.2, {0.1, 0.1, 0.02}, {0, 0, 0.01});
  const auto engine =
      make(cell_of({ground(), free_body(column, {0, 0, 0}), free_body(plate, {0.03, 0, 0.2})}));
  SKIP_UNLESS(engine, has_merging);
  engine->attach(body_id(1), body_id(2), Joining::kMerged);
  run(*engine, 300);
  EXPECT_NEAR((engine->pose(body_id(1)).translation()).norm(), 0.0, 3e-4);
  const auto side = engine->ray({-1.0, 0, 0.01}, {1, 0, 0}, 2.0);
  ASSERT_TRUE(side.has_value());
  EXPECT_EQ(side->body, body_id(1));
  EXPECT_NEAR(side->distance_m, 1.0 - 0.03, 3e-4);
  EXPECT_NEAR(top(*engine, 0.07, 0.0, body_id(2)), 0.22, 3e-4);
}

}  // namespace
}  // namespace longarm::physics
