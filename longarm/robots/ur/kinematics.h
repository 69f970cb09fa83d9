// SPDX-License-Identifier: Apache-2.0
// The geometry of a UR arm as its controller knows it: six Denavit–Hartenberg rows and a tool.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "longarm/model/shape.h"
#include "longarm/protocols/ur/controller_state.h"

namespace longarm::robots {

using protocols::ur::Joints;
using protocols::ur::Vector6;

/// Link i is turned by its joint about z, moved d along z and a along x, and turned by α about x.
struct UrGeometry {
  Joints a_m{};
  Joints d_m{};
  Joints alpha_rad{};
};
/// As the maker publishes them.
UrGeometry ur5_geometry();

/// Of the magnitudes.
double largest(const Joints& values);

/// x, y, z and a rotation vector.
model::Pose to_pose(const Vector6& numbers);
Vector6 to_numbers(const model::Pose& pose);
/// The rotation vector of R, its length in [0, π].
model::Vector3 rotation_vector(const model::Matrix3& R);
model::Matrix3 rotation(const model::Vector3& vector);

/// B is the controller's base, F the flange, T the tool centre point. Pure; nothing allocates but
/// inverse().
class UrKinematics {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  explicit UrKinematics(const UrGeometry& geometry);

  const UrGeometry& geometry() const { return geometry_; }
  /// Where the tool centre point is on the flange; none: at its middle.
  void set_tool(const Vector6& tcp_offset);
  const model::Pose& X_FT() const { return X_FT_; }

  model::Pose flange(const Joints& q) const;
  model::Pose tool(const Joints& q) const { return flange(q) * X_FT_; }
  /// Velocity of T per unit joint rate in the axes of B: rows 0–2 linear, 3–5 angular.
  Matrix6 jacobian(const Joints& q) const;
  /// Linear and angular velocity of T.
  Vector6 tool_velocity(const Joints& q, const Joints& qd) const;
  /// The axis between upper arm and forearm.
  model::Vector3 elbow(const Joints& q) const;
  model::Vector3 elbow_velocity(const Joints& q, const Joints& qd) const;

  /// Joint rates that move T so; nothing where the smallest singular value of the Jacobian is below
  /// `least`.
  std::optional<Joints> rates(const Joints& q, const Vector6& velocity, double least) const;

  /// All joint positions that put T there, up to eight, each joint within half a turn of zero. At
  /// singular poses the last joint stays as in `near`.
  std::vector<Joints> inverse(const model::Pose& X_BT, const Joints& near) const;
  /// The one nearest to `near` by the sum of squares, turns added where limits allow it. Nothing if
  /// the pose is out of reach or beyond limits.
  std::optional<Joints> nearest(const model::Pose& X_BT, const Joints& near, const Joints& lower,
                                const Joints& upper) const;

 private:
  using Frames = std::array<model::Pose, 7>;

  model::Pose link(std::size_t i, double q) const;
  Frames frames(const Joints& q) const;
  void add_arm_solutions(const model::Pose& X_BF, double q1, double q5, const Joints& near,
                         std::vector<Joints>& out) const;

  UrGeometry geometry_;
  model::Pose X_FT_ = model::Pose::Identity();
};

}  // namespace longarm::robots
