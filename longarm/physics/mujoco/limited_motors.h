// SPDX-License-Identifier: Apache-2.0
// Motors with force limits on a coupled mechanism: which of them reach their velocity, and what the
// others do to it.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace longarm::physics {

/// Solves A·a = force + effort for accelerations a, where each degree of freedom either has its
/// effort given or is motored: then it gets the acceleration it wants unless that takes more than
/// its limit, and is given the limit. The solution is unique for a positive definite A. Nothing is
/// allocated after construction.
class LimitedMotors {
 public:
  explicit LimitedMotors(int size);

  // Filled in by the caller before solve().
  Eigen::MatrixXd inertia;  ///< A
  Eigen::VectorXd force;    ///< everything but the actuators
  std::vector<char> is_motored;
  Eigen::VectorXd wanted_acceleration;  ///< of motored ones
  Eigen::VectorXd limit;                ///< of motored ones

  // In: efforts of those without a motor. Out: all efforts and accelerations.
  Eigen::VectorXd effort;
  Eigen::VectorXd acceleration;

  /// False if no solution was found, which only numbers that are not finite explain.
  bool solve();

 private:
  void solve_for_present_sets();
  /// Moves every motor that contradicts its set, or only the last such; returns how many
  /// contradict.
  int correct_sets(bool only_last);

  std::vector<char>
      is_driven_;             ///< motored and within its limit: acceleration known, effort sought
  std::vector<int> passive_;  ///< the others: effort known, acceleration sought
  Eigen::MatrixXd block_;
  Eigen::VectorXd right_side_;
};

}  // namespace longarm::physics
