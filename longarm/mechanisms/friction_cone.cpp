// SPDX-License-Identifier: Apache-2.0
// Cones with eight edges, a quick look by projections, and non-negative least squares to decide.
#include "longarm/mechanisms/friction_cone.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using Wrench6 = FrictionCone::Wrench6;

constexpr int kEdges = 8;
constexpr std::size_t kMostContacts = 8;
constexpr int kQuickRounds = 6;
// edges this much outside a round cone are as often too strong as too weak: 8 of them reach from
// 0.96 to 1.04 of its friction
constexpr double kEdgeScale = 1.04;
constexpr double kLeastLength_m = 1e-3;

/// The first, then always the one farthest from those taken. Contacts of different normals are far
/// from each other wherever they are.
std::vector<HoldingContact> spread_out(std::span<const HoldingContact> contacts) {
  std::vector<HoldingContact> taken;
  std::vector<double> distance(contacts.size(), std::numeric_limits<double>::max());
  while (taken.size() < std::min(kMostContacts, contacts.size())) {
    const auto farthest = std::max_element(distance.begin(), distance.end()) - distance.begin();
    const HoldingContact& next = contacts[static_cast<std::size_t>(farthest)];
    taken.push_back(next);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const double apart =
          (contacts[i].p - next.p).norm() + 0.1 * (contacts[i].normal - next.normal).norm();
      distance[i] = std::min(distance[i], apart);
    }
  }
  return taken;
}

/// Columns of a non-negative least squares problem that are in use.
class ColumnSet {
 public:
  explicit ColumnSet(const Eigen::Matrix<double, 6, Eigen::Dynamic>& columns)
      : columns_(columns), amounts_(Eigen::VectorXd::Zero(columns.cols())) {}

  bool is_full() const { return used_.size() == 6; }
  bool uses(int column) const {
    return std::find(used_.begin(), used_.end(), column) != used_.end();
  }
  Wrench6 sum() const { return columns_ * amounts_; }

  /// Takes a column in and finds the best amounts; columns that would need less than nothing leave.
  void add(int column, const Wrench6& target) {
    used_.push_back(column);
    while (!used_.empty()) {
      const Eigen::VectorXd best = solve(target);
      double step = 1.0;
      for (std::size_t i = 0; i < used_.size(); ++i) {
        const double now = amounts_[used_[i]];
        const double wanted = best[static_cast<Eigen::Index>(i)];
        if (wanted <= 0.0) {
          step = std::min(step, now / std::max(now - wanted, 1e-300));
        }
      }
      move_towards(best, step);
      if (step >= 1.0) {
        return;
      }
    }
  }

 private:
  Eigen::VectorXd solve(const Wrench6& target) const {
    Eigen::MatrixXd used(6, static_cast<Eigen::Index>(used_.size()));
    for (std::size_t i = 0; i < used_.size(); ++i) {
      used.col(static_cast<Eigen::Index>(i)) = columns_.col(used_[i]);
    }
    return used.colPivHouseholderQr().solve(target);
  }

  void move_towards(const Eigen::VectorXd& best, double step) {
    std::vector<int> kept;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      double& amount = amounts_[used_[i]];
      amount += step * (best[static_cast<Eigen::Index>(i)] - amount);
      if (amount > 1e-14) {
        kept.push_back(used_[i]);
      } else {
        amount = 0.0;
      }
    }
    used_ = std::move(kept);
  }

  const Eigen::Matrix<double, 6, Eigen::Dynamic>& columns_;
  Eigen::VectorXd amounts_;
  std::vector<int> used_;
};

}  // namespace

double distance_to_cone(const Eigen::Matrix<double, 6, Eigen::Dynamic>& columns,
                        const Wrench6& target) {
  // Lawson and Hanson's active sets: at most six columns are needed, and a handful of rounds
  const double scale = std::max(target.norm(), 1e-12);
  ColumnSet set(columns);
  for (int round = 0; round < 60; ++round) {
    const Wrench6 missing = target - set.sum();
    Eigen::Index best = 0;
    const double slope = columns.cols() > 0 ? (columns.transpose() * missing).maxCoeff(&best) : 0.0;
    const bool is_done =
        slope <= 1e-10 * scale || set.is_full() || set.uses(static_cast<int>(best));
    if (is_done) {
      return missing.norm();
    }
    set.add(static_cast<int>(best), target);
  }
  return (target - set.sum()).norm();
}

FrictionCone::FrictionCone(std::span<const HoldingContact> contacts) {
  const std::vector<HoldingContact> taken = spread_out(contacts);
  length_m_ = kLeastLength_m;
  for (const HoldingContact& contact : taken) {
    length_m_ = std::max(length_m_, contact.p.norm());
  }
  generators_.resize(6, static_cast<Eigen::Index>(taken.size()) * kEdges);
  Eigen::Index column = 0;
  for (const HoldingContact& contact : taken) {
    const Vector3 across = contact.normal.unitOrthogonal();
    const Vector3 along = contact.normal.cross(across);
    for (int edge = 0; edge < kEdges; ++edge) {
      const double angle = 2.0 * std::numbers::pi * edge / kEdges;
      const Vector3 force =
          contact.normal +
          kEdgeScale * contact.friction * (std::cos(angle) * across + std::sin(angle) * along);
      generators_.col(column++) << force, contact.p.cross(force) / length_m_;
    }
  }
  // a little added to the diagonal: contacts on a line cannot turn a body about it
  Eigen::Matrix<double, 6, 6> square = generators_ * generators_.transpose();
  square.diagonal().array() += 1e-6 * (square.trace() + 1e-12);
  inverse_ = square.ldlt().solve(generators_);
  amounts_ = Eigen::VectorXd::Zero(generators_.cols());
}

bool FrictionCone::accepts_quickly(const Wrench6& target, double tolerance_N) {
  for (int round = 0; round < kQuickRounds; ++round) {
    const Wrench6 missing = target - generators_ * amounts_;
    if (missing.norm() <= tolerance_N) {
      return true;
    }
    amounts_ = (amounts_ + inverse_.transpose() * missing).cwiseMax(0.0);
  }
  return false;
}

bool FrictionCone::contains(const Wrench6& wrench, double tolerance_N) {
  Wrench6 target = wrench;
  target.tail<3>() /= length_m_;
  // half of the tolerance is for wrenches that hardly differ from one that was accepted
  if (has_accepted_ && (target - accepted_).norm() <= 0.5 * tolerance_N) {
    return true;
  }
  const bool is_inside = accepts_quickly(target, 0.5 * tolerance_N) ||
                         distance_to_cone(generators_, target) <= 0.5 * tolerance_N;
  if (is_inside) {
    accepted_ = target;
    has_accepted_ = true;
  }
  return is_inside;
}

}  // namespace longarm::mechanisms
