// SPDX-License-Identifier: Apache-2.0
// Bounding spheres first, then the shapes themselves.
#include "longarm/physics/overlap_query.h"

#include <algorithm>
#include <variant>

namespace longarm::physics {

using model::Pose;
using model::Vector3;

OverlapQuery::OverlapQuery(const FlatCell& cell, bool has_meshes) {
  for (std::size_t b = 0; b < cell.body_count(); ++b) {
    const FlatBody& flat = cell.bodies()[b];
    for (const model::Geometry& geometry : flat.body->collisions) {
      if (has_meshes || !std::holds_alternative<model::Mesh>(geometry.shape)) {
        parts_.push_back(
            {static_cast<int>(b), flat.is_static, geometry.X_LG, ConvexShape(geometry.shape)});
      }
    }
  }
}

void OverlapQuery::complete(std::span<const Pose> X_WB, const PairFilter& filter,
                            std::vector<std::pair<BodyId, BodyId>>& pairs) const {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<Sphere> spheres;
  for (const Part& part : parts_) {
    const Pose& X = X_WB[static_cast<std::size_t>(part.body)];
    spheres.push_back({X * (part.X_BG * part.shape.middle()), part.shape.reach_m()});
  }
  for (std::size_t a = 0; a < parts_.size(); ++a) {
    for (std::size_t b = 0; b < parts_.size() && !parts_[a].is_static; ++b) {
      // a pair that moves comes once only
      if ((b < a && !parts_[b].is_static) || !are_near(a, b, spheres, X_WB) ||
          !filter.may_touch(parts_[a].body, parts_[b].body)) {
        continue;
      }
      const auto [low, high] = std::minmax(parts_[a].body, parts_[b].body);
      const std::pair pair(static_cast<BodyId>(low), static_cast<BodyId>(high));
      const auto place = std::lower_bound(pairs.begin(), pairs.end(), pair);
      const bool is_known = place != pairs.end() && *place == pair;
      const auto pose = [&](const Part& part) -> Pose {
        return X_WB[static_cast<std::size_t>(part.body)] * part.X_BG;
      };
      if (!is_known &&
          do_overlap(parts_[a].shape, pose(parts_[a]), parts_[b].shape, pose(parts_[b]))) {
        pairs.insert(place, pair);
      }
    }
  }
}

bool OverlapQuery::are_near(std::size_t a, std::size_t b, std::span<const Sphere> spheres,
                            std::span<const Pose> X_WB) const {
  const Vector3 apart = spheres[a].centre_W - spheres[b].centre_W;
  if (parts_[b].shape.is_half_space()) {
    // the plane goes through the point that counts as its middle
    const Vector3 up =
        (X_WB[static_cast<std::size_t>(parts_[b].body)].linear() * parts_[b].X_BG.linear()).col(2);
    return up.dot(apart) < spheres[a].radius_m;
  }
  const double reach = spheres[a].radius_m + spheres[b].radius_m;
  return apart.squaredNorm() < reach * reach;
}

}  // namespace longarm::physics
