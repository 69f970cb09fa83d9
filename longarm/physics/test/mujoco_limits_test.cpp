// SPDX-License-Identifier: Apache-2.0
// What MuJoCo has no room for is counted, not lost in silence.
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

/// A slab of 1 m on a floor of `rows`² tiles.
model::Cell slab_on_tiles(int rows) {
  model::Body floor;
  const double edge = 1.0 / rows;
  for (int i = 0; i < rows * rows; ++i) {
    floor.collisions.push_back(
        make_shape(model::Box{{0.9 * edge, 0.9 * edge, 0.1}}, 1.0,
                   {(i % rows + 0.5) * edge - 0.5, (i / rows + 0.5) * edge - 0.5, -0.05}));
  }
  return cell_of(
      {place(floor, {0, 0, 0}, true), free_body(make_box(5.0, {1, 1, 0.1}), {0, 0, 0.0499})});
}

TEST(MujocoLimits, CountContactsThatFoundNoRoom) {
  // one moving shape: room for 46 contacts, while each tile makes four
  const auto few = built_in_engines().make("mujoco", slab_on_tiles(2), {});
  run(*few, 20);
  EXPECT_EQ(few->contacts().size(), 16u);
  EXPECT_EQ(few->dropped_contacts(), 0u);
  const auto many = built_in_engines().make("mujoco", slab_on_tiles(6), {});
  run(*many, 20);
  EXPECT_EQ(many->contacts().size(), 46u);
  EXPECT_GT(many->dropped_contacts(), 0u);
}

}  // namespace
}  // namespace longarm::physics
