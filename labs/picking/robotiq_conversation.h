// SPDX-License-Identifier: Apache-2.0
// Talking to a Robotiq gripper's server in straight lines of a task.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "labs/kitting/line.h"
#include "longarm/sim/task.h"

namespace longarm::picking {

/// One request at a time; each is sent again every `patience` until somebody answers.
class RobotiqConversation {
 public:
  RobotiqConversation(sim::TaskContext context, kitting::Dial dial, Duration patience);
  RobotiqConversation(const RobotiqConversation&) = delete;
  RobotiqConversation& operator=(const RobotiqConversation&) = delete;

  /// "POS 255 GTO 1". False: the gripper did not understand.
  sim::Task<bool> set(std::string settings);
  /// Nothing: there is no such variable.
  sim::Task<std::optional<int>> get(std::string variable);

  const kitting::RoundTrips& round_trips() const { return round_trips_; }
  /// Zero before the first one.
  Duration shortest_round_trip() const { return shortest_round_trip_.value_or(Duration{0}); }

 private:
  sim::Task<std::string> ask(std::string line);

  sim::TaskContext context_;
  Duration patience_;
  kitting::Line line_;
  std::string answer_;
  kitting::RoundTrips round_trips_;
  std::optional<Duration> shortest_round_trip_;
};

}  // namespace longarm::picking
