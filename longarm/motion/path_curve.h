// SPDX-License-Identifier: Apache-2.0
// A smooth curve through the configurations of one corner-free stretch of a path.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace longarm::motion {

/// A cubic spline with continuous second derivative, by the length of the polygon through the
/// configurations.
class PathCurve {
 public:
  /// Configurations that repeat the one before are left out; one or none makes a curve of length
  /// zero.
  explicit PathCurve(std::span<const std::vector<double>> configurations);

  double length() const { return lengths_.empty() ? 0.0 : lengths_.back(); }
  int knot_count() const { return static_cast<int>(lengths_.size()); }

  struct Sample {
    Eigen::VectorXd q;
    Eigen::VectorXd dq_ds;
    Eigen::VectorXd d2q_ds2;
  };
  /// `s` is brought into [0, length()].
  void sample(double s, Sample& out) const;

  Eigen::VectorXd start_slope() const { return slopes_.col(0); }
  Eigen::VectorXd end_slope() const { return slopes_.col(slopes_.cols() - 1); }

 private:
  void fit_slopes();
  Eigen::VectorXd one_sided_slope(bool at_end) const;

  std::vector<double> lengths_;
  Eigen::MatrixXd points_;  ///< a column per configuration
  Eigen::MatrixXd slopes_;
};

}  // namespace longarm::motion
