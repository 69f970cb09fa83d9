// SPDX-License-Identifier: Apache-2.0
// The state machine of power, brakes and safety.
#include "longarm/robots/ur/modes.h"

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::robots {

using protocols::ur::RobotMode;
using protocols::ur::SafetyMode;

UrModes::UrModes(const UrConfig& config)
    : mode_(config.start == "running" ? RobotMode::kRunning
            : config.start == "idle"  ? RobotMode::kIdle
                                      : RobotMode::kPowerOff),
      power_on_time_(config.power_on_time),
      brake_release_time_(config.brake_release_time),
      unlock_after_(config.unlock_after) {}

bool UrModes::is_power_on() const {
  return mode_ == RobotMode::kPowerOn || mode_ == RobotMode::kIdle || mode_ == RobotMode::kRunning;
}

std::string UrModes::obstacle() const {
  if (safety_ == SafetyMode::kProtectiveStop) {
    return "the robot is in protective stop";
  }
  if (safety_ != SafetyMode::kNormal) {
    return "the robot is in emergency stop";
  }
  return has_brakes_off() ? "" : "the robot's brakes are on";
}

Result<bool> UrModes::power_on(Time now) {
  if (safety_ == SafetyMode::kRobotEmergencyStop) {
    if (mode_ != RobotMode::kPowerOff) {
      return Error{"the robot is still stopping"};
    }
    safety_ = SafetyMode::kNormal;
  }
  if (mode_ == RobotMode::kPowerOff) {
    mode_ = RobotMode::kPowerOn;
    idle_at_ = now + power_on_time_;
  }
  return true;
}

Result<bool> UrModes::release_brakes(Time now) {
  if (mode_ == RobotMode::kRunning) {
    return true;
  }
  if (mode_ == RobotMode::kPowerOff) {
    if (Result<bool> powered = power_on(now); !powered) {
      return powered;
    }
  }
  wants_running_ = true;
  if (mode_ == RobotMode::kIdle && !running_at_) {
    running_at_ = now + brake_release_time_;
  }
  return true;
}

Result<bool> UrModes::unlock(Time now) {
  if (safety_ != SafetyMode::kProtectiveStop) {
    return true;
  }
  if (now - stopped_at_ < unlock_after_) {
    return Error{fmt::format(
        "Cannot unlock protective stop until {} after occurrence. Always inspect cause of "
        "protective stop before unlocking",
        format_duration(unlock_after_))};
  }
  unlock();
  return true;
}

void UrModes::unlock() {
  if (safety_ == SafetyMode::kProtectiveStop) {
    safety_ = SafetyMode::kNormal;
  }
}

void UrModes::restart_safety() {
  power_off();
  safety_ = SafetyMode::kNormal;
}

void UrModes::power_off() {
  mode_ = RobotMode::kPowerOff;
  idle_at_.reset();
  running_at_.reset();
  wants_running_ = false;
  unlock();
}

void UrModes::protective_stop(Time now) {
  if (safety_ == SafetyMode::kNormal) {
    safety_ = SafetyMode::kProtectiveStop;
    stopped_at_ = now;
  }
}

void UrModes::emergency_stop(Time now) {
  safety_ = SafetyMode::kRobotEmergencyStop;
  stopped_at_ = now;
}

void UrModes::advance(Time now, bool is_at_rest) {
  if (safety_ == SafetyMode::kRobotEmergencyStop && is_at_rest && mode_ != RobotMode::kPowerOff) {
    power_off();
  }
  if (idle_at_ && now >= *idle_at_) {
    idle_at_.reset();
    mode_ = RobotMode::kIdle;
    if (wants_running_) {
      running_at_ = now + brake_release_time_;
    }
  }
  if (running_at_ && now >= *running_at_) {
    running_at_.reset();
    wants_running_ = false;
    mode_ = RobotMode::kRunning;
  }
}

}  // namespace longarm::robots
