// SPDX-License-Identifier: Apache-2.0
// Finds contacts with MuJoCo, between the pairs of bodies that may touch, with our friction
// and surfaces.
#pragma once

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/mujoco/mujoco_screen.h"
#include "longarm/physics/mujoco/mujoco_sweep.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

class MujocoCollision {
 public:
  MujocoCollision(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers,
                  const MergedBodies& merged);

  const PairFilter& filter() const { return filter_; }
  void set_pair(BodyId a, BodyId b, bool enabled);
  /// Follows bodies and shapes to their present places, and pairs that were set.
  void arrange();
  /// Fills data.contact for the poses in `data`.
  void detect(mjData& data) const;

  void save(SnapshotWriter& writer) const;
  /// Leaves the model to arrange().
  void restore(SnapshotReader& reader);

 private:
  bool may_touch(const mjContact& contact) const;
  bool may_touch(const mjData& data, int geom1, int geom2) const;
  void search(mjData& data) const;
  const model::Surface& surface(int geom) const {
    return numbers_.shapes[static_cast<std::size_t>(geom)].surface;
  }

  mjModel& model_;
  const MujocoNumbers& numbers_;
  const MergedBodies& merged_;
  PairFilter filter_;
  MujocoScreen screen_;
  mutable MujocoSweep sweep_;  ///< made anew for every step
};

}  // namespace longarm::physics
