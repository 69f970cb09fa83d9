// SPDX-License-Identifier: Apache-2.0
// One- and two-joint arms, plans and links, for the tests of this folder.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/control/joint_interfaces.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/cell.h"
#include "longarm/motion/trajectory.h"

namespace longarm::control::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a joint carries: a mass on the x axis of its body, and how the body turns about that mass.
struct Load {
  double mass_kg = 1.0;
  double centre_x_m = 0.0;
  double inertia_kg_m2 = 1.0;  ///< about its own centre, the same about every axis
};

/// A tree with a root and no joints.
inline model::BodyTree bare_tree() {
  model::BodyTree tree;
  tree.name = "arm";
  tree.bodies.emplace_back().name = "base";
  return tree;
}

/// Adds a revolute joint to the last body, `offset_x_m` along its x axis. The reference is good
/// until the next joint is added.
inline model::TreeJoint& add_joint(model::BodyTree& tree, const std::string& name,
                                   const model::Vector3& axis, const Load& load,
                                   double offset_x_m = 0.0) {
  model::TreeJoint joint;
  joint.name = name;
  joint.parent_body = static_cast<int>(tree.bodies.size()) - 1;
  joint.X_PJ.translation().x() = offset_x_m;
  joint.axis = axis;
  model::Body body;
  body.name = name + " link";
  body.inertial.mass_kg = load.mass_kg;
  body.inertial.X_LC.translation().x() = load.centre_x_m;
  body.inertial.inertia_kg_m2 = load.inertia_kg_m2 * model::Matrix3::Identity();
  tree.bodies.push_back(body);
  tree.joints.push_back(joint);
  return tree.joints.back();
}

/// One joint about the vertical that gravity does not move; turns like 1 kg·m².
inline model::BodyTree one_joint_tree() {
  model::BodyTree tree = bare_tree();
  add_joint(tree, "pan", model::Vector3::UnitZ(), Load{});
  return tree;
}

inline model::Cell cell_of(model::BodyTree tree, std::vector<double> initial_positions = {}) {
  model::Cell cell;
  cell.placements.emplace_back();
  cell.placements.back().name = "arm";
  cell.placements.back().tree = std::move(tree);
  cell.placements.back().initial_positions = std::move(initial_positions);
  return cell;
}

inline motion::Trajectory plan_of(std::vector<motion::TrajectoryPoint> points) {
  Result<motion::Trajectory> made = motion::Trajectory::make(std::move(points));
  EXPECT_TRUE(made.has_value());
  return std::move(made).value();
}

/// Stays at `position` for ever.
inline motion::Trajectory stay_at(double position) {
  return plan_of({{Duration(0), {position}, {}, {}}});
}

/// One joint at constant speed.
inline motion::Trajectory ramp(double from, double to, Duration duration) {
  return plan_of({{Duration(0), {from}, {}, {}}, {duration, {to}, {}, {}}});
}

inline Claim claim_of(JointInterfaces& interfaces, const std::string& controller,
                      const std::vector<std::string>& joints, CommandKind kind) {
  Result<Claim> claim = interfaces.claim(controller, joints, kind);
  EXPECT_TRUE(claim.has_value());
  return std::move(claim).value();
}

}  // namespace longarm::control::test
