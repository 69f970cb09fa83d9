// SPDX-License-Identifier: Apache-2.0
// Engines integrate velocities with Euler's step, so differences of velocity are accelerations.
#include "longarm/mechanisms/part_motions.h"

namespace longarm::mechanisms {

using model::Vector3;

PartMotions::PartMotions(const physics::Engine& engine, std::span<const BodyRole> roles,
                         double period_s)
    : engine_(engine),
      roles_(roles),
      period_s_(period_s),
      centre_velocity_W_(roles.size(), Vector3::Zero()),
      acceleration_W_(roles.size(), Vector3::Zero()),
      twist_step_(roles.size(), -1),
      pose_step_(roles.size(), -1),
      twist_(roles.size()),
      pose_(roles.size(), model::Pose::Identity()) {
  for (std::size_t body = 0; body < roles.size(); ++body) {
    if (roles[body].is_part) {
      parts_.push_back(static_cast<int>(body));
      centre_velocity_W_[body] = centre_velocity(static_cast<int>(body));
    }
  }
}

void PartMotions::update() {
  ++step_;
  for (const int part : parts_) {
    const auto i = static_cast<std::size_t>(part);
    const Vector3 velocity = centre_velocity(part);
    acceleration_W_[i] = (velocity - centre_velocity_W_[i]) / period_s_;
    centre_velocity_W_[i] = velocity;
  }
}

const physics::Twist& PartMotions::twist(int body) {
  const auto i = static_cast<std::size_t>(body);
  if (twist_step_[i] != step_) {
    twist_[i] = engine_.twist(static_cast<physics::BodyId>(body));
    twist_step_[i] = step_;
  }
  return twist_[i];
}

const model::Pose& PartMotions::pose(int body) {
  const auto i = static_cast<std::size_t>(body);
  if (pose_step_[i] != step_) {
    pose_[i] = engine_.pose(static_cast<physics::BodyId>(body));
    pose_step_[i] = step_;
  }
  return pose_[i];
}

Vector3 PartMotions::velocity_at(int body, const Vector3& p_W) {
  const physics::Twist& motion = twist(body);
  return motion.linear_W + motion.angular_W.cross(p_W - pose(body).translation());
}

Vector3 PartMotions::centre_velocity(int part) {
  const Vector3& p_BC = roles_[static_cast<std::size_t>(part)].p_BC;
  const physics::Twist& motion = twist(part);
  if (p_BC.isZero(0.0)) {
    return motion.linear_W;
  }
  return motion.linear_W + motion.angular_W.cross(pose(part).linear() * p_BC);
}

}  // namespace longarm::mechanisms
