// SPDX-License-Identifier: Apache-2.0
// What crosses the link between a controller and its joints, and how large it is on the wire.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/motion/trajectory.h"

namespace longarm::control {

/// Positions, velocities and efforts of all joints of an arm at one instant.
struct JointStates {
  Time stamp{};
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> efforts;
};

enum class CommandKind { kPosition, kVelocity, kEffort };

/// One set point per joint. `velocities` accompany positions, for feed-forward, and are empty
/// otherwise.
struct JointCommand {
  Time stamp{};
  CommandKind kind = CommandKind::kVelocity;
  std::vector<double> values;
  std::vector<double> velocities;
};

/// A whole trajectory, to be started when it arrives.
struct TrajectoryGoal {
  Time stamp{};
  motion::Trajectory trajectory;
};

/// Header (sequence, stamp, frame) plus 32-bit array lengths plus 64-bit numbers.
inline std::size_t wire_size_bytes(const JointStates& states) {
  return 16 + 3 * 4 +
         8 * (states.positions.size() + states.velocities.size() + states.efforts.size());
}
inline std::size_t wire_size_bytes(const JointCommand& command) {
  return 16 + 2 * 4 + 8 * (command.values.size() + command.velocities.size());
}
inline std::size_t wire_size_bytes(const TrajectoryGoal& goal) {
  std::size_t size = 16 + 4;
  for (const motion::TrajectoryPoint& point : goal.trajectory.points()) {
    size += 8 + 3 * 4 +
            8 * (point.positions.size() + point.velocities.size() + point.accelerations.size());
  }
  return size;
}

}  // namespace longarm::control
