// SPDX-License-Identifier: Apache-2.0
// Adds up lengths from the tips of a tree to its root.
#include "longarm/motion/arm_sweep.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace longarm::motion {
namespace {

constexpr double kUnlimitedTravel_m = 10.0;

double radius_m(const model::Box& box) {
  return 0.5 * box.size_m.norm();
}

double radius_m(const model::Sphere& sphere) {
  return sphere.radius_m;
}

double radius_m(const model::Cylinder& cylinder) {
  return std::hypot(cylinder.radius_m, 0.5 * cylinder.length_m);
}

double radius_m(const model::Capsule& capsule) {
  return capsule.radius_m + 0.5 * capsule.length_m;
}

// stands still on whatever it belongs to
double radius_m(const model::HalfSpace&) {
  return 0.0;
}

double radius_m(const model::Mesh& mesh) {
  double largest = 0.0;
  if (mesh.data) {
    for (const model::Vector3& vertex : mesh.data->vertices_m) {
      largest = std::max(largest, vertex.norm());
    }
  }
  return largest;
}

/// Of the sphere around a body's origin that holds all its shapes.
double radius_m(const model::Body& body) {
  double largest = 0.0;
  for (const model::Geometry& geometry : body.collisions) {
    const double radius =
        std::visit([](const auto& shape) { return radius_m(shape); }, geometry.shape);
    largest = std::max(largest, geometry.X_LG.translation().norm() + radius);
  }
  return largest;
}

double travel_m(const model::TreeJoint& joint) {
  if (joint.type != model::JointType::kPrismatic) {
    return 0.0;
  }
  const double furthest = std::max(std::abs(joint.limits.lower), std::abs(joint.limits.upper));
  return std::isfinite(furthest) ? furthest : kUnlimitedTravel_m;
}

}  // namespace

ArmSweep::ArmSweep(const model::BodyTree& tree) : reach_m_(tree.joints.size(), 0.0) {
  // how far from its origin anything that a body carries can ever be; children come after parents
  std::vector<double> carried;
  for (const model::Body& body : tree.bodies) {
    carried.push_back(radius_m(body));
  }
  const Kinematics kinematics(tree);
  for (std::size_t i = tree.joints.size(); i-- > 0;) {
    const model::TreeJoint& joint = tree.joints[i];
    double& parent = carried[static_cast<std::size_t>(joint.parent_body)];
    parent = std::max(parent, joint.X_PJ.translation().norm() + travel_m(joint) + carried[i + 1]);
    const bool is_prismatic = joint.type == model::JointType::kPrismatic;
    const JointSource& source = kinematics.source(static_cast<int>(i));
    reach_m_[static_cast<std::size_t>(source.joint)] +=
        std::abs(source.multiplier) * (is_prismatic ? 1.0 : carried[i + 1]);
  }
}

double ArmSweep::bound_m(std::span<const double> a, std::span<const double> b) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < reach_m_.size(); ++i) {
    sum += reach_m_[i] * std::abs(b[i] - a[i]);
  }
  return sum;
}

}  // namespace longarm::motion
