// SPDX-License-Identifier: Apache-2.0
// Fills and empties weld slots; a weld is anchored at the second body's centre of mass, where its
// reaction is wanted.
#include "longarm/physics/mujoco/mujoco_attachments.h"

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Matrix3;
using model::Vector3;

Matrix3 orientation(const mjData& data, int body) {
  return Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data.xmat + 9 * body);
}

}  // namespace

AttachmentId MujocoAttachments::attach(const mjData& data, int a, int b) {
  std::size_t slot = 0;
  while (slot < reactions_.size() && model_.eq_active[slot] != 0) {
    ++slot;
  }
  check(slot < reactions_.size(), "all attachments of this cell are in use");
  const Matrix3 R_AW = orientation(data, a).transpose();
  const Vector3 p_WA = Map<const Vector3>(data.xpos + 3 * a);
  const Eigen::Quaterniond q_AB(Matrix3(R_AW * orientation(data, b)));
  double* weld = model_.eq_data + mjNEQDATA * slot;
  // the anchor in b, the same point in a, b's orientation in a, and the weight of rotation
  Map<Vector3> anchor_B(weld);
  anchor_B = Map<const Vector3>(model_.body_ipos + 3 * b);
  Map<Vector3>(weld + 3) = R_AW * (Map<const Vector3>(data.xipos + 3 * b) - p_WA);
  weld[6] = q_AB.w();
  Map<Vector3>(weld + 7) = q_AB.vec();
  weld[10] = 1.0;
  model_.eq_obj1id[slot] = a;
  model_.eq_obj2id[slot] = b;
  model_.eq_active[slot] = 1;
  reactions_[slot] = {};
  ++active_count_;
  return static_cast<AttachmentId>(slot);
}

void MujocoAttachments::detach(AttachmentId attachment) {
  const auto slot = static_cast<std::size_t>(attachment);
  check(slot < reactions_.size() && model_.eq_active[slot] != 0, "no such attachment");
  model_.eq_active[slot] = 0;
  reactions_[slot] = {};
  --active_count_;
}

void MujocoAttachments::read_reactions(const mjData& data) {
  if (active_count_ == 0) {
    return;
  }
  for (int row = 0; row < data.ne;) {
    const int slot = data.efc_id[row];
    if (static_cast<std::size_t>(slot) >= reactions_.size()) {
      ++row;  // a joint that mimics another
      continue;
    }
    // Rows 0-2 push the anchors together, a minus b. Rows 3-5 turn: half the axis of the rotation
    // error, in b's axes.
    const Matrix3 R_WB = orientation(data, model_.eq_obj2id[slot]);
    Wrench& reaction = reactions_[static_cast<std::size_t>(slot)];
    reaction.force_W = -Map<const Vector3>(data.efc_force + row);
    reaction.torque_W = -0.5 * (R_WB * Map<const Vector3>(data.efc_force + row + 3));
    row += 6;
  }
}

void MujocoAttachments::save(SnapshotWriter& writer) const {
  for (std::size_t slot = 0; slot < reactions_.size(); ++slot) {
    writer.write(static_cast<double>(model_.eq_active[slot]));
    writer.write(static_cast<double>(model_.eq_obj1id[slot]));
    writer.write(static_cast<double>(model_.eq_obj2id[slot]));
    writer.write(model_.eq_data + mjNEQDATA * slot, mjNEQDATA);
    writer.write(reactions_[slot].force_W);
    writer.write(reactions_[slot].torque_W);
  }
}

void MujocoAttachments::restore(SnapshotReader& reader) {
  active_count_ = 0;
  for (std::size_t slot = 0; slot < reactions_.size(); ++slot) {
    model_.eq_active[slot] = static_cast<mjtByte>(reader.read());
    model_.eq_obj1id[slot] = static_cast<int>(reader.read());
    model_.eq_obj2id[slot] = static_cast<int>(reader.read());
    reader.read(model_.eq_data + mjNEQDATA * slot, mjNEQDATA);
    reader.read(reactions_[slot].force_W);
    reader.read(reactions_[slot].torque_W);
    active_count_ += model_.eq_active[slot];
  }
}

}  // namespace longarm::physics
