// SPDX-License-Identifier: Apache-2.0
// Speeds and tolerances: as set, as in force, as merged into one segment.
#include "longarm/robots/crcl/settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

double CrclRate::of(double fastest) const {
  return is_relative ? value * fastest : std::min(value, fastest);
}

CrclSettings::CrclSettings(const CrclDoorConfig& config)
    : speed{true, config.usual_speed},
      acceleration{true, config.usual_acceleration},
      turn_speed{true, config.usual_speed},
      turn_acceleration{true, config.usual_acceleration},
      tool_changer_is_gripper(config.tool_changer == "gripper") {}

SpeedLimits CrclSettings::limits(const SpeedLimits& fastest) const {
  return {.speed_m_s = speed.of(fastest.speed_m_s),
          .acceleration_m_s2 = acceleration.of(fastest.acceleration_m_s2),
          .turn_speed_rad_s = turn_speed.of(fastest.turn_speed_rad_s),
          .turn_acceleration_rad_s2 = turn_acceleration.of(fastest.turn_acceleration_rad_s2)};
}

Result<CrclRate> to_rate(const crcl::Rate& rate, double unit) {
  // a rate of nothing would be a motion that never ends
  constexpr double kLeast = 1e-6;
  if (rate.is_relative) {
    if (!(rate.value >= kLeast && rate.value <= 1.0)) {
      return Error{fmt::format("a fraction must be from {:g} to 1", kLeast)};
    }
    return CrclRate{true, rate.value};
  }
  const double value = rate.value * unit;
  if (!(value >= kLeast) || !std::isfinite(value)) {
    return Error{fmt::format(
        "a speed or acceleration must be a number, at least {:g} in your units", kLeast / unit)};
  }
  return CrclRate{false, value};
}

Result<GoalTolerance> to_tolerance(const crcl::PoseTolerance& tolerance,
                                   const CrclDialect& dialect) {
  const GoalTolerance result = dialect.to_robot(tolerance);
  for (const std::optional<double>& value :
       {result.x_m, result.y_m, result.z_m, result.x_axis_rad, result.z_axis_rad}) {
    if (value && (!(*value > 0.0) || !std::isfinite(*value))) {
      return Error{"a tolerance must be above 0"};
    }
  }
  return result;
}

namespace {

/// The rates of one segment that are its own, into `settings`.
std::optional<Error> override_rates(const crcl::SegmentSettings& segment,
                                    const CrclDialect& dialect, CrclSettings& settings) {
  struct Override {
    const std::optional<crcl::Rate>& given;
    double unit;
    CrclRate& rate;
  };
  const std::array overrides{
      Override{segment.translation_speed, dialect.metres(), settings.speed},
      Override{segment.rotation_speed, dialect.radians(), settings.turn_speed},
      Override{segment.translation_acceleration, dialect.metres(), settings.acceleration},
      Override{segment.rotation_acceleration, dialect.radians(), settings.turn_acceleration}};
  for (const Override& override : overrides) {
    if (!override.given) {
      continue;
    }
    const Result<CrclRate> rate = to_rate(*override.given, override.unit);
    if (!rate) {
      return rate.error();
    }
    override.rate = *rate;
  }
  return std::nullopt;
}

}  // namespace

Result<MotionGoal> to_goal(const crcl::Waypoint& waypoint, const GoalTolerance& usual,
                           const CrclSettings& settings, const CrclDialect& dialect,
                           const SpeedLimits& fastest) {
  const Result<Pose> pose = dialect.to_robot(waypoint.pose);
  if (!pose) {
    return pose.error();
  }
  MotionGoal goal{.X_BT = *pose,
                  .limits = settings.limits(fastest),
                  .tolerance = usual,
                  .is_coordinated = settings.is_coordinated};
  if (!waypoint.settings) {
    return goal;
  }
  CrclSettings of_segment = settings;
  if (const auto error = override_rates(*waypoint.settings, dialect, of_segment)) {
    return *error;
  }
  goal.limits = of_segment.limits(fastest);
  goal.is_coordinated = waypoint.settings->is_coordinated;
  if (waypoint.settings->tolerance) {
    const Result<GoalTolerance> tolerance = to_tolerance(*waypoint.settings->tolerance, dialect);
    if (!tolerance) {
      return tolerance.error();
    }
    goal.tolerance = *tolerance;
  }
  return goal;
}

}  // namespace longarm::robots
