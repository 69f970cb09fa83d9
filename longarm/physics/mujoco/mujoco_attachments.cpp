// SPDX-License-Identifier: Apache-2.0
// Fills and empties weld slots; a weld between merged bodies is one between their roots.
#include "longarm/physics/mujoco/mujoco_attachments.h"

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Pose;
using model::Vector3;

}  // namespace

AttachmentId MujocoAttachments::attach(const MujocoBodies& bodies, BodyId a, BodyId b) {
  std::size_t slot = 0;
  while (slot < welds_.size() && welds_[slot].is_used) {
    ++slot;
  }
  check(slot < welds_.size(), "all attachments of this cell are in use");
  welds_[slot] = {true, a, b, bodies.pose(a).inverse() * bodies.pose(b), {}};
  ++used_count_;
  write(slot, bodies.merged());
  return static_cast<AttachmentId>(slot);
}

void MujocoAttachments::move(const MujocoBodies& bodies, AttachmentId attachment,
                             const Pose& X_AB) {
  const auto slot = static_cast<std::size_t>(attachment);
  check(slot < welds_.size() && welds_[slot].is_used, "no such attachment");
  welds_[slot].X_AB = X_AB;
  write(slot, bodies.merged());
}

void MujocoAttachments::detach(AttachmentId attachment) {
  const auto slot = static_cast<std::size_t>(attachment);
  check(slot < welds_.size() && welds_[slot].is_used, "no such attachment");
  welds_[slot] = {};
  model_.eq_active[slot] = 0;
  --used_count_;
}

void MujocoAttachments::arrange(const MergedBodies& merged) {
  for (std::size_t slot = 0; slot < welds_.size(); ++slot) {
    write(slot, merged);
  }
}

void MujocoAttachments::write(std::size_t slot, const MergedBodies& merged) {
  const Weld& weld = welds_[slot];
  // nothing moves within one tree
  model_.eq_active[slot] = weld.is_used && !merged.are_one(weld.a, weld.b) ? 1 : 0;
  if (!weld.is_used) {
    return;
  }
  const Vector3 anchor_B = cell_.body(weld.b).body->inertial.X_LC.translation();
  const Pose& X_RA = merged.X_RB(weld.a);
  const Pose& X_RB = merged.X_RB(weld.b);
  const model::Matrix3 R = X_RA.linear() * weld.X_AB.linear() * X_RB.linear().transpose();
  const Eigen::Quaterniond turn(R);
  // the anchor in b, the same point in a, b's orientation in a, and the weight of rotation
  double* numbers = model_.eq_data + mjNEQDATA * slot;
  Map<Vector3> anchor(numbers);
  anchor = X_RB * anchor_B;
  Map<Vector3>(numbers + 3) = X_RA * (weld.X_AB * anchor_B);
  numbers[6] = turn.w();
  Map<Vector3>(numbers + 7) = turn.vec();
  numbers[10] = 1.0;
  model_.eq_obj1id[slot] = numbers_.body[static_cast<std::size_t>(weld.a)];
  model_.eq_obj2id[slot] = numbers_.body[static_cast<std::size_t>(weld.b)];
}

void MujocoAttachments::read_reactions(const mjData& data, MujocoBodies& bodies) {
  if (used_count_ == 0) {
    return;
  }
  for (int row = 0; row < data.ne;) {
    const int slot = data.efc_id[row];
    if (static_cast<std::size_t>(slot) >= welds_.size()) {
      ++row;  // a joint that mimics another
      continue;
    }
    // Rows 0-2 push the anchors together, a minus b. Rows 3-5 turn: half the axis of the rotation
    // error, in b's axes.
    const model::Matrix3 R_WB = Map<const RowMajor3>(data.xmat + 9 * model_.eq_obj2id[slot]);
    Weld& weld = welds_[static_cast<std::size_t>(slot)];
    weld.reaction.force_W = -Map<const Vector3>(data.efc_force + row);
    weld.reaction.torque_W = -0.5 * (R_WB * Map<const Vector3>(data.efc_force + row + 3));
    add_loads(weld, bodies);
    row += 6;
  }
}

void MujocoAttachments::add_loads(const Weld& weld, MujocoBodies& bodies) const {
  MergedBodies& merged = bodies.merged();
  if (merged.is_merged(weld.b)) {
    merged.add_load(weld.b, weld.reaction);
  }
  if (merged.is_merged(weld.a)) {
    const auto centre = [&](BodyId body) -> Vector3 {
      return bodies.pose(body) * cell_.body(body).body->inertial.X_LC.translation();
    };
    const Vector3 arm = centre(weld.b) - centre(weld.a);
    const Wrench& reaction = weld.reaction;
    merged.add_load(weld.a, {-reaction.force_W, -reaction.torque_W - arm.cross(reaction.force_W)});
  }
}

void MujocoAttachments::save(SnapshotWriter& writer) const {
  for (const Weld& weld : welds_) {
    writer.write(weld.is_used ? 1.0 : 0.0);
    if (weld.is_used) {
      writer.write(static_cast<double>(weld.a));
      writer.write(static_cast<double>(weld.b));
      writer.write(weld.X_AB.data(), 16);
      writer.write(weld.reaction.force_W);
      writer.write(weld.reaction.torque_W);
    }
  }
}

void MujocoAttachments::restore(SnapshotReader& reader) {
  used_count_ = 0;
  for (Weld& weld : welds_) {
    weld = {};
    weld.is_used = reader.read() != 0.0;
    if (weld.is_used) {
      weld.a = static_cast<BodyId>(reader.read());
      weld.b = static_cast<BodyId>(reader.read());
      reader.read(weld.X_AB.data(), 16);
      reader.read(weld.reaction.force_W);
      reader.read(weld.reaction.torque_W);
      ++used_count_;
    }
  }
}

}  // namespace longarm::physics
