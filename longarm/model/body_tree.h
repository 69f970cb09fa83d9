// SPDX-License-Identifier: Apache-2.0
// A model with its fixed joints lumped away: one rigid body per movable joint, ready for physics
// and kinematics.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/model/model.h"

namespace longarm::model {

/// How one joint follows another, by index; see Mimic.
struct MimicIndex {
  int joint = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// A movable joint. Joint i carries body i + 1; both lists are ordered parents first.
struct TreeJoint {
  std::string name;
  JointType type = JointType::kRevolute;  ///< never kFixed
  int parent_body = 0;
  Pose X_PJ = Pose::Identity();     ///< in the parent body; equals the child body's frame at q = 0
  Vector3 axis = Vector3::UnitZ();  ///< unit vector in the joint frame
  JointLimits limits;
  JointDynamics dynamics;
  std::optional<MimicIndex> mimic;
  SourceLocation where;
};

struct Body {
  std::string name;  ///< of the root link, or of the link that the joint carries
  Inertial
      inertial;  ///< of everything lumped into it; X_LC has no rotation, the tensor is in body axes
  std::vector<Geometry> collisions;
  std::vector<Geometry> visuals;
  SourceLocation where;
};

/// A named place on a body. Every link of the model is one, also those lumped into another link.
struct Frame {
  std::string name;
  int body = 0;
  Pose X_BF = Pose::Identity();
};

struct BodyTree {
  std::string name;
  std::vector<Body> bodies;  ///< bodies[0] is the root
  std::vector<TreeJoint> joints;
  std::vector<Frame> frames;
  bool is_static = false;
  bool self_collides = true;                          ///< between bodies that are not neighbours
  std::vector<std::pair<int, int>> ignored_contacts;  ///< pairs of bodies that never collide

  /// Index of a joint, body or frame by name; nothing if there is none.
  std::optional<int> find_joint(const std::string& name) const;
  std::optional<int> find_body(const std::string& name) const;
  std::optional<int> find_frame(const std::string& name) const;
};

/// Lumps fixed joints; in a static model all joints count as fixed. Bodies and joints follow the
/// tree depth first, siblings in file order; mimics of mimics are resolved to the joint that leads.
/// Reports cyclic, disconnected, doubly parented or unnamed-link joints and mimic errors in
/// `diagnostics`; the result is meaningful only if there are none.
BodyTree make_body_tree(const Model& model, Diagnostics& diagnostics);

}  // namespace longarm::model
