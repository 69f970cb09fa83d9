// SPDX-License-Identifier: Apache-2.0
// A recorded topic as a trajectory that an arm can follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/motion/trajectory_file.h"

namespace longarm::record {

struct PlanOptions {
  std::string topic;
  std::uint64_t message = 1;        ///< of a topic of trajectories: which one, from 1 on
  std::vector<std::string> joints;  ///< of joint states: these; empty: those of the first message
  Duration from{0};                 ///< of joint states: since the first one
  std::optional<Duration> to;
};

struct BagPlan {
  motion::NamedTrajectory trajectory;
  std::vector<std::string> remarks;  ///< what to know before trusting it
};

/// Of trajectory_msgs/JointTrajectory one message as it is; of sensor_msgs/JointState all messages
/// that have these joints, at their stamps or, where they have none, at the times of reception,
/// counted from the first. Fails if the recording cannot be read or the topic is of another type.
Result<BagPlan> plan_of(const std::string& path, const PlanOptions& options);

}  // namespace longarm::record
