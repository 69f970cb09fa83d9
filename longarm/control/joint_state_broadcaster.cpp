// SPDX-License-Identifier: Apache-2.0
// Copies from the engine, without allocating, and sends.
#include "longarm/control/joint_state_broadcaster.h"

#include <algorithm>

namespace longarm::control {

JointStateBroadcaster::JointStateBroadcaster(const physics::Engine& engine,
                                             physics::JointId first_joint, std::size_t joint_count)
    : engine_(engine), first_joint_(static_cast<std::size_t>(first_joint)) {
  states_.positions.resize(joint_count);
  states_.velocities.resize(joint_count);
  states_.efforts.resize(joint_count);
}

const JointStates& JointStateBroadcaster::sample(Time now) {
  const auto copy = [this](std::span<const double> from, std::vector<double>& to) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first_joint_), to.size(), to.begin());
  };
  states_.stamp = now;
  copy(engine_.positions(), states_.positions);
  copy(engine_.velocities(), states_.velocities);
  copy(engine_.efforts(), states_.efforts);
  return states_;
}

void JointStateBroadcaster::send() const {
  for (network::Channel<JointStates>* channel : subscribers_) {
    channel->send(states_, wire_size_bytes(states_));
  }
}

}  // namespace longarm::control
