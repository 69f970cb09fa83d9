// SPDX-License-Identifier: Apache-2.0
// What CRCL commands and statuses are made of: points, poses, speeds, tolerances, guards. Numbers
// are as on the wire, in the units the client has chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/protocols/crcl/units.h"

namespace longarm::protocols::crcl {

struct Point {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  bool operator==(const Point&) const = default;
};

struct Vector {
  double i = 0.0;
  double j = 0.0;
  double k = 0.0;
  bool operator==(const Vector&) const = default;
};

/// The axes are columns of a rotation; neither need be of unit length, nor quite square to each
/// other: whoever uses them makes them so or refuses.
struct Pose {
  Point point;
  Vector x_axis{1.0, 0.0, 0.0};
  Vector z_axis{0.0, 0.0, 1.0};
  bool operator==(const Pose&) const = default;
};

/// A speed or an acceleration: in the client's units per second (squared), or a fraction of the
/// most the robot can do.
struct Rate {
  bool is_relative = false;
  double value = 0.0;
  bool operator==(const Rate&) const = default;
};

struct PoseTolerance {
  std::optional<double> x_point;
  std::optional<double> y_point;
  std::optional<double> z_point;
  std::optional<double> x_axis;  ///< an angle
  std::optional<double> z_axis;  ///< an angle
  bool operator==(const PoseTolerance&) const = default;
};

/// What holds for one segment of a path in place of the settings in force (PoseAndSetType).
struct SegmentSettings {
  bool is_coordinated = false;
  std::optional<Rate> translation_speed;
  std::optional<Rate> rotation_speed;
  std::optional<Rate> translation_acceleration;
  std::optional<Rate> rotation_acceleration;
  std::optional<PoseTolerance> tolerance;
  bool operator==(const SegmentSettings&) const = default;
};

/// Where to go: a PoseType, or a PoseAndSetType if it has settings.
struct Waypoint {
  Pose pose;
  std::optional<SegmentSettings> settings;
  bool operator==(const Waypoint&) const = default;
};

/// Joints are counted from 1.
struct JointTolerance {
  std::int32_t joint = 0;
  double tolerance = 0.0;
  bool operator==(const JointTolerance&) const = default;
};

struct Twist {
  Vector linear;
  Vector angular;
  bool operator==(const Twist&) const = default;
};

struct Wrench {
  Vector force;
  Vector moment;
  bool operator==(const Wrench&) const = default;
};

struct Parameter {
  std::string name;
  std::string value;
  bool operator==(const Parameter&) const = default;
};

/// The last two compare with the value at the start of the command.
enum class GuardLimit { kOverMax, kUnderMin, kIncreaseOverLimit, kDecreaseBeyondLimit };
template <>
inline constexpr std::array<std::string_view, 4> kNames<GuardLimit>{
    "OVER_MAX", "UNDER_MIN", "INCREASE_OVER_LIMIT", "DECREASE_BEYOND_LIMIT"};

/// Ends the command it comes with when a sensor passes a limit.
struct Guard {
  std::string sensor;
  std::optional<std::string> field;
  GuardLimit limit = GuardLimit::kOverMax;
  double value = 0.0;
  std::optional<std::int64_t> recheck_microseconds;
  std::optional<std::int64_t> check_count;
  std::optional<std::int64_t> last_check_ms;
  std::optional<double> last_check_value;
  std::optional<bool> requires_trigger;     ///< schema of 2021: read, never written
  std::optional<bool> is_error_on_trigger;  ///< schema of 2021: read, never written
  bool operator==(const Guard&) const = default;
};

}  // namespace longarm::protocols::crcl
