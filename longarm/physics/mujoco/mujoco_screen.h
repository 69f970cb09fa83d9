// SPDX-License-Identifier: Apache-2.0
// Says at once when nothing can touch: for a lone arm MuJoCo's own search costs as much as all its
// dynamics.
#pragma once

#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

class MujocoScreen {
 public:
  /// Lists the pairs of shapes that may touch. Where there are too many, may_touch() is always
  /// true, and has_too_many().
  void list_pairs(const mjModel& model, const MujocoNumbers& numbers, const PairFilter& filter,
                  const MergedBodies* merged = nullptr);

  /// Whether some pair is near enough to look at closely, with the shapes where `data` has them.
  bool may_touch(const mjData& data) const;
  bool has_too_many() const { return has_too_many_; }
  /// The same of two shapes that are no planes.
  bool are_near(const mjModel& model, const mjData& data, int geom1, int geom2) const;

 private:
  /// A capsule around a shape: everything within `radius_m` of a piece of one of its axes.
  struct Hull {
    int axis = 2;
    double half_length_m = 0.0;
    double radius_m = 0.0;
  };
  struct Pair {
    int geom1 = 0;  ///< the plane, if there is one
    int geom2 = 0;
    double reach_m = 0.0;  ///< sum of the radii of their bounding spheres
  };

  static Hull make_hull(const mjModel& model, int geom);
  static Hull make_mesh_hull(const mjModel& model, int geom);
  bool do_hulls_overlap(const mjData& data, const Pair& pair, const double apart[3]) const;

  std::vector<Hull> hulls_;  ///< by shape
  std::vector<Pair> pairs_;
  std::vector<Pair> pairs_with_planes_;
  bool has_too_many_ = false;
};

}  // namespace longarm::physics
