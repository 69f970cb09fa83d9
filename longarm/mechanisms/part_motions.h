// SPDX-License-Identifier: Apache-2.0
// How the parts of a cell move: read from the engine once per step, with accelerations.
#pragma once

#include <span>
#include <vector>

#include "longarm/mechanisms/body_roles.h"
#include "longarm/physics/engine.h"

namespace longarm::mechanisms {

class PartMotions {
 public:
  PartMotions(const physics::Engine& engine, std::span<const BodyRole> roles, double period_s);

  /// After each step of the engine.
  void update();

  /// Of a part's centre of mass, over the last step: exactly what its forces made of it.
  const model::Vector3& acceleration_W(int part) const {
    return acceleration_W_[static_cast<std::size_t>(part)];
  }
  /// Of any body, at present.
  const physics::Twist& twist(int body);
  const model::Pose& pose(int body);
  /// Of the point of a body that is at `p_W`.
  model::Vector3 velocity_at(int body, const model::Vector3& p_W);

 private:
  model::Vector3 centre_velocity(int part);

  const physics::Engine& engine_;
  std::span<const BodyRole> roles_;
  double period_s_;
  std::vector<int> parts_;
  std::vector<model::Vector3> centre_velocity_W_;
  std::vector<model::Vector3> acceleration_W_;
  // read when asked for, once per step
  long step_ = 0;
  std::vector<long> twist_step_;
  std::vector<long> pose_step_;
  std::vector<physics::Twist> twist_;
  std::vector<model::Pose> pose_;
};

}  // namespace longarm::mechanisms
