// SPDX-License-Identifier: Apache-2.0
// The part of OdeBodies that makes one rigid body of several, and takes it apart again.
#include "longarm/physics/ode/ode_bodies.h"

namespace longarm::physics {

using model::Pose;

bool OdeBodies::can_merge(BodyId a, BodyId b) const {
  if (!merged_.can_merge(a, b)) {
    return false;
  }
  const FlatBody& root = cell_.body(merged_.root(a));
  if (root.is_static || root.is_single) {
    return true;
  }
  // joints are anchored in ODE's bodies, which must stay at their centres of mass; where nothing
  // turns, the centre does not matter
  return root.joint >= 0 && cell_.bodies()[static_cast<std::size_t>(root.parent)].is_static &&
         cell_.joints()[static_cast<std::size_t>(root.joint)].joint->type ==
             model::JointType::kPrismatic;
}

void OdeBodies::merge(BodyId a, BodyId b) {
  const BodyId root = merged_.root(a);
  const Pose X_WR = pose(root);
  const Twist twist_R = cell_.body(root).is_single
                            ? merged_.common_twist(root, motion(root), b, motion(b))
                            : twist(root);
  const dBodyID sleeper = mover(b);
  // what was applied to b since the last step now acts on the root
  Wrench pending{to_vector(dBodyGetForce(sleeper)), to_vector(dBodyGetTorque(sleeper))};
  pending.torque_W +=
      (to_vector(dBodyGetPosition(sleeper)) - centre_of_mass(b)).cross(pending.force_W);
  merged_.merge(a, b, pose(a).inverse() * pose(b));
  dBodySetForce(sleeper, 0, 0, 0);
  dBodySetTorque(sleeper, 0, 0, 0);
  dBodyDisable(sleeper);
  weigh(root, X_WR, twist_R);
  // a base and a slider keep their centre, and so the shapes they have
  hang_tree(cell_.body(root).is_single ? root : b);
  push(b, pending);
}

void OdeBodies::split(BodyId b) {
  const BodyId root = merged_.root(b);
  const BodyMotion motion_R = motion(root);
  const BodyMotion motion_B = motion(b);
  merged_.split(b);
  dBodyEnable(mover(b));
  weigh(b, motion_B.X_WB, motion_B.twist);
  hang_tree(b);
  weigh(root, motion_R.X_WB, motion_R.twist);
  if (cell_.body(root).is_single) {
    hang_tree(root);
  }
}

void OdeBodies::weigh(BodyId root, const Pose& X_WB, const Twist& twist) {
  const auto number = static_cast<std::size_t>(root);
  if (ids_[number] == nullptr) {
    return;
  }
  dMass mass = own_masses_[number];
  const MassProperties lump = merged_.lump(root);
  if (cell_.body(root).is_single) {
    mass = to_ode_mass(lump.mass_kg, lump.inertia_kg_m2);
    centres_[number] = lump.p_BC;
  } else {
    mass.mass += lump.mass_kg - cell_.body(root).body->inertial.mass_kg;
  }
  dBodySetMass(ids_[number], &mass);
  put(root, X_WB, twist);
}

/// `top` and everything that is merged into it. All bodies of its root would do as well; the fewer
/// are touched the cheaper.
void OdeBodies::hang_tree(BodyId top) {
  hang_shapes(top);
  for (const BodyId body : merged_.merged()) {
    if (body != top && merged_.is_part_of(body, top)) {
      hang_shapes(body);
    }
  }
}

void OdeBodies::before_step() {
  if (!merged_.has_any()) {
    return;
  }
  for (std::size_t b = 0; b < motions_.size(); ++b) {
    if (const auto body = static_cast<BodyId>(b); is_loaded_root(body)) {
      motions_[b] = motion(body);
    }
  }
}

void OdeBodies::after_step(std::span<const Contact> contacts, double period_s) {
  if (!merged_.has_any()) {
    return;
  }
  for (std::size_t b = 0; b < motions_.size(); ++b) {
    const auto body = static_cast<BodyId>(b);
    if (!is_loaded_root(body)) {
      continue;
    }
    BodyMotion& motion = motions_[b];
    const Twist now = twist(body);
    motion.acceleration = {(now.linear_W - motion.twist.linear_W) / period_s,
                           (now.angular_W - motion.twist.angular_W) / period_s};
  }
  merged_.find_reactions(motions_, contacts);
}

void OdeBodies::follow_roots(std::span<Pose> X_WB) const {
  for (const BodyId body : merged_.merged()) {
    const Pose& X_WR = X_WB[static_cast<std::size_t>(merged_.root(body))];
    X_WB[static_cast<std::size_t>(body)] = merged_.pose(body, X_WR);
  }
}

}  // namespace longarm::physics
