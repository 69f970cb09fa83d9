// SPDX-License-Identifier: Apache-2.0
// What simulations taught so far about the price of separating two components, and how sure that
// is: decides which placements are worth simulating next.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "longarm/core/random.h"
#include "longarm/study/place/problem.h"

namespace longarm::study {

/// The objective as a constant plus a price for each edge between hosts: Bayesian linear
/// regression. Before anything is known, prices are in proportion to calls (or bytes) per second.
class CutModel {
 public:
  /// `suspicion` of each edge, zero or more, in any unit.
  CutModel(const PlacementProblem& problem, const std::vector<double>& suspicion);

  void add(const Placement& placement, double value);

  /// One set of prices that could well be true; the first entry is the constant.
  using Prices = Eigen::VectorXd;
  /// Draws only from what was added. At least one placement must have been.
  Prices draw(RandomStream& stream) const;
  Prices mean() const;
  double predict(const Prices& prices, const Placement& placement) const;

 private:
  struct Posterior;
  Posterior posterior() const;
  Eigen::VectorXd features(const Placement& placement) const;

  const PlacementProblem& problem_;
  Eigen::VectorXd share_;  ///< of each edge in the suspicion; sums up to one
  std::vector<Eigen::VectorXd> seen_;
  std::vector<double> values_;
};

}  // namespace longarm::study
