// SPDX-License-Identifier: Apache-2.0
// How deep one body is in another, by their shapes alone: the same measure on every engine.
#pragma once

#include <vector>

#include "longarm/model/body_tree.h"
#include "longarm/physics/convex_shape.h"

namespace longarm::benches {

class BodyOverlap {
 public:
  BodyOverlap(const model::Body& lower, const model::Body& upper);

  /// How far `upper` must be lifted along z of the world to be free of `lower`, to a micrometre;
  /// 0 if it is free, `most_m` if that is not enough.
  double lift_m(const model::Pose& X_WL, const model::Pose& X_WU, double most_m) const;

 private:
  struct Part {
    model::Pose X_BG;
    physics::ConvexShape shape;
  };

  static std::vector<Part> parts_of(const model::Body& body);
  bool overlaps(const model::Pose& X_WL, const model::Pose& X_WU) const;

  std::vector<Part> lower_;
  std::vector<Part> upper_;
};

}  // namespace longarm::benches
