// SPDX-License-Identifier: Apache-2.0
// What a CRCL server remembers between commands and merges into each motion; all in SI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/protocols/crcl/data.h"
#include "longarm/robots/crcl/config.h"
#include "longarm/robots/crcl/dialect.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// As it was set: a fraction of the fastest, or so much.
struct CrclRate {
  bool is_relative = true;
  double value = 1.0;

  /// More than the fastest is the fastest.
  double of(double fastest) const;
};

/// A sensor that clients want to hear of.
struct CrclSensorUse {
  std::vector<protocols::crcl::Parameter> options;
  std::int64_t read_count = 0;
  Time last_read;
};

enum class CrclGripperMode { kPercentage, kPosition };

struct CrclSettings {
  CrclRate speed;
  CrclRate acceleration;
  CrclRate turn_speed;
  CrclRate turn_acceleration;
  GoalTolerance end_tolerance;
  GoalTolerance intermediate_tolerance;
  std::map<std::size_t, double> joint_tolerances;  ///< by joint, counted from 0
  bool is_coordinated = true;

  CrclGripperMode gripper_mode = CrclGripperMode::kPercentage;
  bool is_gripper_enabled = true;
  std::vector<protocols::crcl::Parameter> gripper_options;
  std::vector<protocols::crcl::Parameter> end_effector_parameters;
  std::optional<double> end_effector_setting;

  std::map<std::string, CrclSensorUse> sensors;  ///< those enabled
  bool tool_changer_is_gripper = false;
  std::string message;  ///< the last one shown

  /// As they are after InitCanon.
  explicit CrclSettings(const CrclDoorConfig& config);

  SpeedLimits limits(const SpeedLimits& fastest) const;
};

/// A rate as a client gives it, `unit` being what one of its units is in SI. Fractions must be from
/// a millionth to 1, others a millionth in SI at least.
Result<CrclRate> to_rate(const protocols::crcl::Rate& rate, double unit);

/// One goal: the settings in force, with what the waypoint says of its own segment.
Result<MotionGoal> to_goal(const protocols::crcl::Waypoint& waypoint, const GoalTolerance& usual,
                           const CrclSettings& settings, const CrclDialect& dialect,
                           const SpeedLimits& fastest);

/// Every tolerance that is given must be above 0.
Result<GoalTolerance> to_tolerance(const protocols::crcl::PoseTolerance& tolerance,
                                   const CrclDialect& dialect);

}  // namespace longarm::robots
