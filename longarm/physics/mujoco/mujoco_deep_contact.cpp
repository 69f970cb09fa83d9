// SPDX-License-Identifier: Apache-2.0
// Compares how far two shapes overlap along their axes: the least is the way out.
#include "longarm/physics/mujoco/mujoco_deep_contact.h"

#include <algorithm>
#include <cmath>

#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Matrix3;
using model::Vector3;

// Another axis must be better by this factor.
constexpr double kClearly = 2.0;

bool is_known(int type) {
  return type == mjGEOM_BOX || type == mjGEOM_CYLINDER || type == mjGEOM_CAPSULE ||
         type == mjGEOM_SPHERE;
}

Matrix3 axes(const mjData& data, int geom) {
  return Map<const RowMajor3>(data.geom_xmat + 9 * geom);
}

/// How far a shape reaches from its centre in a direction.
double reach(const mjModel& model, const mjData& data, int geom, const Vector3& direction) {
  const double* size = model.geom_size + 3 * geom;
  const Vector3 along = (axes(data, geom).transpose() * direction).cwiseAbs();
  switch (model.geom_type[geom]) {
    case mjGEOM_BOX:
      return along.dot(Vector3(size[0], size[1], size[2]));
    case mjGEOM_CYLINDER:
      return along.z() * size[1] + std::hypot(along.x(), along.y()) * size[0];
    case mjGEOM_CAPSULE:
      return along.z() * size[1] + size[0];
    default:
      return size[0];
  }
}

}  // namespace

void mend_deep_contact(const mjModel& model, const mjData& data, mjContact& contact) {
  if (!is_known(model.geom_type[contact.geom1]) || !is_known(model.geom_type[contact.geom2])) {
    return;
  }
  const Vector3 apart = Map<const Vector3>(data.geom_xpos + 3 * contact.geom2) -
                        Map<const Vector3>(data.geom_xpos + 3 * contact.geom1);
  const auto overlap = [&](const Vector3& direction) {
    return reach(model, data, contact.geom1, direction) +
           reach(model, data, contact.geom2, direction) - std::abs(direction.dot(apart));
  };
  const double present = overlap(Map<const Vector3>(contact.frame));
  double least = present / kClearly;
  Vector3 normal = Vector3::Zero();
  for (const int geom : {contact.geom1, contact.geom2}) {
    for (int i = 0; i < 3; ++i) {
      const Vector3 axis = axes(data, geom).col(i);
      if (const double found = overlap(axis); found < least) {
        least = found;
        normal = axis;
      }
    }
  }
  if (normal.isZero()) {
    return;
  }
  if (normal.dot(apart) < 0.0) {
    normal = -normal;
  }
  const Vector3 tangent = normal.unitOrthogonal();
  Map<Vector3>(contact.frame + 3) = tangent;
  Map<Vector3>(contact.frame + 6) = normal.cross(tangent);
  Map<Vector3>{contact.frame} = normal;
  contact.dist = std::max(contact.dist, -least);
}

}  // namespace longarm::physics
