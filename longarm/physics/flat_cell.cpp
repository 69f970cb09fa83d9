// SPDX-License-Identifier: Apache-2.0
// Numbers the bodies and joints of a cell and checks what every engine relies on.
#include "longarm/physics/flat_cell.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/suggest.h"

namespace longarm::physics {
namespace {

bool has_half_space(const model::Body& body) {
  return std::any_of(body.collisions.begin(), body.collisions.end(), [](const auto& geometry) {
    return std::holds_alternative<model::HalfSpace>(geometry.shape);
  });
}

/// The readers give every colliding mesh its triangles; whoever makes a cell by hand must, too.
void check_meshes(const model::Body& body) {
  for (const model::Geometry& geometry : body.collisions) {
    const auto* mesh = std::get_if<model::Mesh>(&geometry.shape);
    check(mesh == nullptr || (mesh->data != nullptr && !mesh->data->triangles.empty()),
          "a mesh without triangles cannot collide");
  }
}

void check_body(const FlatBody& flat, Diagnostics& diagnostics) {
  if (flat.is_static) {
    return;
  }
  const model::Body& body = *flat.body;
  if (!(body.inertial.mass_kg > 0.0)) {
    diagnostics.error(body.where, fmt::format("body '{}' moves but has no mass", body.name),
                      "give its link an <inertial> element, or fix it to the world");
  } else if (!(body.inertial.inertia_kg_m2.diagonal().minCoeff() > 0.0)) {
    diagnostics.error(body.where,
                      fmt::format("body '{}' moves but has no rotational inertia", body.name),
                      "give its link an <inertia> with positive ixx, iyy and izz");
  }
  if (has_half_space(body)) {
    diagnostics.error(body.where, fmt::format("body '{}' moves but has a half space", body.name),
                      "only what is fixed to the world can have one");
  }
}

}  // namespace

void FlatJoint::take(const JointCommand& command, JointCommand& kept) const {
  if (!takes_commands()) {
    return;
  }
  kept = command;
  if (command.mode == CommandMode::kPosition) {
    // a position motor never fights the joint's own stops
    kept.value = std::clamp(command.value, joint->limits.lower, joint->limits.upper);
  }
}

FlatCell::FlatCell(const model::Cell& cell) : cell_(cell) {
  Diagnostics diagnostics;
  for (int i = 0; i < static_cast<int>(cell_.placements.size()); ++i) {
    add_placement(i, diagnostics);
  }
  diagnostics.throw_if_errors();
}

void FlatCell::add_placement(int number, Diagnostics& diagnostics) {
  const model::Placement& placement = cell_.placements[static_cast<std::size_t>(number)];
  const int first_body = static_cast<int>(bodies_.size());
  const int first_joint = static_cast<int>(joints_.size());
  for (const model::Body& body : placement.tree.bodies) {
    check_meshes(body);
    bodies_.push_back({.body = &body, .placement = number});
  }
  if (!placement.tree.bodies.empty()) {
    FlatBody& root = bodies_[static_cast<std::size_t>(first_body)];
    root.is_static = placement.is_fixed || placement.tree.is_static;
    root.is_single = !root.is_static && placement.tree.bodies.size() == 1;
  }
  add_joints(number, first_body, first_joint, diagnostics);
}

void FlatCell::add_joints(int number, int first_body, int first_joint, Diagnostics& diagnostics) {
  const model::Placement& placement = cell_.placements[static_cast<std::size_t>(number)];
  const std::vector<double>& initial = placement.initial_positions;
  if (!initial.empty() && initial.size() != placement.tree.joints.size()) {
    diagnostics.error({}, fmt::format("'{}' has {} joints but {} initial positions", placement.name,
                                      placement.tree.joints.size(), initial.size()));
    return;
  }
  for (std::size_t j = 0; j < placement.tree.joints.size(); ++j) {
    const model::TreeJoint& joint = placement.tree.joints[j];
    // joint j carries body j + 1
    FlatJoint flat{.joint = &joint,
                   .parent_body = first_body + joint.parent_body,
                   .child_body = first_body + static_cast<int>(j) + 1,
                   .leader = joint.mimic ? first_joint + joint.mimic->joint : -1,
                   .is_locked = placement.tree.is_static,
                   .initial_position = initial.empty() ? 0.0 : initial[j]};
    FlatBody& child = bodies_[static_cast<std::size_t>(flat.child_body)];
    child.parent = flat.parent_body;
    child.joint = static_cast<int>(joints_.size());
    child.is_static =
        flat.is_locked && bodies_[static_cast<std::size_t>(flat.parent_body)].is_static;
    joints_.push_back(flat);
  }
}

std::vector<double> FlatCell::initial_positions() const {
  std::vector<double> positions;
  for (const FlatJoint& joint : joints_) {
    positions.push_back(joint.initial_position);
  }
  // a leader may come after its follower, hence a second pass
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j].leader >= 0) {
      positions[j] = joints_[j].follow(positions[static_cast<std::size_t>(joints_[j].leader)]);
    }
  }
  return positions;
}

