// SPDX-License-Identifier: Apache-2.0
// Whether a UR robot has power, whether its brakes are off, and what its safety system says.
#pragma once

#include <optional>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/ur/controller_state.h"
#include "longarm/robots/ur/config.h"

namespace longarm::robots {

/// power off → (a while) → idle → (a while) → running; any stop of the safety system takes the
/// right to move away. An emergency stop is over with the next power_on(), as if somebody had
/// released the button before.
class UrModes {
 public:
  explicit UrModes(const UrConfig& config);

  protocols::ur::RobotMode mode() const { return mode_; }
  protocols::ur::SafetyMode safety() const { return safety_; }
  bool is_power_on() const;
  bool has_brakes_off() const { return mode_ == protocols::ur::RobotMode::kRunning; }
  bool can_move() const {
    return has_brakes_off() && safety_ == protocols::ur::SafetyMode::kNormal;
  }
  /// Why it cannot; empty if it can.
  std::string obstacle() const;

  Result<bool> power_on(Time now);
  Result<bool> release_brakes(Time now);
  /// Not before a while has passed since the stop.
  Result<bool> unlock(Time now);
  void unlock();
  /// Whatever the safety system had stopped for is over, and the power off.
  void restart_safety();
  void power_off();
  void protective_stop(Time now);
  void emergency_stop(Time now);

  /// What was begun a while ago may be done. An arm that was stopped by the button loses its power
  /// once it rests.
  void advance(Time now, bool is_at_rest);

 private:
  protocols::ur::RobotMode mode_;
  protocols::ur::SafetyMode safety_ = protocols::ur::SafetyMode::kNormal;
  Duration power_on_time_;
  Duration brake_release_time_;
  Duration unlock_after_;
  std::optional<Time> idle_at_;
  std::optional<Time> running_at_;
  bool wants_running_ = false;  ///< as soon as it has power
  Time stopped_at_{};
};

}  // namespace longarm::robots
