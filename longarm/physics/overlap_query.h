// SPDX-License-Identifier: Apache-2.0
// Which bodies of a cell overlap, by our own test of shapes: engines miss what is deep inside.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "longarm/physics/convex_shape.h"
#include "longarm/physics/flat_cell.h"

namespace longarm::physics {

/// Engines look for contacts: where to push two surfaces apart. They may find none for a link that
/// goes straight through a table, so their answers to collisions_at() are completed here.
class OverlapQuery {
 public:
  /// Meshes are left out if the engine has them as they are: here they are convex hulls.
  OverlapQuery(const FlatCell& cell, bool has_meshes);

  /// Adds the pairs that overlap and are not yet in `pairs`, with the bodies at `X_WB`; sorts them
  /// all.
  void complete(std::span<const model::Pose> X_WB, const PairFilter& filter,
                std::vector<std::pair<BodyId, BodyId>>& pairs) const;

 private:
  struct Part {
    int body = 0;
    bool is_static = false;
    model::Pose X_BG;
    ConvexShape shape;
  };
  struct Sphere {
    model::Vector3 centre_W;
    double radius_m = 0.0;
  };

  bool are_near(std::size_t a, std::size_t b, std::span<const Sphere> spheres,
                std::span<const model::Pose> X_WB) const;

  std::vector<Part> parts_;
};

}  // namespace longarm::physics
