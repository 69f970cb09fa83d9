// SPDX-License-Identifier: Apache-2.0
// Keeps ODE's fixed joints between the bodies that are really moved.
#include "longarm/physics/ode/ode_attachments.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

// rounding of poses that are the same
constexpr double kSamePose = 1e-14;

}  // namespace

AttachmentId OdeAttachments::attach(BodyId a, BodyId b) {
  auto attachment = std::make_unique<Attachment>();
  attachment->a = a;
  attachment->b = b;
  attachment->X_AB = bodies_.pose(a).inverse() * bodies_.pose(b);
  join(*attachment);
  const auto unused = std::find(attachments_.begin(), attachments_.end(), nullptr);
  const auto slot = static_cast<AttachmentId>(unused - attachments_.begin());
  if (unused == attachments_.end()) {
    attachments_.push_back(std::move(attachment));
  } else {
    *unused = std::move(attachment);
  }
  return slot;
}

void OdeAttachments::join(Attachment& attachment) {
  attachment.mover_a = bodies_.mover(attachment.a);
  attachment.mover_b = bodies_.mover(attachment.b);
  if (attachment.joint != nullptr) {
    dJointDestroy(attachment.joint);
    attachment.joint = nullptr;
  }
  if (attachment.mover_a == attachment.mover_b) {
    attachment.feedback = {};
    return;
  }
  attachment.joint = dJointCreateFixed(world_, nullptr);
  dJointAttach(attachment.joint, attachment.mover_b, attachment.mover_a);
  fix(attachment);
  dJointSetFeedback(attachment.joint, &attachment.feedback);
}

void OdeAttachments::fix(const Attachment& attachment) const {
  const model::Pose X_WA = bodies_.pose(attachment.a);
  const model::Pose X_WB = bodies_.pose(attachment.b);
  const model::Pose way = X_WA * attachment.X_AB * X_WB.inverse();  // of b to where it is to be
  if (way.isApprox(model::Pose::Identity(), kSamePose)) {
    dJointSetFixed(attachment.joint);
    return;
  }
  // ODE takes the poses that bodies have, so one is put there for a moment
  const bool moves_b = attachment.mover_b != nullptr;
  const dBodyID moved = moves_b ? attachment.mover_b : attachment.mover_a;
  const model::Pose X_WM = get_ode_pose(moved);
  set_ode_pose(moved, (moves_b ? way : way.inverse()) * X_WM);
  dJointSetFixed(attachment.joint);
  set_ode_pose(moved, X_WM);
}

void OdeAttachments::move(AttachmentId attachment, const model::Pose& X_AB) {
  at(attachment);  // there is one
  Attachment& held = *attachments_[static_cast<std::size_t>(attachment)];
  held.X_AB = X_AB;
  if (held.joint != nullptr) {
    fix(held);
  }
}

void OdeAttachments::follow_merges() {
  for (const std::unique_ptr<Attachment>& attachment : attachments_) {
    if (attachment != nullptr) {
      join(*attachment);
    }
  }
}

const OdeAttachments::Attachment& OdeAttachments::at(AttachmentId attachment) const {
  const auto slot = static_cast<std::size_t>(attachment);
  check(slot < attachments_.size() && attachments_[slot] != nullptr, "no such attachment");
  return *attachments_[slot];
}

void OdeAttachments::detach(AttachmentId attachment) {
  if (const dJointID joint = at(attachment).joint; joint != nullptr) {
    dJointDestroy(joint);
  }
  attachments_[static_cast<std::size_t>(attachment)].reset();
}

Wrench OdeAttachments::reaction(AttachmentId attachment) const {
  return wrench_on(at(attachment).b, at(attachment));
}

Wrench OdeAttachments::wrench_on(BodyId body, const Attachment& held) const {
  if (held.joint == nullptr) {
    return {};
  }
  // ODE's first body is b, unless b does not move; torques are about the centre of ODE's body
  const bool is_first_b = held.mover_b != nullptr;
  const double sign = is_first_b == (body == held.b) ? 1.0 : -1.0;
  const model::Vector3 force = sign * to_vector(held.feedback.f1);
  const model::Vector3 torque = sign * to_vector(held.feedback.t1);
  const dBodyID first = is_first_b ? held.mover_b : held.mover_a;
  const model::Vector3 arm = to_vector(dBodyGetPosition(first)) - bodies_.centre_of_mass(body);
  return {.force_W = force, .torque_W = torque + arm.cross(force)};
}

void OdeAttachments::add_loads(OdeBodies& bodies) const {
  for (const std::unique_ptr<Attachment>& held : attachments_) {
    if (held != nullptr) {
      bodies.add_load(held->a, wrench_on(held->a, *held));
      bodies.add_load(held->b, wrench_on(held->b, *held));
    }
  }
}

}  // namespace longarm::physics
