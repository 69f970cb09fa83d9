// SPDX-License-Identifier: Apache-2.0
// Keeps the forest, adds up its masses, and balances forces by Newton and Euler.
#include "longarm/physics/merged_bodies.h"

#include <algorithm>

#include <Eigen/Cholesky>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

using model::Matrix3;
using model::Pose;
using model::Vector3;

// Far beyond the number of constraints that any cell has room for.
constexpr int kFirstMerge = 1 << 24;

/// The parallel axis theorem: what a point mass at `arm` from the axis adds.
Matrix3 point_inertia(double mass_kg, const Vector3& arm) {
  return mass_kg * (arm.squaredNorm() * Matrix3::Identity() - arm * arm.transpose());
}

MassProperties own_mass(const model::Inertial& inertial) {
  const Matrix3 R = inertial.X_LC.linear();
  return {inertial.mass_kg, inertial.X_LC.translation(),
          R * inertial.inertia_kg_m2 * R.transpose()};
}

/// Adds to `sum` what weighs `part` in a frame at `X`.
void add(MassProperties& sum, const MassProperties& part, const Pose& X) {
  const double mass = sum.mass_kg + part.mass_kg;
  if (!(mass > 0.0)) {
    return;
  }
  const Vector3 p = X * part.p_BC;
  const Vector3 centre = (sum.mass_kg * sum.p_BC + part.mass_kg * p) / mass;
  const Matrix3 turned = X.linear() * part.inertia_kg_m2 * X.linear().transpose();
  sum.inertia_kg_m2 += point_inertia(sum.mass_kg, sum.p_BC - centre) + turned +
                       point_inertia(part.mass_kg, p - centre);
  sum.p_BC = centre;
  sum.mass_kg = mass;
}

}  // namespace

MergedBodies::MergedBodies(const FlatCell& cell)
    : gravity_m_s2_(cell.cell().gravity_m_s2), nodes_(cell.body_count()) {
  for (std::size_t b = 0; b < nodes_.size(); ++b) {
    const FlatBody& flat = cell.bodies()[b];
    nodes_[b].inertial = &flat.body->inertial;
    nodes_[b].is_static = flat.is_static;
    nodes_[b].is_single = flat.is_single;
    nodes_[b].root = static_cast<int>(b);
  }
  merged_.reserve(nodes_.size());
}

AttachmentId MergedBodies::attachment(BodyId body) {
  return static_cast<AttachmentId>(kFirstMerge + static_cast<int>(body));
}

bool MergedBodies::is_merge(AttachmentId attachment) {
  return static_cast<int>(attachment) >= kFirstMerge;
}

BodyId MergedBodies::body(AttachmentId attachment) const {
  const int number = static_cast<int>(attachment) - kFirstMerge;
  check(number >= 0 && static_cast<std::size_t>(number) < nodes_.size() &&
            is_merged(static_cast<BodyId>(number)),
        "no such attachment");
  return static_cast<BodyId>(number);
}

bool MergedBodies::can_merge(BodyId a, BodyId b) const {
  return node(b).is_single && !is_merged(b) && root(a) != b;
}

void MergedBodies::merge(BodyId a, BodyId b, const Pose& X_AB) {
  check(can_merge(a, b), "these two bodies cannot be merged");
  Node& child = node(b);
  child.parent = static_cast<int>(a);
  child.X_PB = X_AB;
  child.reaction = {};
  ++node(a).child_count;
  merged_.insert(std::lower_bound(merged_.begin(), merged_.end(), b), b);
  find_roots();
}

void MergedBodies::split(BodyId b) {
  check(is_merged(b), "this body is not merged");
  Node& child = node(b);
  --nodes_[static_cast<std::size_t>(child.parent)].child_count;
  child.parent = -1;
  child.load = {};
  child.reaction = {};
  child.root = static_cast<int>(b);
  child.X_RB = Pose::Identity();
  merged_.erase(std::lower_bound(merged_.begin(), merged_.end(), b));
  find_roots();
}

/// Always from the parents' poses and in the same order, so that a restored forest has the same
/// bits.
void MergedBodies::find_roots() {
  for (const BodyId body : merged_) {
    Node& child = node(body);
    Pose X = child.X_PB;
    int above = child.parent;
    for (; nodes_[static_cast<std::size_t>(above)].parent >= 0;
         above = nodes_[static_cast<std::size_t>(above)].parent) {
      X = nodes_[static_cast<std::size_t>(above)].X_PB * X;
    }
    child.root = above;
    child.X_RB = X;
  }
}

bool MergedBodies::is_part_of(BodyId body, BodyId ancestor) const {
  int number = static_cast<int>(body);
  while (number >= 0 && number != static_cast<int>(ancestor)) {
    number = nodes_[static_cast<std::size_t>(number)].parent;
  }
  return number >= 0;
}

bool MergedBodies::are_one(BodyId a, BodyId b) const {
  return root(a) == root(b) || (node(root(a)).is_static && node(root(b)).is_static);
}

Twist MergedBodies::twist(BodyId body, const Pose& X_WR, const Twist& root) const {
  const Vector3 arm = X_WR.linear() * X_RB(body).translation();
  return {root.linear_W + root.angular_W.cross(arm), root.angular_W};
}

Vector3 MergedBodies::centre_of_mass(BodyId body, const Pose& X_WR) const {
  return X_WR * (X_RB(body) * node(body).inertial->X_LC.translation());
}

MassProperties MergedBodies::lump(BodyId body) const {
  MassProperties sum = own_mass(*node(body).inertial);
  const Pose X_BR = X_RB(body).inverse();
  for (const BodyId other : merged_) {
    if (other != body && is_part_of(other, body)) {
      add(sum, own_mass(*node(other).inertial), X_BR * X_RB(other));
    }
  }
  return sum;
}

