// SPDX-License-Identifier: Apache-2.0
// What a joint was last told to do, in the one form that all engines share.
#pragma once

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

}  // namespace longarm::physics
