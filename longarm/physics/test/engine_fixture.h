// SPDX-License-Identifier: Apache-2.0
// One-line worlds for the conformance suite, and the list of engines it runs on.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/physics/engine.h"

namespace longarm::physics {

inline constexpr double kGravity = 9.81;
inline constexpr double kStep = 1e-3;  ///< s, the period of every world here
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct EngineCase {
  std::string engine;
  std::string solver;
};

inline void PrintTo(const EngineCase& engine, std::ostream* out) {
  *out << engine.engine << ' ' << engine.solver;
}

inline std::vector<EngineCase> all_engines() {
  return {{"mujoco", "newton"}, {"ode", "direct"}, {"ode", "quick"}, {"kinematic", ""}};
}

inline std::string engine_name(const testing::TestParamInfo<EngineCase>& info) {
  return info.param.solver.empty() ? info.param.engine
                                   : info.param.engine + "_" + info.param.solver;
}

/// Skips the present test unless the engine can do what it tests.
#define SKIP_UNLESS(engine, ability)                    \
  if (!(engine)->capabilities().ability) {              \
    GTEST_SKIP() << "this engine says no " << #ability; \
  }

class EngineTest : public testing::TestWithParam<EngineCase> {
 protected:
  std::unique_ptr<Engine> make(const model::Cell& cell) const {
    return built_in_engines().make(GetParam().engine, cell,
                                   EngineOptions{.solver = GetParam().solver});
  }
  bool is(const std::string& engine, const std::string& solver = {}) const {
    return GetParam().engine == engine && (solver.empty() || GetParam().solver == solver);
  }
};

inline void run(Engine& engine, int steps) {
  for (int i = 0; i < steps; ++i) {
    engine.step();
  }
}

// ---- bodies ----

/// A solid box without a shape, its centre of mass at `centre`: I = m/12 (b² + c²).
inline model::Body make_mass(double mass_kg, const model::Vector3& size_m,
                             const model::Vector3& centre = model::Vector3::Zero()) {
  model::Body body;
  body.name = "body";
  body.inertial.mass_kg = mass_kg;
  body.inertial.X_LC.translation() = centre;
  const model::Vector3 square = size_m.cwiseProduct(size_m);
  const model::Vector3 others(square.y() + square.z(), square.x() + square.z(),
                              square.x() + square.y());
  body.inertial.inertia_kg_m2 = (mass_kg / 12.0 * others).asDiagonal();
  return body;
}

inline model::Geometry make_shape(model::Shape shape, double friction = 1.0,
                                  const model::Vector3& at = model::Vector3::Zero()) {
  model::Geometry geometry;
  geometry.shape = std::move(shape);
  geometry.surface.friction = friction;
  geometry.X_LG.translation() = at;
  return geometry;
}

inline model::Body make_box(double mass_kg, const model::Vector3& size_m, double friction = 1.0) {
  model::Body body = make_mass(mass_kg, size_m);
  body.collisions.push_back(make_shape(model::Box{size_m}, friction));
  return body;
}

// ---- placements ----

inline model::Placement place(model::Body body, const model::Vector3& at, bool is_fixed) {
  model::Placement placement;
  placement.name = body.name;
  placement.tree.bodies.push_back(std::move(body));
  placement.X_WR.translation() = at;
  placement.is_fixed = is_fixed;
  return placement;
}

inline model::Placement free_body(model::Body body, const model::Vector3& at) {
  return place(std::move(body), at, false);
}

/// The half space z < 0.
inline model::Placement ground(double friction = 1.0) {
  model::Body body;
  body.name = "ground";
  body.collisions.push_back(make_shape(model::HalfSpace{}, friction));
  return place(std::move(body), model::Vector3::Zero(), true);
}

inline model::TreeJoint make_joint(model::JointType type, const model::Vector3& axis,
                                   int parent = 0,
                                   const model::Vector3& at = model::Vector3::Zero()) {
  model::TreeJoint joint;
  joint.name = "joint";
  joint.type = type;
  joint.axis = axis;
  joint.parent_body = parent;
  joint.X_PJ.translation() = at;
  return joint;
}

inline model::TreeJoint slider(const model::Vector3& axis) {
  return make_joint(model::JointType::kPrismatic, axis);
}

inline model::TreeJoint hinge(const model::Vector3& axis) {
  return make_joint(model::JointType::kRevolute, axis);
}

/// A fixed base that carries `joints` and their bodies.
inline model::Placement mechanism(std::vector<std::pair<model::TreeJoint, model::Body>> parts,
                                  const model::Vector3& at = model::Vector3::Zero()) {
  model::Placement placement;
  placement.name = "mechanism";
  placement.tree.bodies.emplace_back();
  placement.X_WR.translation() = at;
  for (auto& [joint, body] : parts) {
    joint.name = "joint" + std::to_string(placement.tree.joints.size());
    body.name = "body" + std::to_string(placement.tree.bodies.size());
    placement.tree.joints.push_back(joint);
    placement.tree.bodies.push_back(body);
  }
  return placement;
}

inline model::Cell cell_of(std::vector<model::Placement> placements,
                           const model::Vector3& gravity = {0, 0, -kGravity}) {
  model::Cell cell;
  cell.gravity_m_s2 = gravity;
  cell.placements = std::move(placements);
  return cell;
}

inline model::Cell one_joint(const model::TreeJoint& joint, const model::Body& body,
                             const model::Vector3& gravity = {0, 0, -kGravity}) {
  return cell_of({mechanism({{joint, body}})}, gravity);
}

/// Six revolute joints with the proportions of a small industrial arm, standing at the origin.
inline model::Placement six_joint_arm() {
  const double lengths[] = {0.09, 0.42, 0.39, 0.11, 0.09, 0.08};
  const double masses[] = {3.7, 8.4, 2.3, 1.2, 1.2, 0.2};
  std::vector<std::pair<model::TreeJoint, model::Body>> parts;
  for (int i = 0; i < 6; ++i) {
    const double below = i == 0 ? 0.1 : lengths[i - 1];
    const model::Vector3 axis =
        (i == 0 || i == 4) ? model::Vector3::UnitZ() : model::Vector3::UnitY();
    model::Body link = make_mass(masses[i], {0.1, 0.08, lengths[i]}, {0, 0, lengths[i] / 2});
    link.collisions.push_back(
        make_shape(model::Capsule{0.03, lengths[i]}, 0.8, {0, 0, lengths[i] / 2}));
    model::TreeJoint joint = make_joint(model::JointType::kRevolute, axis, i, {0, 0, below});
    joint.dynamics.rotor_inertia_kg_m2 = 0.1;
    joint.limits.lower = -2 * M_PI;
    joint.limits.upper = 2 * M_PI;
    parts.emplace_back(joint, link);
  }
  model::Placement arm = mechanism(std::move(parts));
  // neighbours of neighbours are close enough to graze
  arm.tree.ignored_contacts = {{0, 2}, {1, 3}, {2, 4}, {2, 5}, {3, 5}, {3, 6}, {4, 6}};
  return arm;
}

inline BodyId body_id(int number) {
  return static_cast<BodyId>(number);
}
inline JointId joint_id(int number) {
  return static_cast<JointId>(number);
}

}  // namespace longarm::physics