Twist MergedBodies::common_twist(BodyId a, const BodyMotion& motion_a, BodyId b,
                                 const BodyMotion& motion_b) const {
  // all in a's axes, about a's origin
  const Pose X_AB = motion_a.X_WB.inverse() * motion_b.X_WB;
  const Matrix3 R_AW = motion_a.X_WB.linear().transpose();
  const MassProperties mass_a = lump(a);
  MassProperties mass_b;
  add(mass_b, lump(b), X_AB);
  MassProperties both = mass_a;
  add(both, mass_b, Pose::Identity());
  const auto velocity_at = [&](const BodyMotion& motion, const Vector3& p_A) -> Vector3 {
    const Vector3 arm_W = motion_a.X_WB * p_A - motion.X_WB.translation();
    return R_AW * (motion.twist.linear_W + motion.twist.angular_W.cross(arm_W));
  };
  const Vector3 momentum_a = mass_a.mass_kg * velocity_at(motion_a, mass_a.p_BC);
  const Vector3 momentum_b = mass_b.mass_kg * velocity_at(motion_b, mass_b.p_BC);
  const Vector3 spin = mass_a.inertia_kg_m2 * (R_AW * motion_a.twist.angular_W) +
                       mass_b.inertia_kg_m2 * (R_AW * motion_b.twist.angular_W) +
                       (mass_a.p_BC - both.p_BC).cross(momentum_a) +
                       (mass_b.p_BC - both.p_BC).cross(momentum_b);
  const Vector3 angular = both.inertia_kg_m2.ldlt().solve(spin);
  const Vector3 linear = (momentum_a + momentum_b) / both.mass_kg - angular.cross(both.p_BC);
  return {motion_a.X_WB.linear() * linear, motion_a.X_WB.linear() * angular};
}

void MergedBodies::add_load(BodyId body, const Wrench& wrench) {
  if (is_merged(body)) {
    node(body).load.force_W += wrench.force_W;
    node(body).load.torque_W += wrench.torque_W;
  }
}

void MergedBodies::find_reactions(std::span<const BodyMotion> motions,
                                  std::span<const Contact> contacts) {
  if (merged_.empty()) {
    return;
  }
  for (const BodyId body : merged_) {
    Node& own = node(body);
    own.p_WC = centre_of_mass(body, motions[static_cast<std::size_t>(own.root)].X_WB);
    own.reaction = {};
  }
  for (const Contact& contact : contacts) {
    push(contact.b, contact.force_on_b_W, contact.p_W);
    push(contact.a, -contact.force_on_b_W, contact.p_W);
  }
  // what a body needs beyond its loads, everything that it is part of must bring up
  for (const BodyId body : merged_) {
    Node& own = node(body);
    Wrench needed = inertial_wrench(own, motions[static_cast<std::size_t>(own.root)]);
    needed.force_W -= own.load.force_W;
    needed.torque_W -= own.load.torque_W;
    own.load = {};
    for (Node* above = &own; above->parent >= 0;
         above = &nodes_[static_cast<std::size_t>(above->parent)]) {
      above->reaction.force_W += needed.force_W;
      above->reaction.torque_W += needed.torque_W + (own.p_WC - above->p_WC).cross(needed.force_W);
    }
  }
}

/// Two bodies of one tree never touch, so every contact is one with the outside.
void MergedBodies::push(BodyId body, const Vector3& force_W, const Vector3& p_W) {
  if (is_merged(body)) {
    Node& own = node(body);
    own.load.force_W += force_W;
    own.load.torque_W += (p_W - own.p_WC).cross(force_W);
  }
}

/// What it takes to move a body with its root, against gravity.
Wrench MergedBodies::inertial_wrench(const Node& own, const BodyMotion& root) const {
  const Vector3& spin = root.twist.angular_W;
  const Vector3& turning = root.acceleration.angular_W;
  const Vector3 arm = own.p_WC - root.X_WB.translation();
  const Vector3 acceleration =
      root.acceleration.linear_W + turning.cross(arm) + spin.cross(spin.cross(arm));
  const Matrix3 R = (root.X_WB * own.X_RB * own.inertial->X_LC).linear();
  const Matrix3 inertia = R * own.inertial->inertia_kg_m2 * R.transpose();
  return {own.inertial->mass_kg * (acceleration - gravity_m_s2_),
          inertia * turning + spin.cross(inertia * spin)};
}

void MergedBodies::save(SnapshotWriter& writer) const {
  writer.write(static_cast<double>(merged_.size()));
  for (const BodyId body : merged_) {
    const Node& own = node(body);
    writer.write(static_cast<double>(body));
    writer.write(static_cast<double>(own.parent));
    writer.write(own.X_PB.data(), 16);
    for (const Wrench& wrench : {own.load, own.reaction}) {
      writer.write(wrench.force_W);
      writer.write(wrench.torque_W);
    }
  }
}

void MergedBodies::restore(SnapshotReader& reader) {
  while (has_any()) {
    split(merged_.back());
  }
  merged_.resize(static_cast<std::size_t>(reader.read()));
  for (BodyId& body : merged_) {
    body = static_cast<BodyId>(reader.read());
    Node& own = node(body);
    own.parent = static_cast<int>(reader.read());
    ++nodes_[static_cast<std::size_t>(own.parent)].child_count;
    reader.read(own.X_PB.data(), 16);
    for (Wrench* wrench : {&own.load, &own.reaction}) {
      reader.read(wrench->force_W);
      reader.read(wrench->torque_W);
    }
  }
  find_roots();
}

}  // namespace longarm::physics
