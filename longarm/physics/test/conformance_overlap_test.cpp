// SPDX-License-Identifier: Apache-2.0
// What every engine must say about two shapes of any kinds: apart, just overlapping, deep inside
// each other, one straight through the other.
#include <string>
#include <vector>

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

class Overlap : public EngineTest {};

model::Shape box_mesh(const model::Vector3& size_m) {
  auto data = std::make_shared<model::MeshData>();
  for (int i = 0; i < 8; ++i) {
    const model::Vector3 sign(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    data->vertices_m.push_back(sign.cwiseProduct(size_m));
  }
  // two triangles for each of -x +x -y +y -z +z
  data->triangles = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                     {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
  return model::Mesh{"box.stl", "", model::Vector3::Ones(), data};
}

struct NamedShape {
  std::string name;
  model::Shape shape;
};

/// All kinds that can move, filling -r..r in x and y and about `height_m` in z.
std::vector<NamedShape> all_kinds(double r, double height_m) {
  return {{"box", model::Box{{2 * r, 2 * r, height_m}}},
          {"sphere", model::Sphere{r}},
          {"cylinder", model::Cylinder{r, height_m}},
          {"capsule", model::Capsule{r, height_m}},
          {"mesh", box_mesh({2 * r, 2 * r, height_m})}};
}

/// A moving shape on a slider along x, and one that stands at the origin.
model::Cell pair_of(const model::Shape& moving, const model::Geometry& standing,
                    double tilt_rad = 0.0) {
  model::Body body = make_mass(1.0, {0.1, 0.1, 0.1});
  body.collisions.push_back(make_shape(moving));
  body.collisions.back().X_LG.linear() =
      Eigen::AngleAxisd(tilt_rad, model::Vector3::UnitY()).toRotationMatrix();
  model::Body other;
  other.name = "standing";
  other.collisions.push_back(standing);
  return cell_of({mechanism({{slider(model::Vector3::UnitX()), body}}),
                  place(other, model::Vector3::Zero(), true)});
}

/// An engine that has meshes as they are knows their surfaces, not what is inside, and ODE misses
/// rods through them.
bool is_surface(const Engine& engine, const NamedShape& a, const NamedShape& b) {
  return engine.capabilities().has_true_meshes && (a.name == "mesh" || b.name == "mesh");
}

bool overlaps_at(const Engine& engine, double x) {
  const std::vector<double> q{x};
  const auto pairs = engine.collisions_at(q);
  // bodies: base, slider, standing
  return pairs.size() == 1 && pairs.front() == std::pair(body_id(1), body_id(2));
}

// Both shapes reach 0.1 m along x from their middles, and the line to there is in both: they
// overlap within 0.2 m of each other and, on either side of a plane, not beyond.
TEST_P(Overlap, EveryPairOfKindsIsFoundAtAnyDepth) {
  for (const NamedShape& a : all_kinds(0.1, 0.2)) {
    for (const NamedShape& b : all_kinds(0.1, 0.2)) {
      const auto engine = make(pair_of(a.shape, make_shape(b.shape)));
      SKIP_UNLESS(engine, has_collision_query);
      for (const double x : {0.0, 1e-4, 0.03, 0.1, 0.17, 0.199, -0.05, -0.199}) {
        if (is_surface(*engine, a, b) && std::abs(x) < 0.19) {
          continue;
        }
        EXPECT_TRUE(overlaps_at(*engine, x)) << a.name << " and " << b.name << " at " << x;
      }
      for (const double x : {0.201, 0.3, -0.201}) {
        EXPECT_FALSE(overlaps_at(*engine, x)) << a.name << " and " << b.name << " at " << x;
      }
    }
  }
}

// The surface faces +x at 0.1 m.
TEST_P(Overlap, EveryKindIsFoundAtAnyDepthInAHalfSpace) {
  model::Geometry wall = make_shape(model::HalfSpace{}, 1.0, {0.1, 0, 0});
  wall.X_LG.linear() = Eigen::AngleAxisd(M_PI / 2, model::Vector3::UnitY()).toRotationMatrix();
  for (const NamedShape& a : all_kinds(0.1, 0.2)) {
    const auto engine = make(pair_of(a.shape, wall));
    SKIP_UNLESS(engine, has_collision_query);
    for (const double x : {-5.0, -0.1, 0.0, 0.1, 0.199}) {
      EXPECT_TRUE(overlaps_at(*engine, x)) << a.name << " at " << x;
    }
    for (const double x : {0.201, 5.0}) {
      EXPECT_FALSE(overlaps_at(*engine, x)) << a.name << " at " << x;
    }
  }
}

// A rod of 1 m through a plate, a ball or a bar of at most 0.5 m across: its ends are far outside.
// Upright it is clear of all of them from 0.25 + 0.02 m on; tilted by 0.3 rad its lower end, half a
// metre down, is 0.15 m nearer.
TEST_P(Overlap, ARodStraightThroughIsFound) {
  const std::vector<NamedShape> rods{{"box", model::Box{{0.04, 0.04, 1.0}}},
                                     {"cylinder", model::Cylinder{0.02, 1.0}},
                                     {"capsule", model::Capsule{0.02, 1.0}},
                                     {"mesh", box_mesh({0.04, 0.04, 1.0})}};
  for (const NamedShape& a : rods) {
    for (const NamedShape& b : all_kinds(0.25, 0.04)) {
      for (const double tilt : {0.0, 0.3, -0.3}) {
        const auto engine = make(pair_of(a.shape, make_shape(b.shape), tilt));
        SKIP_UNLESS(engine, has_collision_query);
        if (is_surface(*engine, a, b)) {
          continue;
        }
        for (const double x : {0.0, 0.05, -0.13, 0.2}) {
          EXPECT_TRUE(overlaps_at(*engine, x))
              << a.name << " through " << b.name << " at " << x << " tilted by " << tilt;
        }
        EXPECT_FALSE(overlaps_at(*engine, 0.45)) << a.name << " and " << b.name;
      }
    }
  }
}

// Asked from both sides: the plate moves, the rod stands.
TEST_P(Overlap, APlateThatARodGoesThroughIsFound) {
  for (const NamedShape& plate : all_kinds(0.25, 0.04)) {
    const auto engine = make(pair_of(plate.shape, make_shape(model::Capsule{0.06, 1.0})));
    SKIP_UNLESS(engine, has_collision_query);
    if (is_surface(*engine, plate, plate)) {
      continue;
    }
    EXPECT_TRUE(overlaps_at(*engine, 0.1)) << plate.name;
    EXPECT_FALSE(overlaps_at(*engine, 0.32)) << plate.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Overlap, testing::ValuesIn(all_engines()), engine_name);

}  // namespace
}  // namespace longarm::physics
