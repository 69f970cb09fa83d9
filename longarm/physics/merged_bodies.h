// SPDX-License-Identifier: Apache-2.0
// Which bodies have become part of which others, what they weigh together, and what holds them:
// the engine-neutral half of Joining::kMerged.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

/// Of a body with everything merged into it, in that body's frame.
struct MassProperties {
  double mass_kg = 0.0;
  model::Vector3 p_BC = model::Vector3::Zero();           ///< centre of mass
  model::Matrix3 inertia_kg_m2 = model::Matrix3::Zero();  ///< about it
};

/// How a body moves at the beginning of a step, with its accelerations during it. An engine without
/// accelerations divides the change of velocity by the period: then forces are impulses over it.
struct BodyMotion {
  model::Pose X_WB = model::Pose::Identity();
  Twist twist;
  Twist acceleration;  ///< of the frame's origin, and angular
};

/// A forest: a body is merged into one other at most, which may be merged itself. The root of each
/// tree is the body that the engine really moves, with all masses and shapes of the tree. Nothing
/// is allocated after construction.
class MergedBodies {
 public:
  explicit MergedBodies(const FlatCell& cell);

  /// Numbers of merged attachments are apart from those of constraints: they tell the body.
  static AttachmentId attachment(BodyId body);
  static bool is_merge(AttachmentId attachment);
  /// The body that was merged; a number of no merged body is a mistake of ours.
  BodyId body(AttachmentId attachment) const;

  bool can_merge(BodyId a, BodyId b) const;
  /// Makes b, with what is merged into it, part of a, at `X_AB`.
  void merge(BodyId a, BodyId b, const model::Pose& X_AB);
  /// Makes b, with what is merged into it, a root again.
  void split(BodyId b);

  bool has_any() const { return !merged_.empty(); }
  /// All bodies that are not roots, by number.
  const std::vector<BodyId>& merged() const { return merged_; }
  bool is_merged(BodyId body) const { return node(body).parent >= 0; }
  bool has_load(BodyId body) const { return node(body).child_count > 0; }
  /// The body itself if it is not merged.
  BodyId root(BodyId body) const { return static_cast<BodyId>(node(body).root); }
  /// Pose in the root; the identity for a root.
  const model::Pose& X_RB(BodyId body) const { return node(body).X_RB; }
  /// Whether it is `ancestor` or merged into it, directly or not.
  bool is_part_of(BodyId body, BodyId ancestor) const;
  /// Whether two bodies can never move against each other: one tree, or both part of the world.
  bool are_one(BodyId a, BodyId b) const;

  /// Pose, twist and centre of mass of a body that is part of a root at `X_WR` moving with `root`.
  model::Pose pose(BodyId body, const model::Pose& X_WR) const { return X_WR * X_RB(body); }
  Twist twist(BodyId body, const model::Pose& X_WR, const Twist& root) const;
  model::Vector3 centre_of_mass(BodyId body, const model::Pose& X_WR) const;
  /// Of a body and everything merged into it.
  MassProperties lump(BodyId body) const;
  /// What two free bodies that are about to be merged move on with, as the twist of a's frame:
  /// their common momentum stays. Call before merge(); both are roots.
  Twist common_twist(BodyId a, const BodyMotion& motion_a, BodyId b,
                     const BodyMotion& motion_b) const;

  /// A wrench that acts on a merged body during the coming step, about its centre of mass; the
  /// engine itself applies it to the root. Does nothing for a root.
  void add_load(BodyId body, const Wrench& wrench);
  const Wrench& load(BodyId body) const { return node(body).load; }
  /// After a step: what holds each merged body, from the motion of the roots (by body number, read
  /// for roots with a load only) and from the contacts. Forgets the loads.
  void find_reactions(std::span<const BodyMotion> motions, std::span<const Contact> contacts);
  /// What its support exerted on a merged body and everything merged into it during the last step,
  /// about the body's own centre of mass. Zero for one merged since.
  const Wrench& reaction(BodyId body) const { return node(body).reaction; }

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  struct Node {
    const model::Inertial* inertial = nullptr;
    bool is_static = false;
    bool is_single = false;
    int parent = -1;  ///< what it is merged into
    int root = 0;
    int child_count = 0;  ///< merged into it directly
    model::Pose X_PB = model::Pose::Identity();
    model::Pose X_RB = model::Pose::Identity();
    Wrench load;
    Wrench reaction;
    model::Vector3 p_WC = model::Vector3::Zero();  ///< centre of mass during the last step
  };

  Node& node(BodyId body) { return nodes_[static_cast<std::size_t>(body)]; }
  const Node& node(BodyId body) const { return nodes_[static_cast<std::size_t>(body)]; }
  void find_roots();
  void push(BodyId body, const model::Vector3& force_W, const model::Vector3& p_W);
  Wrench inertial_wrench(const Node& node, const BodyMotion& root) const;

  model::Vector3 gravity_m_s2_;
  std::vector<Node> nodes_;
  std::vector<BodyId> merged_;
};

}  // namespace longarm::physics
