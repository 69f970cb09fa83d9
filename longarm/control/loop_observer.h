// SPDX-License-Identifier: Apache-2.0
// Who wants to know what crosses the link, message by message; and what was noted, for a replay.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "longarm/control/messages.h"
#include "longarm/network/link_event.h"

namespace longarm::control {

/// Told each call of a tick, in order; for people who want to see it and for the test of that
/// order.
using CallTrace = std::function<void(Time now, std::string_view call)>;

/// Told of each message as it happens. All times are true ones, whatever the hosts' clocks say.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void states_sent(const JointStates&, Time) {}
  virtual void states_received(const JointStates&, Time) {}
  virtual void command_sent(const JointCommand&, Time) {}
  virtual void command_received(const JointCommand&, Time) {}
  virtual void goal_received(const TrajectoryGoal&, Time) {}
  /// `direction` is "states" or "commands".
  virtual void link_event(std::string_view /*direction*/, const network::LinkEvent&) {}
};

/// A message and when it arrived.
template <typename Message>
struct Arrived {
  Time at{};
  Message message;
};

/// All that reached the two ends of the link in a run: enough to repeat what the robot did.
struct LoopRecording {
  std::vector<Arrived<JointStates>> states;
  std::vector<Arrived<JointCommand>> commands;
};

}  // namespace longarm::control
