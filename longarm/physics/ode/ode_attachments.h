// SPDX-License-Identifier: Apache-2.0
// Fixed joints made and broken at run time, and what they carry.
#pragma once

#include <memory>
#include <vector>

#include "longarm/physics/ode/ode_bodies.h"

namespace longarm::physics {

class OdeAttachments {
 public:
  OdeAttachments(dWorldID world, const OdeBodies& bodies) : world_(world), bodies_(bodies) {}

  AttachmentId attach(BodyId a, BodyId b);
  /// Holds b at `X_AB` from now on.
  void move(AttachmentId attachment, const model::Pose& X_AB);
  void detach(AttachmentId attachment);
  Wrench reaction(AttachmentId attachment) const;
  /// After a step: what constraints did to bodies that are merged into others.
  void add_loads(OdeBodies& bodies) const;
  /// After bodies were merged or split: joints hold what moves the bodies now.
  void follow_merges();

 private:
  struct Attachment {
    BodyId a{};
    BodyId b{};
    model::Pose X_AB = model::Pose::Identity();  ///< as they are to be, whatever the load
    dBodyID mover_a = nullptr;
    dBodyID mover_b = nullptr;
    dJointID joint = nullptr;  ///< null between two bodies that cannot move against each other
    dJointFeedback feedback{};
  };

  void join(Attachment& attachment);
  /// Makes the joint one that holds b at X_AB.
  void fix(const Attachment& attachment) const;
  /// On `body`, which is one of the two, about its centre of mass.
  Wrench wrench_on(BodyId body, const Attachment& attachment) const;
  const Attachment& at(AttachmentId attachment) const;

  dWorldID world_;
  const OdeBodies& bodies_;
  std::vector<std::unique_ptr<Attachment>> attachments_;  ///< ODE keeps pointers to their feedback
};

}  // namespace longarm::physics
