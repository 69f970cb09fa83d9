// SPDX-License-Identifier: Apache-2.0
// Levenberg-Marquardt on the pose error, with joints that press against a limit taken out of the
// step.
#include "longarm/motion/ik.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "longarm/core/index.h"
#include "longarm/core/random.h"

namespace longarm::motion {
namespace {

/// Largest difference between two configurations.
double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

/// Narrows the range of a master so that its follower stays within the follower's range.
void narrow(const model::JointLimits& follower, const JointSource& from, double& lower,
            double& upper) {
  if (from.multiplier == 0.0) {
    return;
  }
  const double a = (follower.lower - from.offset) / from.multiplier;
  const double b = (follower.upper - from.offset) / from.multiplier;
  lower = std::max(lower, std::min(a, b));
  upper = std::min(upper, std::max(a, b));
}

}  // namespace

InverseKinematics::InverseKinematics(const model::BodyTree& tree, int frame, IkOptions options)
    : kinematics_(tree), frame_(frame), options_(options) {
  for (const model::TreeJoint& joint : tree.joints) {
    lower_.push_back(joint.limits.lower);
    upper_.push_back(joint.limits.upper);
    is_turning_.push_back(joint.type == model::JointType::kRevolute);
  }
  for (const int joint : kinematics_.chain(frame)) {
    const JointSource& from = kinematics_.source(joint);
    if (from.joint != joint) {
      narrow(tree.joints[index_of(joint)].limits, from, lower_[index_of(from.joint)],
             upper_[index_of(from.joint)]);
    }
    if (std::find(movers_.begin(), movers_.end(), from.joint) == movers_.end()) {
      movers_.push_back(from.joint);
    }
  }
  const auto count = static_cast<Eigen::Index>(movers_.size());
  jacobian_.setZero(6, kinematics_.joint_count());
  normal_.setZero(count, count);
  step_.setZero(count);
}

InverseKinematics::Vector6 InverseKinematics::error_at(const Pose& X_RF,
                                                       std::span<const double> q) const {
  const Pose now = kinematics_.pose_of(frame_, q);
  const Eigen::AngleAxisd turn(Matrix3(X_RF.linear() * now.linear().transpose()));
  Vector6 error;
  error << X_RF.translation() - now.translation(), turn.angle() * turn.axis();
  return error;
}

bool InverseKinematics::is_good(const IkSolution& attempt) const {
  return attempt.position_error_m <= options_.position_tolerance_m &&
         attempt.angle_error_rad <= options_.angle_tolerance_rad;
}

void InverseKinematics::find_step(const Vector6& error, std::span<const double> q, double lambda) {
  kinematics_.jacobian(frame_, q, jacobian_);
  const auto count = static_cast<Eigen::Index>(movers_.size());
  // A joint at its limit that would move further out has no say: its column of the Jacobian becomes
  // zero.
  for (Eigen::Index i = 0; i < count; ++i) {
    const int joint = mover(i);
    const double pull = jacobian_.col(joint).dot(error);
    const double here = q[index_of(joint)];
    if ((here <= lower(joint) && pull < 0.0) || (here >= upper(joint) && pull > 0.0)) {
      jacobian_.col(joint).setZero();
    }
    step_[i] = jacobian_.col(joint).dot(error);
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      normal_(i, j) = jacobian_.col(mover(i)).dot(jacobian_.col(mover(j)));
    }
    normal_(i, i) += lambda + (normal_(i, i) == 0.0 ? 1.0 : 0.0);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(normal_).solveInPlace(step_);
  const double longest = count == 0 ? 0.0 : step_.cwiseAbs().maxCoeff();
  if (longest > options_.max_step) {
    step_ *= options_.max_step / longest;
  }
}

IkSolution InverseKinematics::descend(const Pose& X_RF, std::span<const double> start) {
  IkSolution best;
  best.positions.assign(start.begin(), start.end());
  for (const int joint : movers_) {
    best.positions[index_of(joint)] =
        std::clamp(start[index_of(joint)], lower(joint), upper(joint));
  }
  Vector6 error = error_at(X_RF, best.positions);
  const auto note_error = [&] {
    best.position_error_m = error.head<3>().norm();
    best.angle_error_rad = error.tail<3>().norm();
  };
  note_error();
  std::vector<double> q = best.positions;
  double damping = 1e-3;
  // Damping grows without bound in a local minimum, and where doubles can tell no difference any
  // more.
  while (best.iterations < options_.max_iterations && !is_good(best) && damping < 1e9) {
    ++best.iterations;
    // Damping in proportion to the error keeps the first steps cautious and the last ones
    // quadratic.
    find_step(error, best.positions, damping * error.squaredNorm() + 1e-14);
    for (Eigen::Index i = 0; i < step_.size(); ++i) {
      const int joint = mover(i);
      q[index_of(joint)] =
          std::clamp(best.positions[index_of(joint)] + step_[i], lower(joint), upper(joint));
    }
    const Vector6 tried = error_at(X_RF, q);
    if (tried.squaredNorm() >= error.squaredNorm()) {
      damping *= 10.0;
      continue;
    }
    damping = std::max(damping * 0.3, 1e-6);
    best.positions = q;
    error = tried;
    note_error();
  }
  return best;
}

std::vector<double> InverseKinematics::restart(int number, std::span<const double> seed) const {
  const RandomStream stream(static_cast<std::uint64_t>(number), "inverse kinematics");
  std::vector<double> start(seed.begin(), seed.end());
  for (std::size_t i = 0; i < movers_.size(); ++i) {
    const int joint = movers_[i];
    const double reach = is_turning_[index_of(joint)] ? std::numbers::pi : 1.0;
    const double low = std::max(lower(joint), seed[index_of(joint)] - reach);
    const double high = std::min(upper(joint), seed[index_of(joint)] + reach);
    start[index_of(joint)] = low + (high - low) * stream.uniform_at(i);
  }
  return start;
}

void InverseKinematics::bring_near(std::span<const double> seed, std::vector<double>& q) const {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (const int joint : movers_) {
    // Whole turns change nothing for a joint that nobody follows.
    const auto follows = [&](int other) {
      return other != joint && kinematics_.source(other).joint == joint;
    };
    const std::span<const int> chain = kinematics_.chain(frame_);
    if (!is_turning_[index_of(joint)] || std::any_of(chain.begin(), chain.end(), follows)) {
      continue;
    }
    const double nearer = q[index_of(joint)] +
                          kTurn * std::round((seed[index_of(joint)] - q[index_of(joint)]) / kTurn);
    if (nearer >= lower(joint) && nearer <= upper(joint)) {
      q[index_of(joint)] = nearer;
    }
  }
}

Result<IkSolution> InverseKinematics::solve(const Pose& X_RF, std::span<const double> seed) {
  IkSolution best = descend(X_RF, seed);
  std::optional<IkSolution> nearest;
  if (is_good(best)) {
    nearest = best;
  }
  // `best` stays what the seed led to, so all restarts are tried and the nearest of their solutions
  // wins.
  for (int i = 0; i < options_.max_restarts && !is_good(best); ++i) {
    IkSolution attempt = descend(X_RF, restart(i, seed));
    if (!is_good(attempt)) {
      continue;
    }
    bring_near(seed, attempt.positions);
    if (!nearest || distance(attempt.positions, seed) < distance(nearest->positions, seed)) {
      nearest = attempt;
    }
  }
  if (nearest) {
    for (int joint = 0; joint < kinematics_.joint_count(); ++joint) {
      const JointSource& from = kinematics_.source(joint);
      nearest->positions[index_of(joint)] =
          from.multiplier * nearest->positions[index_of(from.joint)] + from.offset;
    }
    return *std::move(nearest);
  }
  return Error{fmt::format(
      "no joint positions within the limits put '{}' there: off by {:.3g} m and {:.3g} rad",
      kinematics_.frames()[index_of(frame_)].name, best.position_error_m, best.angle_error_rad)};
}

double InverseKinematics::smallest_singular_value(std::span<const double> q) {
  kinematics_.jacobian(frame_, q, jacobian_);
  Eigen::Matrix<double, 6, 6> square = Eigen::Matrix<double, 6, 6>::Zero();
  for (const int joint : movers_) {
    square += jacobian_.col(joint) * jacobian_.col(joint).transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> solver(square,
                                                                          Eigen::EigenvaluesOnly);
  const auto used = std::min<Eigen::Index>(6, static_cast<Eigen::Index>(movers_.size()));
  return std::sqrt(std::max(0.0, solver.eigenvalues()[6 - used]));
}

}  // namespace longarm::motion
