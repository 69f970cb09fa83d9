// SPDX-License-Identifier: Apache-2.0
// Joint positions that put a frame at a wanted pose, found near a given configuration.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "longarm/core/result.h"
#include "longarm/motion/kinematics.h"

namespace longarm::motion {

struct IkOptions {
  double position_tolerance_m = 1e-10;
  double angle_tolerance_rad = 1e-10;
  int max_iterations = 100;  ///< per start
  int max_restarts = 0;      ///< from other configurations, when the seed leads nowhere
  double max_step = 0.3;     ///< rad or m per joint and iteration; keeps the search near the seed
};

struct IkSolution {
  std::vector<double> positions;  ///< of all joints of the tree
  double position_error_m = 0.0;
  double angle_error_rad = 0.0;
  int iterations = 0;
};

/// Damped least squares from a seed, within the joints' limits. Deterministic. The answer is the
/// solution that the seed leads to, which for a small move is the nearest one; only if it leads
/// nowhere are restarts tried, and the nearest of their solutions returned. Joints that do not move
/// the frame keep the seed's positions. Not const: solving works in the object's own memory.
class InverseKinematics {
 public:
  InverseKinematics(const model::BodyTree& tree, int frame, IkOptions options = {});

  const Kinematics& kinematics() const { return kinematics_; }
  int frame() const { return frame_; }

  /// `X_RF` is relative to the root body. The error tells how near the best attempt came.
  Result<IkSolution> solve(const Pose& X_RF, std::span<const double> seed);

  /// The smallest singular value of the frame's Jacobian over the joints that move it (m and rad
  /// alike): how far the frame moves, in its worst direction, per unit of joint motion. Near zero:
  /// singular.
  double smallest_singular_value(std::span<const double> q);

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  IkSolution descend(const Pose& X_RF, std::span<const double> start);
  /// Sets step_ for the joints in movers_.
  void find_step(const Vector6& error, std::span<const double> q, double lambda);
  Vector6 error_at(const Pose& X_RF, std::span<const double> q) const;
  bool is_good(const IkSolution& attempt) const;
  std::vector<double> restart(int number, std::span<const double> seed) const;
  void bring_near(std::span<const double> seed, std::vector<double>& q) const;
  int mover(Eigen::Index i) const { return movers_[static_cast<std::size_t>(i)]; }
  double lower(int joint) const { return lower_[static_cast<std::size_t>(joint)]; }
  double upper(int joint) const { return upper_[static_cast<std::size_t>(joint)]; }

  Kinematics kinematics_;
  int frame_;
  IkOptions options_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<bool> is_turning_;
  std::vector<int> movers_;  ///< joints with a position of their own that move the frame

  Jacobian jacobian_;
  Eigen::MatrixXd normal_;
  Eigen::VectorXd step_;
};

}  // namespace longarm::motion
