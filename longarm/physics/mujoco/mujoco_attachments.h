// SPDX-License-Identifier: Apache-2.0
// Rigid joints made and broken at run time, from a pool of welds that the model was compiled with.
#pragma once

#include <vector>

#include "longarm/physics/engine.h"
#include "longarm/physics/mujoco/mujoco_bodies.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

class MujocoAttachments {
 public:
  /// The first `slots` equality constraints of the model are ours.
  MujocoAttachments(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers, int slots)
      : cell_(cell), model_(model), numbers_(numbers), welds_(static_cast<std::size_t>(slots)) {}

  /// Joins two bodies as they are.
  AttachmentId attach(const MujocoBodies& bodies, BodyId a, BodyId b);
  /// Holds b at `X_AB` from now on.
  void move(const MujocoBodies& bodies, AttachmentId attachment, const model::Pose& X_AB);
  void detach(AttachmentId attachment);
  bool has_any() const { return used_count_ > 0; }
  /// Follows bodies to their present places and roots.
  void arrange(const MergedBodies& merged);

  /// Takes the forces of a solved step, before anything moves; merged bodies feel them as loads.
  void read_reactions(const mjData& data, MujocoBodies& bodies);
  const Wrench& reaction(AttachmentId attachment) const {
    return welds_[static_cast<std::size_t>(attachment)].reaction;
  }

  void save(SnapshotWriter& writer) const;
  /// Leaves the model to arrange().
  void restore(SnapshotReader& reader);

 private:
  /// Anchored at b's centre of mass, where its reaction is wanted.
  struct Weld {
    bool is_used = false;
    BodyId a{};
    BodyId b{};
    model::Pose X_AB = model::Pose::Identity();
    Wrench reaction;
  };

  void write(std::size_t slot, const MergedBodies& merged);
  void add_loads(const Weld& weld, MujocoBodies& bodies) const;

  const FlatCell& cell_;
  mjModel& model_;
  const MujocoNumbers& numbers_;
  std::vector<Weld> welds_;
  int used_count_ = 0;
};

}  // namespace longarm::physics