const FlatCell& check_dynamics(const FlatCell& cell) {
  Diagnostics diagnostics;
  for (const FlatBody& body : cell.bodies()) {
    check_body(body, diagnostics);
  }
  diagnostics.throw_if_errors();
  return cell;
}

namespace {

std::string choose(const char* what, const std::string& name,
                   const std::vector<std::string>& valid) {
  if (name.empty()) {
    return valid.front();
  }
  if (std::find(valid.begin(), valid.end(), name) == valid.end()) {
    throw InputError(
        Diagnostic{{}, fmt::format("unknown {} '{}'", what, name), suggest(name, valid)});
  }
  return name;
}

}  // namespace

std::string choose_solver(const std::string& solver, const std::vector<std::string>& valid) {
  return choose("solver", solver, valid);
}

std::string choose_integrator(const std::string& integrator,
                              const std::vector<std::string>& valid) {
  return choose("integrator", integrator, valid);
}

PairFilter::PairFilter(const FlatCell& cell) {
  const auto& bodies = cell.bodies();
  int moving = 0;
  for (const FlatBody& body : bodies) {
    rows_.push_back(body.is_static ? -1 : moving++);
  }
  may_touch_.assign(static_cast<std::size_t>(moving) * bodies.size(), 1);
  for (int a = 0; a < static_cast<int>(bodies.size()); ++a) {
    const FlatBody& body_a = bodies[static_cast<std::size_t>(a)];
    const auto& tree = cell.cell().placements[static_cast<std::size_t>(body_a.placement)].tree;
    // bodies of a tree follow each other
    for (int b = a; b >= 0 && bodies[static_cast<std::size_t>(b)].placement == body_a.placement;
         --b) {
      const bool are_neighbours =
          body_a.parent == b || bodies[static_cast<std::size_t>(b)].parent == a;
      if (a == b || are_neighbours || !tree.self_collides) {
        set(a, b, false);
      }
    }
  }
  int first_body = 0;
  for (const model::Placement& placement : cell.cell().placements) {
    for (const auto& [a, b] : placement.tree.ignored_contacts) {
      set(first_body + a, first_body + b, false);
    }
    first_body += static_cast<int>(placement.tree.bodies.size());
  }
}

void PairFilter::set(int a, int b, bool enabled) {
  if (is_stored(a, b)) {
    may_touch_[index(a, b)] = enabled ? 1 : 0;
  }
}

model::Pose joint_motion(const model::TreeJoint& joint, double q) {
  model::Pose X = model::Pose::Identity();
  if (joint.type == model::JointType::kPrismatic) {
    X.translation() = joint.axis * q;
  } else {
    X.linear() = Eigen::AngleAxisd(q, joint.axis).toRotationMatrix();
  }
  return X;
}

void forward_kinematics(const FlatCell& cell, std::span<const double> positions,
                        std::span<model::Pose> X_WB) {
  // joints are ordered parents first
  for (std::size_t j = 0; j < cell.joint_count(); ++j) {
    const FlatJoint& joint = cell.joints()[j];
    X_WB[static_cast<std::size_t>(joint.child_body)] =
        X_WB[static_cast<std::size_t>(joint.parent_body)] * joint.joint->X_PJ *
        joint_motion(*joint.joint, positions[j]);
  }
}

void forward_twists(const FlatCell& cell, std::span<const double> velocities,
                    std::span<const model::Pose> X_WB, std::span<Twist> twists) {
  for (std::size_t j = 0; j < cell.joint_count(); ++j) {
    const FlatJoint& joint = cell.joints()[j];
    const auto child = static_cast<std::size_t>(joint.child_body);
    const auto parent = static_cast<std::size_t>(joint.parent_body);
    const model::Vector3 axis_W = X_WB[child].linear() * joint.joint->axis;
    const model::Vector3 arm_W = X_WB[child].translation() - X_WB[parent].translation();
    Twist& twist = twists[child];
    twist = twists[parent];
    twist.linear_W += twists[parent].angular_W.cross(arm_W);
    if (joint.joint->type == model::JointType::kPrismatic) {
      twist.linear_W += axis_W * velocities[j];
    } else {
      twist.angular_W += axis_W * velocities[j];
    }
  }
}

}  // namespace longarm::physics
