// SPDX-License-Identifier: Apache-2.0
// Rigid joints made and broken at run time, from a pool of welds that the model was compiled with.
#pragma once

#include <vector>

#include "longarm/physics/engine.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

class MujocoAttachments {
 public:
  /// The first `slots` equality constraints of the model are ours.
  MujocoAttachments(mjModel& model, int slots)
      : model_(model), reactions_(static_cast<std::size_t>(slots)) {}

  /// Joins MuJoCo's bodies `a` and `b` as they are in `data`.
  AttachmentId attach(const mjData& data, int a, int b);
  void detach(AttachmentId attachment);
  bool has_any() const { return active_count_ > 0; }

  /// Takes the forces of a solved step, before anything moves.
  void read_reactions(const mjData& data);
  const Wrench& reaction(AttachmentId attachment) const {
    return reactions_[static_cast<std::size_t>(attachment)];
  }

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  mjModel& model_;
  std::vector<Wrench> reactions_;
  int active_count_ = 0;
};

}  // namespace longarm::physics
