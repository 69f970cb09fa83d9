// SPDX-License-Identifier: Apache-2.0
// The arm of a robot as its model tells it: which joints lead to the flange, and where they put it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/motion/ik.h"
#include "longarm/physics/engine.h"

namespace longarm::robots {

/// Joints and bodies from the base to the flange, in that order; whatever else hangs on the
/// placement's tree (fingers) is not part of it. Configurations have one number per joint.
class RobotArm {
 public:
  /// Throws InputError if the placement has no such frame, or no joint moves it.
  RobotArm(const model::Cell& cell, int placement, const std::string& flange);

  std::size_t joint_count() const { return joints_.size(); }
  /// Of the cell, by joint of the arm.
  const std::vector<physics::JointId>& joints() const { return joints_; }
  const std::vector<model::TreeJoint>& joint_models() const { return tree_.joints; }
  /// Of the cell; the first is the base, the last carries the flange.
  const std::vector<physics::BodyId>& bodies() const { return bodies_; }
  physics::BodyId last_body() const { return bodies_.back(); }
  /// Of the placement's tree.
  int last_tree_body() const { return last_tree_body_; }
  /// The flange on the last body.
  const model::Pose& X_LF() const { return X_LF_; }
  const model::BodyTree& tree() const { return tree_; }

  /// Where the point that motions are about is on the last body.
  void set_controlled_point(const model::Pose& X_LT);
  const model::Pose& X_LT() const { return tree_.frames.back().X_BF; }

  /// Controlled point in the base.
  model::Pose pose(std::span<const double> q) const;
  motion::Jacobian jacobian(std::span<const double> q) const;
  motion::InverseKinematics inverse_kinematics(int restarts) const;
  /// Whether every joint is within its limits, give or take a hair.
  bool is_within_limits(std::span<const double> q) const;

 private:
  model::BodyTree tree_;  ///< a chain; its last frame is the controlled point
  std::vector<physics::JointId> joints_;
  std::vector<physics::BodyId> bodies_;
  int last_tree_body_ = 0;
  model::Pose X_LF_ = model::Pose::Identity();
  motion::Kinematics kinematics_;
};

/// Of its position.
inline const char* unit_of(const model::TreeJoint& joint) {
  return joint.type == model::JointType::kPrismatic ? "m" : "rad";
}

}  // namespace longarm::robots
