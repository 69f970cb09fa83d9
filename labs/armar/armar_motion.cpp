// SPDX-License-Identifier: Apache-2.0
// From the hand's velocity to that of the joints, and from the way that is left to the hand's.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "labs/armar/armar_programs.h"

namespace longarm::armar {
namespace {

// below this product of singular values (m³) the solution is damped, by at most this much (m)
constexpr double kSingular_m3 = 1e-3;
constexpr double kDamping_m = 0.1;
constexpr double kToMiddle_1_s = 0.2;

}  // namespace

std::vector<double> joint_velocities(const motion::Kinematics& kinematics,
                                     const model::BodyTree& tree, int frame,
                                     std::span<const double> positions,
                                     const model::Vector3& velocity_m_s) {
  motion::Jacobian jacobian;
  kinematics.jacobian(frame, positions, jacobian);
  const Eigen::MatrixXd J = jacobian.topRows(3);
  Eigen::Matrix3d square = J * J.transpose();
  const double measure = std::sqrt(std::max(0.0, square.determinant()));
  if (measure < kSingular_m3) {
    const double share = 1.0 - measure / kSingular_m3;
    square.diagonal().array() += kDamping_m * kDamping_m * share * share;
  }
  const Eigen::LDLT<Eigen::Matrix3d> solver(square);

  // joints without limits have no middle
  Eigen::VectorXd to_middle = Eigen::VectorXd::Zero(J.cols());
  for (Eigen::Index i = 0; i < J.cols(); ++i) {
    const model::JointLimits& limits = tree.joints[static_cast<std::size_t>(i)].limits;
    const double middle = 0.5 * (limits.lower + limits.upper);
    if (std::isfinite(middle)) {
      to_middle[i] = kToMiddle_1_s * (middle - positions[static_cast<std::size_t>(i)]);
    }
  }
  const Eigen::Vector3d rest = velocity_m_s - J * to_middle;
  const Eigen::VectorXd q_dot = to_middle + J.transpose() * solver.solve(rest);

  // the direction counts: when one joint would be too fast, all are slower
  double excess = 1.0;
  for (Eigen::Index i = 0; i < q_dot.size(); ++i) {
    const double limit = tree.joints[static_cast<std::size_t>(i)].limits.velocity;
    excess = std::max(excess, std::abs(q_dot[i]) / limit);
  }
  std::vector<double> out(positions.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = q_dot[static_cast<Eigen::Index>(i)] / excess;
  }
  return out;
}

model::Vector3 velocity_along(const model::Vector3& way_left_m, double speed_m_s, double gain) {
  const double distance = way_left_m.norm();
  if (distance <= 0.0) {
    return model::Vector3::Zero();
  }
  return way_left_m / distance * std::min(speed_m_s, gain * distance);
}

}  // namespace longarm::armar
