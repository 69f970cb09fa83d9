// SPDX-License-Identifier: Apache-2.0
// Conformance: meshes touch as the engine says they do, as true surfaces or as convex hulls.
#include <cmath>

#include "longarm/model/mesh.h"
#include "longarm/model/test/mesh_robot.h"
#include "longarm/physics/mesh_warnings.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class Meshes : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Engines, Meshes, testing::ValuesIn(all_engines()), engine_name);

model::Mesh mesh_of(model::MeshData data) {
  model::Mesh mesh;
  mesh.data = std::make_shared<const model::MeshData>(std::move(data));
  return mesh;
}

model::Mesh box_of(const Vector3& size) {
  return mesh_of(model::box_mesh(-size / 2, size / 2));
}

/// A body of a mesh in the shape of a box, with the mass of that box.
model::Body mesh_box(double mass_kg, const Vector3& size, double friction = 1.0) {
  model::Body body = make_mass(mass_kg, size);
  body.collisions.push_back(make_shape(box_of(size), friction));
  return body;
}

/// An L of unit thickness in y: [0, 1]² in x and z without its upper right quarter.
model::MeshData l_mesh() {
  const double outline[6][2] = {{0, 0}, {1, 0}, {1, 0.5}, {0.5, 0.5}, {0.5, 1}, {0, 1}};
  model::MeshData mesh;
  mesh.file = "l.stl";
  for (const double y : {0.0, 1.0}) {
    for (const auto& corner : outline) {
      mesh.vertices_m.emplace_back(corner[0], y, corner[1]);
    }
  }
  // four triangles fan out from the inner corner on each side; in front they turn against y
  for (int i = 0; i < 4; ++i) {
    const int a = (4 + i) % 6;
    const int b = (5 + i) % 6;
    mesh.triangles.push_back({3, a, b});
    mesh.triangles.push_back({9, b + 6, a + 6});
  }
  for (int i = 0; i < 6; ++i) {
    const int next = (i + 1) % 6;
    mesh.triangles.push_back({i, i + 6, next + 6});
    mesh.triangles.push_back({i, next + 6, next});
  }
  return mesh;
}

double height(const Engine& engine, int body) {
  return engine.pose(body_id(body)).translation().z();
}

TEST(LMesh, EnclosesThreeQuarters) {
  // the fixture faces outwards
  EXPECT_NEAR(model::enclosed_volume(l_mesh()), 0.75, 1e-12);
}

TEST_P(Meshes, LieOnThePlaneLikeTheBoxesTheyAre) {
  const Vector3 size(0.2, 0.1, 0.1);
  const auto engine = make(cell_of({ground(), free_body(mesh_box(2.0, size), {0, 0, 0.05}),
                                    free_body(make_box(2.0, size), {1, 0, 0.05})}));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 500);
  EXPECT_NEAR(height(*engine, 1), height(*engine, 2), 1e-4);
  EXPECT_NEAR(height(*engine, 1), 0.05, 1e-3);
  // it neither tips nor wanders
  const model::Pose X = engine->pose(body_id(1));
  EXPECT_NEAR(X.linear()(2, 2), 1.0, 1e-6);
  EXPECT_NEAR(X.translation().x(), 0.0, 1e-4);
  double weight = 0.0;
  for (const Contact& contact : engine->contacts()) {
    if (contact.a == body_id(1) || contact.b == body_id(1)) {
      weight += std::abs(contact.force_on_b_W.z());
    }
  }
  EXPECT_NEAR(weight, 2.0 * kGravity, 0.02 * kGravity);
}

