// SPDX-License-Identifier: Apache-2.0
// Sums up velocities and accelerations of stages.
#include "longarm/physics/mujoco/mujoco_stages.h"

#include <algorithm>

namespace longarm::physics {

void MujocoStages::begin(const mjModel& model, const mjData& data) {
  position_.assign(data.qpos, data.qpos + model.nq);
  velocity_.assign(data.qvel, data.qvel + model.nv);
  velocity_sum_.assign(velocity_.size(), 0.0);
  acceleration_sum_.assign(velocity_.size(), 0.0);
  weight_sum_ = 0.0;
  add(data, 1.0);
}

void MujocoStages::go(const mjModel& model, mjData& data, double time_s) {
  std::copy(position_.begin(), position_.end(), data.qpos);
  mj_integratePos(&model, data.qpos, stage_velocity_.data(), time_s);
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    data.qvel[i] = velocity_[i] + time_s * stage_acceleration_[i];
  }
  std::copy(stage_acceleration_.begin(), stage_acceleration_.end(), data.qacc_warmstart);
}

void MujocoStages::add(const mjData& data, double weight) {
  stage_velocity_.assign(data.qvel, data.qvel + velocity_.size());
  stage_acceleration_.assign(data.qacc, data.qacc + velocity_.size());
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    velocity_sum_[i] += weight * stage_velocity_[i];
    acceleration_sum_[i] += weight * stage_acceleration_[i];
  }
  weight_sum_ += weight;
}

void MujocoStages::end(const mjModel& model, mjData& data, std::span<const char> is_driven) {
  const double h = model.opt.timestep;
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    data.qvel[i] = velocity_[i] + h * acceleration_sum_[i] / weight_sum_;
    velocity_sum_[i] = is_driven[i] != 0 ? data.qvel[i] : velocity_sum_[i] / weight_sum_;
  }
  std::copy(position_.begin(), position_.end(), data.qpos);
  mj_integratePos(&model, data.qpos, velocity_sum_.data(), h);
  std::copy(stage_acceleration_.begin(), stage_acceleration_.end(), data.qacc_warmstart);
}

}  // namespace longarm::physics
