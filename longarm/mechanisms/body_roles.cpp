// SPDX-License-Identifier: Apache-2.0
// Tells roles from how a model is put together, not from names; but a tool is what has a `tcp`.
#include "longarm/mechanisms/body_roles.h"

#include <algorithm>
#include <cmath>

#include "longarm/physics/pair_surface.h"

namespace longarm::mechanisms {
namespace {

using model::BodyTree;
using model::Placement;

/// A slider that is fixed to the world and has no other joint.
bool is_belt(const Placement& placement) {
  return placement.is_fixed && placement.tree.joints.size() == 1 &&
         placement.tree.joints[0].type == model::JointType::kPrismatic;
}

/// A tool that waits for an arm, such as a suction cup: what it holds has to go on touching it.
bool is_tool(const Placement& placement) {
  return std::ranges::any_of(placement.tree.frames, [](const model::Frame& frame) {
    return frame.name == "tcp" || frame.name.ends_with("::tcp");
  });
}

bool is_leaf(const BodyTree& tree, std::size_t body) {
  for (const model::TreeJoint& joint : tree.joints) {
    if (joint.parent_body == static_cast<int>(body)) {
      return false;
    }
  }
  return true;
}

BodyRole find_role(const Placement& placement, std::size_t body, int first_joint) {
  const BodyTree& tree = placement.tree;
  const bool is_root = body == 0;
  const bool is_still = tree.is_static || (is_root && placement.is_fixed);
  BodyRole role;
  role.is_part =
      !tree.is_static && !placement.is_fixed && tree.joints.empty() && !is_tool(placement);
  role.is_support = role.is_part || is_still || is_belt(placement);
  role.is_finger = !is_root && !role.is_support && is_leaf(tree, body);
  role.joint = is_root ? -1 : first_joint + static_cast<int>(body) - 1;
  role.mass_kg = tree.bodies[body].inertial.mass_kg;
  role.p_BC = tree.bodies[body].inertial.X_LC.translation();
  for (const model::Geometry& geometry : tree.bodies[body].collisions) {
    const double friction = geometry.surface.friction;
    role.frictions.push_back(std::isinf(friction) ? physics::kAsGoodAsInfiniteFriction : friction);
  }
  return role;
}

}  // namespace

std::vector<BodyRole> find_roles(const model::Cell& cell) {
  std::vector<BodyRole> roles;
  int first_joint = 0;
  for (const Placement& placement : cell.placements) {
    for (std::size_t body = 0; body < placement.tree.bodies.size(); ++body) {
      roles.push_back(find_role(placement, body, first_joint));
    }
    first_joint += static_cast<int>(placement.tree.joints.size());
  }
  return roles;
}

}  // namespace longarm::mechanisms