TEST_P(Meshes, OfManyCornersRestOnAllTheyStandOn) {
  // a plate of 41 × 41 corners below: whatever subset carries it, it must not tip
  model::MeshData plate = model::box_mesh({-0.2, -0.2, 0.0}, {0.2, 0.2, 0.02});
  plate.triangles.erase(plate.triangles.begin(), plate.triangles.begin() + 2);
  const auto first = static_cast<int>(plate.vertices_m.size());
  for (int i = 0; i <= 40; ++i) {
    for (int j = 0; j <= 40; ++j) {
      plate.vertices_m.emplace_back(-0.2 + 0.01 * i, -0.2 + 0.01 * j, 0.0);
    }
  }
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      const int a = first + 41 * i + j;
      plate.triangles.push_back({a, a + 1, a + 42});
      plate.triangles.push_back({a, a + 42, a + 41});
    }
  }
  model::Body body = make_mass(1.0, {0.4, 0.4, 0.02}, {0, 0, 0.01});
  body.collisions.push_back(make_shape(mesh_of(std::move(plate))));
  const auto engine = make(cell_of({ground(), free_body(body, {0, 0, 0})}));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 500);
  EXPECT_NEAR(height(*engine, 1), 0.0, 1e-3);
  EXPECT_NEAR(engine->pose(body_id(1)).linear()(2, 2), 1.0, 1e-6);
}

TEST_P(Meshes, CarryBoxesBallsCylindersCapsulesAndOtherMeshes) {
  const model::Shape shapes[] = {model::Box{{0.1, 0.1, 0.1}}, model::Sphere{0.05},
                                 model::Cylinder{0.05, 0.1}, box_of({0.1, 0.1, 0.1})};
  std::vector<model::Placement> placements{place(mesh_box(1.0, {4, 1, 0.2}), {0, 0, -0.1}, true)};
  for (int i = 0; i < 4; ++i) {
    model::Body body = make_mass(0.5, {0.1, 0.1, 0.1});
    body.collisions.push_back(make_shape(shapes[i]));
    placements.push_back(free_body(body, {-1.5 + 1.0 * i, 0.1, 0.05}));
  }
  model::Body lying = make_mass(0.5, {0.1, 0.1, 0.1});
  lying.collisions.push_back(make_shape(model::Capsule{0.05, 0.1}));
  lying.collisions[0].X_LG.linear() =
      Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()).toRotationMatrix();
  placements.push_back(free_body(lying, {-1.0, 0.1, 0.05}));
  const auto engine = make(cell_of(placements));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 300);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_NEAR(height(*engine, i), 0.05, 2e-3) << "body " << i;
    EXPECT_LT(engine->twist(body_id(i)).linear_W.norm(), 0.02) << "body " << i;
  }
}

TEST_P(Meshes, HaveANotchOrAreFilledAsTheEngineSays) {
  // a ball in the notch of an L, 0.15 m from both walls of it: its centre (0.7, 0.7), its radius
  // 0.05. The hull is cut off along x + z = 1.5, which is beyond the ball.
  model::Body l;
  l.name = "l";
  l.collisions.push_back(make_shape(mesh_of(l_mesh())));
  model::Body ball = make_mass(0.1, {0.1, 0.1, 0.1});
  ball.collisions.push_back(make_shape(model::Sphere{0.05}));
  const auto engine =
      make(cell_of({place(l, {0, 0, 0}, true), free_body(ball, {0.7, 0.5, 0.7})}, {0, 0, 0}));
  SKIP_UNLESS(engine, has_contacts);
  engine->step();
  EXPECT_EQ(engine->contacts().empty(), engine->capabilities().has_true_meshes);
  EXPECT_EQ(engine->collisions_at({}).empty(), engine->capabilities().has_true_meshes);
}

TEST_P(Meshes, StopWhatFallsIntoTheirNotch) {
  model::Body l;
  l.collisions.push_back(make_shape(mesh_of(l_mesh())));
  model::Body ball = make_mass(0.1, {0.1, 0.1, 0.1});
  ball.collisions.push_back(make_shape(model::Sphere{0.05}));
  const auto engine = make(cell_of({place(l, {0, 0, 0}, true), free_body(ball, {0.75, 0.5, 0.7})}));
  SKIP_UNLESS(engine, has_contacts);
  SKIP_UNLESS(engine, has_true_meshes);
  run(*engine, 1000);
  // on the ledge at half height
  EXPECT_NEAR(height(*engine, 1), 0.55, 2e-3);
}

