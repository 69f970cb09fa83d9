// SPDX-License-Identifier: Apache-2.0
// Where the frames of a fixed-base tree are, and how fast they move, for given joint positions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "longarm/model/body_tree.h"

namespace longarm::motion {

using model::Matrix3;
using model::Pose;
using model::Vector3;

/// Velocity of a frame per unit joint rate, in the axes of the root body: rows 0-2 linear (of the
/// frame's origin), rows 3-5 angular; one column per joint of the tree.
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Where a joint takes its position from: itself, or the joint at the end of its chain of mimics.
struct JointSource {
  int joint = 0;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// Copies what it needs from the tree. All functions are pure; q has one entry per joint of the
/// tree, and the entries of mimicking joints are ignored. Poses are relative to the root body R.
class Kinematics {
 public:
  explicit Kinematics(const model::BodyTree& tree);

  int joint_count() const { return static_cast<int>(joints_.size()); }
  int body_count() const { return joint_count() + 1; }

  /// Number of a frame, as in the tree; throws std::invalid_argument with the valid names.
  int frame(const std::string& name) const;
  std::optional<int> find_frame(const std::string& name) const;
  const std::vector<model::Frame>& frames() const { return frames_; }
  /// The joints between the root and a frame, root first.
  std::span<const int> chain(int frame) const;
  const JointSource& source(int joint) const { return joints_[at(joint)].source; }

  /// Poses of all bodies; does not allocate.
  void forward(std::span<const double> q, std::span<Pose> X_RB) const;
  Pose pose_of(int frame, std::span<const double> q) const;
  /// Origin of a frame. The cheapest question: asked every millisecond.
  Vector3 position_of(int frame, std::span<const double> q) const;
  /// Allocates only if `out` has the wrong size. A mimicking joint's motion is in its master's
  /// column.
  void jacobian(int frame, std::span<const double> q, Jacobian& out) const;

 private:
  /// A joint's constants, laid out for the hot path.
  struct JointGeometry {
    Matrix3 R_PJ = Matrix3::Identity();
    Vector3 p_PJ = Vector3::Zero();
    Vector3 axis = Vector3::UnitZ();
    bool is_prismatic = false;
    int parent_body = 0;
    JointSource source;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  double joint_position(const JointGeometry& joint, std::span<const double> q) const;
  Pose joint_pose(const JointGeometry& joint, std::span<const double> q) const;

  std::vector<JointGeometry> joints_;
  std::vector<model::Frame> frames_;
  std::vector<std::vector<int>> chain_of_body_;
};

}  // namespace longarm::motion
