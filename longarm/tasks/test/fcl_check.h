// SPDX-License-Identifier: Apache-2.0
// A second opinion on collisions, by the Flexible Collision Library: shares no code with the
// engines.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/motion/trajectory.h"

namespace longarm::tasks::test {

/// The arm at placement 0 among everything else at rest.
class FclCheck {
 public:
  explicit FclCheck(const model::Cell& cell);
  ~FclCheck();

  /// Between the arm's moving bodies and everything else; zero or less where they overlap.
  double clearance_m(std::span<const double> q);
  /// Between bodies of the arm that are neither neighbours nor ignored.
  bool collides_with_itself(std::span<const double> q);

  struct Verdict {
    double least_clearance_m = 0.0;
    bool touches_itself = false;
    int samples = 0;
  };
  /// The whole trajectory, no point of the arm moving further than `resolution_m` between samples.
  /// Needs `arm_length_m`, which no point of the arm is further away from any joint than.
  Verdict check(const motion::Trajectory& trajectory, double resolution_m, double arm_length_m);

 private:
  struct Shapes;
  std::unique_ptr<Shapes> shapes_;
};

}  // namespace longarm::tasks::test
