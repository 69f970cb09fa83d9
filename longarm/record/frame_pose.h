// SPDX-License-Identifier: Apache-2.0
// Where a frame is in another one, as ROS messages put it: a translation and a unit quaternion.
#pragma once

#include <string>

#include <Eigen/Geometry>

namespace longarm::record {

/// X_AB: `translation_m` is p_AB, `rotation` takes B's axes to A.
struct FramePose {
  Eigen::Vector3d translation_m = Eigen::Vector3d::Zero();
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();

  FramePose() = default;
  FramePose(const Eigen::Vector3d& translation, const Eigen::Quaterniond& turn)
      : translation_m(translation), rotation(turn) {}
  explicit FramePose(const Eigen::Isometry3d& X_AB)
      : translation_m(X_AB.translation()), rotation(X_AB.linear()) {}

  /// X_AC = X_AB * X_BC
  FramePose operator*(const FramePose& X_BC) const {
    return {translation_m + rotation * X_BC.translation_m, rotation * X_BC.rotation};
  }
  /// X_BA
  FramePose inverse() const {
    const Eigen::Quaterniond back = rotation.conjugate();
    return {-(back * translation_m), back};
  }
};

/// A frame that hangs on another one.
struct FramePlace {
  std::string parent;
  std::string child;
  FramePose X_PC;
};

}  // namespace longarm::record
