// SPDX-License-Identifier: Apache-2.0
// Reads the joints of one arm and sends their states to whoever subscribed.
#pragma once

#include <vector>

#include "longarm/control/messages.h"
#include "longarm/network/channel.h"
#include "longarm/physics/engine.h"

namespace longarm::control {

/// Sits at the robot; sends the same message on each channel, in the order they subscribed.
class JointStateBroadcaster {
 public:
  /// The arm's joints are `joint_count` joints of the engine from `first_joint` on.
  JointStateBroadcaster(const physics::Engine& engine, physics::JointId first_joint,
                        std::size_t joint_count);

  /// The channel must outlive this.
  void subscribe(network::Channel<JointStates>& channel) { subscribers_.push_back(&channel); }

  /// What the joints do now; valid until the next call.
  const JointStates& sample(Time now);
  /// Sends the last sample.
  void send() const;

 private:
  const physics::Engine& engine_;
  std::size_t first_joint_;
  JointStates states_;  // used again for every message
  std::vector<network::Channel<JointStates>*> subscribers_;
};

}  // namespace longarm::control
