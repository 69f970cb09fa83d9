// SPDX-License-Identifier: Apache-2.0
// The search for contacts among many shapes: it finds what MuJoCo's own finds, bit by bit.
#include "longarm/physics/mujoco/mujoco_sweep.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "longarm/model/test/mesh_robot.h"
#include "longarm/physics/mujoco/mujoco_screen.h"
#include "longarm/physics/test/engine_fixture.h"
#include "longarm/physics/test/random_numbers.h"

namespace longarm::physics {
namespace {

/// Thirty bodies of all kinds on the ground, among ten walls that do not move.
model::Cell make_heap() {
  model::Mesh mesh;
  mesh.data = std::make_shared<const model::MeshData>(
      model::box_mesh({0.02, -0.05, -0.03}, {0.42, 0.05, 0.03}));
  const model::Shape shapes[] = {model::Box{{0.1, 0.4, 0.06}}, model::Cylinder{0.05, 0.5},
                                 model::Capsule{0.04, 0.3}, model::Sphere{0.1}, mesh};
  std::vector<model::Placement> placements{ground()};
  for (int i = 0; i < 30; ++i) {
    model::Body body = make_mass(1.0, {0.1, 0.1, 0.1});
    body.collisions.push_back(make_shape(shapes[i % 5], 1.0, {0.05, 0, 0}));
    body.collisions.push_back(make_shape(shapes[(i / 5) % 5], 1.0, {-0.1, 0.1, 0}));
    placements.push_back(free_body(body, {0, 0, 0}));
  }
  for (int i = 0; i < 10; ++i) {
    model::Body wall = make_mass(1.0, {0.1, 0.1, 0.1});
    wall.collisions.push_back(make_shape(model::Box{{0.02, 1.0, 0.5}}, 1.0, {0.3 * i - 1.5, 0, 0}));
    placements.push_back(free_body(wall, {0, 0, 0}));
    placements.back().is_fixed = true;
  }
  return cell_of(placements);
}

using Found = std::tuple<int, int, double, double, double, double>;

std::vector<Found> list_contacts(const mjData& data) {
  std::vector<Found> found;
  for (int i = 0; i < data.ncon; ++i) {
    const mjContact& c = data.contact[i];
    found.emplace_back(c.geom1, c.geom2, c.dist, c.pos[0], c.frame[0], c.solref[0]);
  }
  std::sort(found.begin(), found.end());
  // MuJoCo looks twice at some pairs with planes
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

TEST(MujocoSweep, FindsTheContactsOfMuJoCosOwnSearch) {
  const FlatCell cell(make_heap());
  const MujocoModelPtr model = compile_mujoco_model(write_mjcf(cell, {}, count_slots(cell)));
  const MujocoDataPtr data = make_mujoco_data(*model);
  MujocoScreen screen;
  screen.list_pairs(*model, number_mujoco(cell, *model), PairFilter(cell));
  ASSERT_TRUE(screen.has_too_many());
  MujocoSweep sweep;
  sweep.list_shapes(*model);
  std::mt19937_64 random(5);
  std::size_t total = 0;
  for (int trial = 0; trial < 100; ++trial) {
    for (int i = 0; i < model->nq; ++i) {
      data->qpos[i] = draw(random) + (i % 7 == 2 ? 0.8 : 0.0);
    }
    mj_kinematics(model.get(), data.get());
    mj_comPos(model.get(), data.get());
    mj_collision(model.get(), data.get());
    ASSERT_LT(data->ncon, model->nconmax);
    const auto expected = list_contacts(*data);
    const auto is_plane = [&](int geom) { return model->geom_type[geom] == mjGEOM_PLANE; };
    sweep.detect(*model, *data, [&](int a, int b) {
      return is_plane(a) || is_plane(b) || screen.are_near(*model, *data, a, b);
    });
    EXPECT_EQ(list_contacts(*data), expected) << "trial " << trial;
    EXPECT_EQ(model->npair, 0);
    total += expected.size();
  }
  EXPECT_GT(total, 1000U);
}

}  // namespace
}  // namespace longarm::physics
