// SPDX-License-Identifier: Apache-2.0
// The quick look that decides whether MuJoCo searches for contacts: it may not miss any.
#include "longarm/physics/mujoco/mujoco_screen.h"

#include <random>

#include "longarm/model/test/mesh_robot.h"
#include "longarm/physics/test/engine_fixture.h"
#include "longarm/physics/test/random_numbers.h"

namespace longarm::physics {
namespace {

TEST(MujocoScreen, MissesNoContactAndIsRarelyWrongAboutTheRest) {
  // a mesh that does not sit at its origin, and is longest in another direction than the others
  model::Mesh mesh;
  mesh.data = std::make_shared<const model::MeshData>(
      model::box_mesh({0.02, -0.05, -0.03}, {0.42, 0.05, 0.03}));
  const model::Shape shapes[] = {model::Box{{0.1, 0.4, 0.06}}, model::Cylinder{0.05, 0.5},
                                 model::Capsule{0.04, 0.3}, model::Sphere{0.1}, mesh};
  std::mt19937_64 random(11);
  int touching = 0;
  int apart = 0;
  int false_alarms = 0;
  for (const model::Shape& first : shapes) {
    for (const model::Shape& second : shapes) {
      std::vector<model::Placement> placements{ground()};
      for (const model::Shape& shape : {first, second}) {
        model::Body body = make_mass(1.0, {0.1, 0.1, 0.1});
        body.collisions.push_back(make_shape(shape, 1.0, {0.05, 0, 0}));
        placements.push_back(free_body(body, {0, 0, 0}));
      }
      const FlatCell cell(cell_of(placements));
      const MujocoModelPtr model = compile_mujoco_model(write_mjcf(cell, {}, count_slots(cell)));
      const MujocoDataPtr data = make_mujoco_data(*model);
      MujocoScreen screen;
      screen.list_pairs(*model, number_mujoco(cell, *model), PairFilter(cell));
      for (int trial = 0; trial < 1000; ++trial) {
        for (int i = 0; i < 14; ++i) {
          data->qpos[i] = (i % 7 < 3 ? 0.35 : 1.0) * draw(random) + (i % 7 == 2 ? 0.5 : 0.0);
        }
        mj_kinematics(model.get(), data.get());
        mj_comPos(model.get(), data.get());
        mj_collision(model.get(), data.get());
        const bool says_yes = screen.may_touch(*data);
        if (data->ncon > 0) {
          ++touching;
          ASSERT_TRUE(says_yes) << "trial " << trial;
        } else {
          ++apart;
          false_alarms += says_yes ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(touching, 1000);
  EXPECT_LT(false_alarms, apart / 4);
}

}  // namespace
}  // namespace longarm::physics
