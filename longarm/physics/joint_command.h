// SPDX-License-Identifier: Apache-2.0
// What a joint was last told to do, in the one form that all engines share.
#pragma once

#include <algorithm>
#include <span>

#include "longarm/model/body_tree.h"

namespace longarm::physics {

enum class CommandMode { kEffort, kVelocity, kPosition };

struct JointCommand {
  CommandMode mode = CommandMode::kEffort;
  double value = 0.0;       ///< effort, velocity or position
  double max_effort = 0.0;  ///< of a motor; unused in effort mode

  /// Whether a motor holds the joint. One without effort is switched off.
  bool is_motored() const { return mode != CommandMode::kEffort && max_effort > 0.0; }
  double effort() const { return mode == CommandMode::kEffort ? value : 0.0; }
  /// What the motor tries to reach within the coming step of `period_s`.
  double target_velocity(double position, double period_s) const {
    return mode == CommandMode::kVelocity ? value : (value - position) / period_s;
  }
};

/// A position motor never fights the joint's own stops.
inline JointCommand position_command(const model::TreeJoint& joint, double position,
                                     double max_effort) {
  const double reachable = std::clamp(position, joint.limits.lower, joint.limits.upper);
  return {CommandMode::kPosition, reachable, max_effort};
}

}  // namespace longarm::physics
