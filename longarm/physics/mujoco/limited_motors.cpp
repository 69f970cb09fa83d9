// SPDX-License-Identifier: Apache-2.0
// Principal pivoting: guess which motors saturate, solve, correct the guess.
#include "longarm/physics/mujoco/limited_motors.h"

#include <cmath>

#include <Eigen/Cholesky>

#include "longarm/core/index.h"

namespace longarm::physics {
namespace {}  // namespace

LimitedMotors::LimitedMotors(int size)
    : inertia(Eigen::MatrixXd::Zero(size, size)),
      force(Eigen::VectorXd::Zero(size)),
      is_motored(static_cast<std::size_t>(size), 0),
      wanted_acceleration(force),
      limit(force),
      effort(force),
      acceleration(force),
      is_driven_(is_motored),
      block_(inertia),
      right_side_(force) {
  passive_.reserve(static_cast<std::size_t>(size));
}

bool LimitedMotors::solve() {
  is_driven_ = is_motored;
  // Correcting all at once is quick and nearly always enough; correcting one at a time, always the
  // last, is certain to end for a positive definite matrix (Murty 1974).
  const int size = static_cast<int>(force.size());
  for (int round = 0; round < 20 * (size + 1); ++round) {
    solve_for_present_sets();
    if (correct_sets(round > size) == 0) {
      return true;
    }
  }
  return false;
}

void LimitedMotors::solve_for_present_sets() {
  passive_.clear();
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (is_driven_[index_of(i)] != 0) {
      acceleration[i] = wanted_acceleration[i];
    } else {
      acceleration[i] = 0.0;
      passive_.push_back(static_cast<int>(i));
    }
  }
  // passive rows: A_pp·a_p = force + effort - A_pd·a_d
  const auto count = static_cast<Eigen::Index>(passive_.size());
  for (Eigen::Index r = 0; r < count; ++r) {
    const int i = passive_[index_of(r)];
    right_side_[r] = force[i] + effort[i] - inertia.row(i).dot(acceleration);
    for (Eigen::Index c = 0; c < count; ++c) {
      block_(r, c) = inertia(i, passive_[index_of(c)]);
    }
  }
  Eigen::Ref<Eigen::MatrixXd> block = block_.topLeftCorner(count, count);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(block);
  auto solution = right_side_.head(count);
  factors.solveInPlace(solution);
  for (Eigen::Index r = 0; r < count; ++r) {
    acceleration[passive_[index_of(r)]] = solution[r];
  }
  for (Eigen::Index i = 0; i < force.size(); ++i) {
    if (is_driven_[index_of(i)] != 0) {
      effort[i] = inertia.row(i).dot(acceleration) - force[i];
    }
  }
}

int LimitedMotors::correct_sets(bool only_last) {
  int wrong = 0;
  for (Eigen::Index i = force.size() - 1; i >= 0; --i) {
    if (is_motored[index_of(i)] == 0) {
      continue;
    }
    if (is_driven_[index_of(i)] != 0) {
      if (std::abs(effort[i]) > limit[i]) {
        is_driven_[index_of(i)] = 0;
        effort[i] = std::copysign(limit[i], effort[i]);
        ++wrong;
      }
    } else if ((acceleration[i] - wanted_acceleration[i]) * effort[i] > 0.0) {
      // it pushes past what it wants: the limit was not needed
      is_driven_[index_of(i)] = 1;
      ++wrong;
    }
    if (only_last && wrong > 0) {
      return wrong;
    }
  }
  return wrong;
}

}  // namespace longarm::physics
