// SPDX-License-Identifier: Apache-2.0
// Finds contacts with MuJoCo, between the pairs of bodies that may touch, with our friction.
#pragma once

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/mujoco/mujoco_screen.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

class MujocoCollision {
 public:
  MujocoCollision(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers);

  const PairFilter& filter() const { return filter_; }
  void set_pair(BodyId a, BodyId b, bool enabled);
  /// Fills data.contact for the poses in `data`.
  void detect(mjData& data) const;

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  void exclude_pairs();
  double friction(int geom) const {
    return numbers_.shapes[static_cast<std::size_t>(geom)].friction;
  }

  mjModel& model_;
  const MujocoNumbers& numbers_;
  PairFilter filter_;
  MujocoScreen screen_;
};

}  // namespace longarm::physics