TEST_P(Meshes, AreMetByRays) {
  const auto engine = make(cell_of({ground(), place(mesh_box(1, {0.2, 0.2, 0.2}), {2, 0, 1}, true),
                                    free_body(mesh_box(1, {0.2, 0.2, 0.2}), {3, 0, 1})}));
  SKIP_UNLESS(engine, has_rays);
  // faces are at 2 - 0.1 and, from behind, at 3 + 0.1; meshes are kept in single precision
  const auto near = engine->ray({0, 0.03, 1.01}, Vector3::UnitX(), 10.0);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(near->body, body_id(1));
  EXPECT_NEAR(near->distance_m, 1.9, 1e-6);
  const auto behind = engine->ray({4, 0.03, 1.01}, -Vector3::UnitX(), 10.0);
  ASSERT_TRUE(behind.has_value());
  EXPECT_EQ(behind->body, body_id(2));
  EXPECT_NEAR(behind->distance_m, 0.9, 1e-6);
  EXPECT_FALSE(engine->ray({0, 0.3, 1}, Vector3::UnitX(), 10.0).has_value());
}

TEST_P(Meshes, AreForeseenAtAConfiguration) {
  const auto engine =
      make(cell_of({mechanism({{slider(Vector3::UnitX()), mesh_box(1, {0.1, 0.1, 0.1})}}),
                    place(mesh_box(1, {0.1, 0.1, 0.1}), {1, 0.02, 0.02}, true)}));
  SKIP_UNLESS(engine, has_collision_query);
  const std::vector<std::pair<BodyId, BodyId>> expected{{body_id(1), body_id(2)}};
  EXPECT_EQ(engine->collisions_at(std::vector{0.95}), expected);
  EXPECT_TRUE(engine->collisions_at(std::vector{0.85}).empty());
}

TEST_P(Meshes, GiveABodyNeitherMassNorInertia) {
  // the same masses with a small and a large mesh fall and turn alike
  const auto swing = [&](double size) {
    model::Body body = make_mass(1.0, {0.1, 0.1, 0.5}, {0, 0, -0.25});
    body.collisions.push_back(make_shape(box_of({size, size, size})));
    auto engine = make(one_joint(hinge(Vector3::UnitY()), body));
    engine->reset_joint(joint_id(0), 0.5, 0.0);
    run(*engine, 200);
    return engine->positions()[0];
  };
  SKIP_UNLESS(make(cell_of({})), has_dynamics);
  EXPECT_EQ(swing(0.01), swing(1.0));
}

TEST_P(Meshes, RepeatBitByBit) {
  const auto fall = [&] {
    auto engine = make(cell_of({ground(), place(mesh_box(1, {1, 1, 0.1}), {0, 0, 0.05}, true),
                                free_body(mesh_box(1, {0.1, 0.2, 0.1}), {0.4, 0.1, 0.3})}));
    run(*engine, 600);
    return engine->pose(body_id(2)).matrix().eval();
  };
  SKIP_UNLESS(make(cell_of({})), has_contacts);
  EXPECT_EQ(fall(), fall());
}

TEST(MeshWarnings, SayHowMuchLargerTheHullIs) {
  model::Body l;
  l.name = "bracket";
  l.where = {"cell.urdf", 3, 1};
  l.collisions.push_back(make_shape(mesh_of(l_mesh())));
  l.collisions.push_back(l.collisions.front());
  const model::Cell cell =
      cell_of({place(l, {0, 0, 0}, true), place(mesh_box(1, {1, 1, 1}), {2, 0, 0}, true)});
  Capabilities hulls;
  hulls.has_contacts = true;
  const std::vector<Diagnostic> warnings = mesh_warnings(cell, hulls);
  ASSERT_EQ(warnings.size(), 1u) << "once per mesh, and none for a mesh that is convex";
  // the hull is the square without a triangle of 1/8: 0.875 / 0.75 = 1.1667
  EXPECT_EQ(warnings[0].format(),
            "cell.urdf:3:1: warning: body 'bracket': this engine collides with the convex hull of "
            "mesh 'l.stl', which is 17 % larger than the mesh\n"
            "  hint: use engine ode, or several convex meshes");
  hulls.has_true_meshes = true;
  EXPECT_TRUE(mesh_warnings(cell, hulls).empty());
  EXPECT_TRUE(mesh_warnings(cell, Capabilities{}).empty());
}

}  // namespace
}  // namespace longarm::physics
