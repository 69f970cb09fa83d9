// SPDX-License-Identifier: Apache-2.0
// Compares shapes pair by pair, first as spheres and then as capsules: quicker than sorting while
// there are few.
#include "longarm/physics/mujoco/mujoco_screen.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longarm::physics {
namespace {

constexpr std::size_t kMostPairs = 300;
// Shapes that far apart do not touch, whatever the rounding (m).
constexpr double kRounding_m = 1e-9;

}  // namespace

MujocoScreen::Hull MujocoScreen::make_hull(const mjModel& model, int geom) {
  const mjtNum* size = model.geom_size + 3 * geom;
  switch (model.geom_type[geom]) {
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      return {.axis = 2, .half_length_m = size[1], .radius_m = size[0]};
    case mjGEOM_BOX: {
      const int axis = static_cast<int>(std::max_element(size, size + 3) - size);
      return {.axis = axis,
              .half_length_m = size[axis],
              .radius_m = std::hypot(size[(axis + 1) % 3], size[(axis + 2) % 3])};
    }
    case mjGEOM_MESH:
      return make_mesh_hull(model, geom);
    default:
      return {.radius_m = model.geom_rbound[geom]};
  }
}

/// As for a box; MuJoCo has moved the corners into the geom's own frame.
MujocoScreen::Hull MujocoScreen::make_mesh_hull(const mjModel& model, int geom) {
  const int mesh = model.geom_dataid[geom];
  const float* corner = model.mesh_vert + 3 * model.mesh_vertadr[mesh];
  double half[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < 3 * model.mesh_vertnum[mesh]; ++i) {
    half[i % 3] = std::max(half[i % 3], std::abs(static_cast<double>(corner[i])));
  }
  const int axis = static_cast<int>(std::max_element(half, half + 3) - half);
  return {.axis = axis,
          .half_length_m = half[axis],
          .radius_m = std::hypot(half[(axis + 1) % 3], half[(axis + 2) % 3])};
}

void MujocoScreen::list_pairs(const mjModel& model, const MujocoNumbers& numbers,
                              const PairFilter& filter, const MergedBodies* merged) {
  hulls_.clear();
  pairs_.clear();
  pairs_with_planes_.clear();
  has_too_many_ = false;
  for (int a = 0; a < model.ngeom; ++a) {
    hulls_.push_back(make_hull(model, a));
  }
  for (int a = 0; a < model.ngeom; ++a) {
    for (int b = 0; b < a; ++b) {
      const BodyId body_a = numbers.shapes[static_cast<std::size_t>(a)].body;
      const BodyId body_b = numbers.shapes[static_cast<std::size_t>(b)].body;
      if (!filter.may_touch(static_cast<int>(body_a), static_cast<int>(body_b)) ||
          (merged != nullptr && merged->are_one(body_a, body_b))) {
        continue;
      }
      // MuJoCo gives a plane the radius zero
      Pair pair{a, b, model.geom_rbound[a] + model.geom_rbound[b] + kRounding_m};
      if (model.geom_type[b] == mjGEOM_PLANE) {
        std::swap(pair.geom1, pair.geom2);
      }
      const bool has_plane = model.geom_type[pair.geom1] == mjGEOM_PLANE;
      (has_plane ? pairs_with_planes_ : pairs_).push_back(pair);
      if (pairs_.size() + pairs_with_planes_.size() > kMostPairs) {
        has_too_many_ = true;
        return;
      }
    }
  }
}

bool MujocoScreen::are_near(const mjModel& model, const mjData& data, int geom1, int geom2) const {
  const Pair pair{geom1, geom2, model.geom_rbound[geom1] + model.geom_rbound[geom2] + kRounding_m};
  double apart[3];
  double square = 0.0;
  for (int k = 0; k < 3; ++k) {
    apart[k] = data.geom_xpos[3 * geom2 + k] - data.geom_xpos[3 * geom1 + k];
    square += apart[k] * apart[k];
  }
  return square <= pair.reach_m * pair.reach_m && do_hulls_overlap(data, pair, apart);
}

bool MujocoScreen::may_touch(const mjData& data) const {
  if (has_too_many_) {
    return true;
  }
  double apart[3];
  const auto separate = [&](const Pair& pair) {
    for (int k = 0; k < 3; ++k) {
      apart[k] = data.geom_xpos[3 * pair.geom2 + k] - data.geom_xpos[3 * pair.geom1 + k];
    }
  };
  for (const Pair& pair : pairs_) {
    separate(pair);
    const double square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
    if (square <= pair.reach_m * pair.reach_m && do_hulls_overlap(data, pair, apart)) {
      return true;
    }
  }
  for (const Pair& pair : pairs_with_planes_) {
    separate(pair);
    const double* normal = data.geom_xmat + 9 * pair.geom1 + 2;  // the third column, row by row
    if (apart[0] * normal[0] + apart[1] * normal[3] + apart[2] * normal[6] <= pair.reach_m) {
      return true;
    }
  }
  return false;
}

/// The distance of two line segments, each given by its middle, direction and half length.
bool MujocoScreen::do_hulls_overlap(const mjData& data, const Pair& pair,
                                    const double apart[3]) const {
  const Hull& hull1 = hulls_[static_cast<std::size_t>(pair.geom1)];
  const Hull& hull2 = hulls_[static_cast<std::size_t>(pair.geom2)];
  const double* u = data.geom_xmat + 9 * pair.geom1 + hull1.axis;
  const double* v = data.geom_xmat + 9 * pair.geom2 + hull2.axis;
  const double along_u = apart[0] * u[0] + apart[1] * u[3] + apart[2] * u[6];
  const double along_v = apart[0] * v[0] + apart[1] * v[3] + apart[2] * v[6];
  const double cosine = u[0] * v[0] + u[3] * v[3] + u[6] * v[6];
  const double sine_square = 1.0 - cosine * cosine;

  // nearest points s·u and apart + t·v: of the lines, then clamped to the segments one after the
  // other
  double s = sine_square < 1e-12 ? 0.0 : (along_u - cosine * along_v) / sine_square;
  s = std::clamp(s, -hull1.half_length_m, hull1.half_length_m);
  const double t = std::clamp(cosine * s - along_v, -hull2.half_length_m, hull2.half_length_m);
  s = std::clamp(cosine * t + along_u, -hull1.half_length_m, hull1.half_length_m);

  double square = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double difference = apart[k] + t * v[3 * k] - s * u[3 * k];
    square += difference * difference;
  }
  const double reach = hull1.radius_m + hull2.radius_m + kRounding_m;
  return square <= reach * reach;
}

}  // namespace longarm::physics
