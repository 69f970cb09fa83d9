// SPDX-License-Identifier: Apache-2.0
// Sweep and prune along x, then capsules around the shapes, then MuJoCo.
#include "longarm/physics/mujoco/mujoco_sweep.h"

#include <algorithm>
#include <cmath>

namespace longarm::physics {
namespace {

// Shapes that far apart do not touch, whatever the rounding (m).
constexpr double kSweepRounding_m = 1e-9;
constexpr int kFrictions = 5;

bool is_fixed(const mjModel& model, int geom) {
  return model.body_weldid[model.geom_bodyid[geom]] == 0;
}

}  // namespace

MujocoSweep::Three MujocoSweep::half_sizes(const mjModel& model, int geom) {
  const mjtNum* size = model.geom_size + 3 * geom;
  switch (model.geom_type[geom]) {
    case mjGEOM_BOX:
      return {size[0], size[1], size[2]};
    case mjGEOM_CYLINDER:
      return {size[0], size[0], size[1]};
    case mjGEOM_CAPSULE:
      return {size[0], size[0], size[0] + size[1]};
    case mjGEOM_MESH: {
      // MuJoCo has moved the corners into the geom's own frame
      const int mesh = model.geom_dataid[geom];
      const float* corner = model.mesh_vert + 3 * model.mesh_vertadr[mesh];
      Three half{};
      for (std::size_t i = 0; i < 3 * static_cast<std::size_t>(model.mesh_vertnum[mesh]); ++i) {
        half[i % 3] = std::max(half[i % 3], std::abs(static_cast<double>(corner[i])));
      }
      return half;
    }
    default: {
      const double radius = model.geom_rbound[geom];
      return {radius, radius, radius};
    }
  }
}

void MujocoSweep::list_shapes(const mjModel& model) {
  half_sizes_m_.clear();
  order_.clear();
  planes_.clear();
  for (int geom = 0; geom < model.ngeom; ++geom) {
    half_sizes_m_.push_back(half_sizes(model, geom));
    (model.geom_type[geom] == mjGEOM_PLANE ? planes_ : order_).push_back(geom);
  }
  boxes_.resize(half_sizes_m_.size());
  has_fixed_boxes_ = false;
}

void MujocoSweep::detect(mjModel& model, mjData& data, const MayTouch& may_touch) {
  move_boxes(model, data);
  sort();
  find_pairs(model, data);
  std::erase_if(pairs_, [&](const Pair& pair) { return !may_touch(pair.geom1, pair.geom2); });
  std::sort(pairs_.begin(), pairs_.end());
  give_pairs(model);
  model.opt.collision = mjCOL_PAIR;
  mj_collision(&model, &data);
  model.opt.collision = mjCOL_ALL;
  model.npair = 0;
}

void MujocoSweep::move_boxes(const mjModel& model, const mjData& data) {
  for (int geom = 0; geom < model.ngeom; ++geom) {
    if (has_fixed_boxes_ && is_fixed(model, geom)) {
      continue;
    }
    const auto number = static_cast<std::size_t>(geom);
    const Three& half = half_sizes_m_[number];
    for (std::size_t k = 0; k < 3; ++k) {
      const mjtNum* row = data.geom_xmat + 9 * number + 3 * k;
      const double reach = std::abs(row[0]) * half[0] + std::abs(row[1]) * half[1] +
                           std::abs(row[2]) * half[2] + kSweepRounding_m;
      boxes_[number].low_m[k] = data.geom_xpos[3 * number + k] - reach;
      boxes_[number].high_m[k] = data.geom_xpos[3 * number + k] + reach;
    }
  }
  has_fixed_boxes_ = true;
}

/// By insertion: little changes from step to step.
void MujocoSweep::sort() {
  const auto low = [&](int geom) { return boxes_[static_cast<std::size_t>(geom)].low_m[0]; };
  for (auto it = order_.begin(); it != order_.end(); ++it) {
    const int geom = *it;
    auto place = it;
    for (; place != order_.begin() && low(*(place - 1)) > low(geom); --place) {
      *place = *(place - 1);
    }
    *place = geom;
  }
}

void MujocoSweep::find_pairs(const mjModel& model, const mjData& data) {
  pairs_.clear();
  for (auto first = order_.begin(); first != order_.end(); ++first) {
    const Box& box = boxes_[static_cast<std::size_t>(*first)];
    for (auto second = first + 1; second != order_.end(); ++second) {
      const Box& other = boxes_[static_cast<std::size_t>(*second)];
      if (other.low_m[0] > box.high_m[0]) {
        break;
      }
      if (other.low_m[1] <= box.high_m[1] && box.low_m[1] <= other.high_m[1] &&
          other.low_m[2] <= box.high_m[2] && box.low_m[2] <= other.high_m[2]) {
        add_pair(model, *first, *second);
      }
    }
  }
  for (const int plane : planes_) {
    const mjtNum* turn = data.geom_xmat + 9 * plane;  // the normal is its third column
    for (const int geom : order_) {
      const Box& box = boxes_[static_cast<std::size_t>(geom)];
      double lowest = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double n = turn[3 * k + 2];
        const auto axis = static_cast<std::size_t>(k);
        lowest += n * ((n > 0.0 ? box.low_m : box.high_m)[axis] - data.geom_xpos[3 * plane + k]);
      }
      if (lowest <= kSweepRounding_m) {
        add_pair(model, plane, geom);
      }
    }
  }
}

void MujocoSweep::add_pair(const mjModel& model, int geom1, int geom2) {
  const int body1 = model.geom_bodyid[geom1];
  const int body2 = model.geom_bodyid[geom2];
  // as MuJoCo does it: what cannot move against each other does not touch
  if (model.body_weldid[body1] == model.body_weldid[body2]) {
    return;
  }
  pairs_.push_back(body1 < body2 ? Pair{body1, body2, geom1, geom2}
                                 : Pair{body2, body1, geom2, geom1});
}

/// Every shape has the same softness; friction and surfaces come with the contacts.
void MujocoSweep::give_pairs(mjModel& model) {
  if (geoms1_.size() < pairs_.size()) {
    const std::size_t size = 2 * pairs_.size();
    geoms1_.resize(size);
    geoms2_.resize(size);
    signatures_.resize(size);
    dimensions_.resize(size, 3);
    zeros_.resize(size, 0.0);
    frictions_.resize(kFrictions * size, 1.0);
    while (references_.size() < mjNREF * size) {
      references_.insert(references_.end(), model.geom_solref, model.geom_solref + mjNREF);
    }
    while (impedances_.size() < mjNIMP * size) {
      impedances_.insert(impedances_.end(), model.geom_solimp, model.geom_solimp + mjNIMP);
    }
  }
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    geoms1_[i] = pairs_[i].geom1;
    geoms2_[i] = pairs_[i].geom2;
    signatures_[i] = ((pairs_[i].body1 + 1) << 16) + pairs_[i].body2 + 1;
  }
  model.npair = static_cast<int>(pairs_.size());
  model.pair_dim = dimensions_.data();
  model.pair_geom1 = geoms1_.data();
  model.pair_geom2 = geoms2_.data();
  model.pair_signature = signatures_.data();
  model.pair_solref = references_.data();
  model.pair_solimp = impedances_.data();
  model.pair_margin = zeros_.data();
  model.pair_gap = zeros_.data();
  model.pair_friction = frictions_.data();
}

}  // namespace longarm::physics
