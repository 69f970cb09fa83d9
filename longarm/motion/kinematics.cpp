// SPDX-License-Identifier: Apache-2.0
// Forward kinematics along chains of joints whose constants were worked out beforehand.
#include "longarm/motion/kinematics.h"

#include <cmath>
#include <stdexcept>

#include "longarm/core/check.h"

namespace longarm::motion {
namespace {

/// Follows mimics to the joint that has a position of its own. More hops than joints would be a
/// cycle, which the tree's maker refuses.
JointSource resolve_source(const model::BodyTree& tree, int joint) {
  JointSource source{joint, 1.0, 0.0};
  for (std::size_t hop = 0; hop <= tree.joints.size(); ++hop) {
    const auto& mimic = tree.joints[static_cast<std::size_t>(source.joint)].mimic;
    if (!mimic) {
      return source;
    }
    source.offset += source.multiplier * mimic->offset;
    source.multiplier *= mimic->multiplier;
    source.joint = mimic->joint;
  }
  fail_check("a joint mimics itself");
}

/// Rodrigues' formula for a vector: turns `v` about the unit vector `axis`.
Vector3 turn(const Vector3& v, const Vector3& axis, double sine, double cosine) {
  return v * cosine + axis.cross(v) * sine + axis * (axis.dot(v) * (1.0 - cosine));
}

}  // namespace

Kinematics::Kinematics(const model::BodyTree& tree) : frames_(tree.frames) {
  chain_of_body_.emplace_back();
  for (int i = 0; i < static_cast<int>(tree.joints.size()); ++i) {
    const model::TreeJoint& joint = tree.joints[at(i)];
    check(joint.parent_body <= i, "joints of a tree are ordered parents first");
    joints_.push_back({joint.X_PJ.linear(), joint.X_PJ.translation(), joint.axis,
                       joint.type == model::JointType::kPrismatic, joint.parent_body,
                       resolve_source(tree, i)});
    std::vector<int> chain = chain_of_body_[at(joint.parent_body)];
    chain.push_back(i);
    chain_of_body_.push_back(std::move(chain));
  }
}

std::optional<int> Kinematics::find_frame(const std::string& name) const {
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    if (frames_[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

int Kinematics::frame(const std::string& name) const {
  if (const auto found = find_frame(name)) {
    return *found;
  }
  std::string message = "unknown frame '" + name + "'; valid names are:";
  for (const model::Frame& frame : frames_) {
    message += (&frame == &frames_.front() ? " " : ", ") + frame.name;
  }
  throw std::invalid_argument(message);
}

std::span<const int> Kinematics::chain(int frame) const {
  return chain_of_body_[at(frames_[at(frame)].body)];
}

double Kinematics::joint_position(const JointGeometry& joint, std::span<const double> q) const {
  return joint.source.multiplier * q[at(joint.source.joint)] + joint.source.offset;
}

Pose Kinematics::joint_pose(const JointGeometry& joint, std::span<const double> q) const {
  const double position = joint_position(joint, q);
  Pose X_PB = Pose::Identity();
  if (joint.is_prismatic) {
    X_PB.linear() = joint.R_PJ;
    X_PB.translation() = joint.p_PJ + joint.R_PJ * (joint.axis * position);
    return X_PB;
  }
  X_PB.linear() = joint.R_PJ * Eigen::AngleAxisd(position, joint.axis).toRotationMatrix();
  X_PB.translation() = joint.p_PJ;
  return X_PB;
}

void Kinematics::forward(std::span<const double> q, std::span<Pose> X_RB) const {
  X_RB[0] = Pose::Identity();
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    X_RB[i + 1] = X_RB[at(joints_[i].parent_body)] * joint_pose(joints_[i], q);
  }
}

Pose Kinematics::pose_of(int frame, std::span<const double> q) const {
  Pose X_RB = Pose::Identity();
  for (const int i : chain(frame)) {
    X_RB = X_RB * joint_pose(joints_[at(i)], q);
  }
  return X_RB * frames_[at(frame)].X_BF;
}

Vector3 Kinematics::position_of(int frame, std::span<const double> q) const {
  // From the tip to the root only one vector has to be carried along, not a whole pose.
  Vector3 p = frames_[at(frame)].X_BF.translation();
  const std::span<const int> joints = chain(frame);
  for (auto i = joints.rbegin(); i != joints.rend(); ++i) {
    const JointGeometry& joint = joints_[at(*i)];
    const double position = joint_position(joint, q);
    if (joint.is_prismatic) {
      p += joint.axis * position;
    } else {
      p = turn(p, joint.axis, std::sin(position), std::cos(position));
    }
    p = joint.p_PJ + joint.R_PJ * p;
  }
  return p;
}

void Kinematics::jacobian(int frame, std::span<const double> q, Jacobian& out) const {
  out.setZero(6, joint_count());
  // First pass: note each joint's origin and axis, in the column of the joint itself.
  Pose X_RB = Pose::Identity();
  for (const int i : chain(frame)) {
    const JointGeometry& joint = joints_[at(i)];
    X_RB = X_RB * joint_pose(joint, q);
    out.block<3, 1>(0, i) = X_RB.translation();
    out.block<3, 1>(3, i) = X_RB.linear() * joint.axis;
  }
  const Vector3 tip = X_RB * frames_[at(frame)].X_BF.translation();
  // Second pass: turn them into velocities.
  for (const int i : chain(frame)) {
    const Vector3 origin = out.block<3, 1>(0, i);
    const Vector3 axis = out.block<3, 1>(3, i);
    if (joints_[at(i)].is_prismatic) {
      out.col(i) << axis, Vector3::Zero();
    } else {
      out.col(i) << axis.cross(tip - origin), axis;
    }
  }
  // Third: a follower moves at its multiple of the master's rate.
  for (const int i : chain(frame)) {
    const JointSource& from = joints_[at(i)].source;
    if (from.joint != i) {
      out.col(from.joint) += from.multiplier * out.col(i);
      out.col(i).setZero();
    }
  }
}

}  // namespace longarm::motion
