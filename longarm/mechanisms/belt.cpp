// SPDX-License-Identifier: Apache-2.0
// Ramps, resets and the encoder that knows nothing of them.
#include "longarm/mechanisms/belt.h"

#include <algorithm>
#include <cmath>

namespace longarm::mechanisms {

void list_fields(Fields& fields, BeltConfig& config) {
  fields.field("acceleration_m_s2", config.acceleration_m_s2, "of its ramps; 0: at once");
  fields.field("max_speed_m_s", config.max_speed_m_s, "commands beyond are cut");
  fields.field("max_force_N", config.max_force_N, "of its drive");
  fields.field("reset_after_m", config.reset_after_m,
               "displacement after which the surface is put back");
}

Belt::Belt(physics::Engine& engine, const model::Cell& cell, physics::JointId joint,
           const BeltConfig& config, Duration period, Simplifier* simplifier)
    : engine_(engine),
      joint_(joint),
      config_(config),
      period_s_(to_seconds(period)),
      simplifier_(simplifier) {
  int first_joint = 0;
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const int count = static_cast<int>(cell.placements[p].tree.joints.size());
    const int own = static_cast<int>(joint) - first_joint;
    if (own >= 0 && own < count) {
      surface_ = static_cast<physics::BodyId>(cell.first_body(static_cast<int>(p)) + own + 1);
    }
    first_joint += count;
  }
}

void Belt::command(double velocity_m_s) {
  target_m_s_ = std::clamp(velocity_m_s, -config_.max_speed_m_s, config_.max_speed_m_s);
}

void Belt::stop() {
  target_m_s_ = 0.0;
  ramped_m_s_ = 0.0;
}

void Belt::before_step() {
  const double most = config_.acceleration_m_s2 * period_s_;
  ramped_m_s_ =
      most > 0.0 ? ramped_m_s_ + std::clamp(target_m_s_ - ramped_m_s_, -most, most) : target_m_s_;
  engine_.set_velocity(joint_, ramped_m_s_, config_.max_force_N);
}

void Belt::after_step() {
  encoder_m_ += velocity_m_s() * period_s_;
  const double position = engine_.positions()[static_cast<std::size_t>(joint_)];
  if (std::abs(position) < config_.reset_after_m) {
    return;
  }
  if (simplifier_ != nullptr) {
    simplifier_->let_go(surface_);
  }
  engine_.reset_joint(joint_, 0.0, velocity_m_s());
  if (simplifier_ != nullptr) {
    simplifier_->hold_again(surface_);
  }
}

double Belt::velocity_m_s() const {
  return engine_.velocities()[static_cast<std::size_t>(joint_)];
}

double Belt::encoder_m() const {
  return encoder_m_;
}

bool Belt::is_jammed() const {
  return false;
}

physics::BodyId Belt::surface() const {
  return surface_;
}

}  // namespace longarm::mechanisms
