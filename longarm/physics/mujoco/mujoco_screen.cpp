// SPDX-License-Identifier: Apache-2.0
// Compares bounding spheres pair by pair, which beats sorting them while there are few.
#include "longarm/physics/mujoco/mujoco_screen.h"

#include <utility>

namespace longarm::physics {
namespace {

constexpr std::size_t kMostPairs = 300;

}  // namespace

void MujocoScreen::list_pairs(const mjModel& model, const MujocoNumbers& numbers,
                              const PairFilter& filter) {
  spheres_.clear();
  planes_.clear();
  has_too_many_ = false;
  for (int a = 0; a < model.ngeom; ++a) {
    for (int b = 0; b < a; ++b) {
      const BodyId body_a = numbers.shapes[static_cast<std::size_t>(a)].body;
      const BodyId body_b = numbers.shapes[static_cast<std::size_t>(b)].body;
      if (!filter.may_touch(static_cast<int>(body_a), static_cast<int>(body_b))) {
        continue;
      }
      Pair pair{a, b, model.geom_rbound[a] + model.geom_rbound[b]};
      if (model.geom_type[b] == mjGEOM_PLANE) {
        std::swap(pair.geom1, pair.geom2);
      }
      // MuJoCo gives a plane the radius zero
      (model.geom_type[pair.geom1] == mjGEOM_PLANE ? planes_ : spheres_).push_back(pair);
      if (spheres_.size() + planes_.size() > kMostPairs) {
        has_too_many_ = true;
        return;
      }
    }
  }
}

bool MujocoScreen::may_touch(const mjModel& model, const mjData& data) const {
  if (has_too_many_) {
    return model.ngeom > 0;
  }
  const auto apart = [&](const Pair& pair, double difference[3]) {
    for (int k = 0; k < 3; ++k) {
      difference[k] = data.geom_xpos[3 * pair.geom2 + k] - data.geom_xpos[3 * pair.geom1 + k];
    }
  };
  double d[3];
  for (const Pair& pair : spheres_) {
    apart(pair, d);
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= pair.reach_m * pair.reach_m) {
      return true;
    }
  }
  for (const Pair& pair : planes_) {
    apart(pair, d);
    const double* normal = data.geom_xmat + 9 * pair.geom1 + 2;  // the third column, row by row
    if (d[0] * normal[0] + d[1] * normal[3] + d[2] * normal[6] <= pair.reach_m) {
      return true;
    }
  }
  return false;
}

}  // namespace longarm::physics
