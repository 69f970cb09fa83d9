// SPDX-License-Identifier: Apache-2.0
// Regression with a Gaussian prior, solved anew each time: a few hundred edges at most.
#include "longarm/study/place/cut_model.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "longarm/core/check.h"

namespace longarm::study {
namespace {

/// What the model leaves out (queues, shared cores), as part of the range of values seen.
constexpr double kUnexplained = 0.03;

}  // namespace

struct CutModel::Posterior {
  Eigen::VectorXd mean;
  Eigen::LLT<Eigen::MatrixXd> precision;
};

CutModel::CutModel(const PlacementProblem& problem, const std::vector<double>& suspicion)
    : problem_(problem), share_(static_cast<Eigen::Index>(problem.edges.size())) {
  check(suspicion.size() == problem.edges.size(), "a suspicion for each edge");
  for (std::size_t e = 0; e < suspicion.size(); ++e) {
    share_[static_cast<Eigen::Index>(e)] = suspicion[e];
  }
  if (share_.size() == 0) {
    return;
  }
  // nobody is above suspicion: traffic of others may be in the way, too
  const double even = 1.0 / static_cast<double>(share_.size());
  const double sum = share_.sum();
  for (double& each : share_) {
    each = sum > 0.0 ? 0.9 * each / sum + 0.1 * even : even;
  }
}

Eigen::VectorXd CutModel::features(const Placement& placement) const {
  Eigen::VectorXd out(share_.size() + 1);
  out[0] = 1.0;
  for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
    const PlacementEdge& edge = problem_.edges[e];
    const bool is_cut =
        placement[static_cast<std::size_t>(edge.a)] != placement[static_cast<std::size_t>(edge.b)];
    out[static_cast<Eigen::Index>(e) + 1] = is_cut ? 1.0 : 0.0;
  }
  return out;
}

void CutModel::add(const Placement& placement, double value) {
  seen_.push_back(features(placement));
  values_.push_back(value);
}

CutModel::Posterior CutModel::posterior() const {
  check(!values_.empty(), "a model of placements needs one to begin with");
  const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
  const double size = std::max(std::abs(*low), std::abs(*high));
  // values that hardly differ say nothing yet about how far others might be away
  const double range = std::max({*high - *low, 0.1 * size, 1e-12});
  const double noise = kUnexplained * range;
  const Eigen::Index count = share_.size() + 1;
  Eigen::VectorXd prior_mean(count);
  Eigen::VectorXd prior_deviation(count);
  prior_mean[0] = *low;
  prior_deviation[0] = range;
  for (Eigen::Index e = 1; e < count; ++e) {
    // the square root lets edges of little traffic surprise us
    prior_mean[e] = range * share_[e - 1];
    prior_deviation[e] = range * std::sqrt(share_[e - 1]);
  }
  Eigen::MatrixXd precision = prior_deviation.array().square().inverse().matrix().asDiagonal();
  Eigen::VectorXd weighted = precision * prior_mean;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    precision.noalias() += seen_[i] * seen_[i].transpose() / (noise * noise);
    weighted += seen_[i] * (values_[i] / (noise * noise));
  }
  Posterior out;
  out.precision.compute(precision);
  out.mean = out.precision.solve(weighted);
  return out;
}

CutModel::Prices CutModel::mean() const {
  return posterior().mean;
}

CutModel::Prices CutModel::draw(RandomStream& stream) const {
  const Posterior known = posterior();
  Eigen::VectorXd normal(known.mean.size());
  for (double& each : normal) {
    each = stream.normal();
  }
  return known.mean + known.precision.matrixU().solve(normal);
}

double CutModel::predict(const Prices& prices, const Placement& placement) const {
  double sum = prices[0];
  for (std::size_t e = 0; e < problem_.edges.size(); ++e) {
    const PlacementEdge& edge = problem_.edges[e];
    if (placement[static_cast<std::size_t>(edge.a)] !=
        placement[static_cast<std::size_t>(edge.b)]) {
      sum += prices[static_cast<Eigen::Index>(e) + 1];
    }
  }
  return sum;
}

}  // namespace longarm::study
