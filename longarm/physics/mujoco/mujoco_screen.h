// SPDX-License-Identifier: Apache-2.0
// Says at once when nothing can touch: for a lone arm MuJoCo's own search costs as much as all its dynamics.
#pragma once

#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

class MujocoScreen {
 public:
  /// Lists the pairs of shapes that may touch; none are listed, and all may touch, where there are too many.
  void list_pairs(const mjModel& model, const MujocoNumbers& numbers, const PairFilter& filter);

  /// Whether the bounding spheres of some pair overlap, with the shapes where `data` has them.
  bool may_touch(const mjModel& model, const mjData& data) const;

 private:
  struct Pair {
    int geom1 = 0;  ///< the plane, if there is one
    int geom2 = 0;
    double reach_m = 0.0;  ///< sum of the radii
  };

  std::vector<Pair> spheres_;
  std::vector<Pair> planes_;
  bool has_too_many_ = false;
};

}  // namespace longarm::physics
