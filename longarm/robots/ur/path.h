// SPDX-License-Identifier: Apache-2.0
// Motions of a UR arm from rest to rest: movej and movel, timed by a trapezoid of speed.
#pragma once

#include <optional>
#include <variant>

#include "longarm/core/result.h"
#include "longarm/robots/ur/kinematics.h"

namespace longarm::robots {

/// From 0 to `distance`: ramp up, constant speed, ramp down; without the middle part if it is
/// short.
class UrTrapezoid {
 public:
  UrTrapezoid() = default;
  UrTrapezoid(double distance, double speed, double acceleration);
  /// A third of the time each for ramp, constant speed and ramp.
  static UrTrapezoid in_time(double distance, double time_s);

  double duration_s() const { return 2.0 * ramp_s_ + cruise_s_; }
  double peak_speed() const { return ramp_s_ * acceleration_; }
  double acceleration() const { return acceleration_; }

  struct Point {
    double distance = 0.0;
    double speed = 0.0;
    double acceleration = 0.0;
  };
  Point at(double time_s) const;

 private:
  double distance_ = 0.0;
  double acceleration_ = 0.0;
  double ramp_s_ = 0.0;
  double cruise_s_ = 0.0;
};

/// What a move asks for; `time_s` above zero takes the place of the other two.
struct UrPace {
  double speed = 0.0;
  double acceleration = 0.0;
  double time_s = 0.0;
};

struct UrLimits {
  Joints lower_rad{};
  Joints upper_rad{};
  double speed_rad_s = 0.0;         ///< of moves that are planned
  double safety_speed_rad_s = 0.0;  ///< beyond which the safety system stops the arm
  double acceleration_rad_s2 = 0.0;
  double stop_rad_s2 = 0.0;   ///< deceleration where none is asked for
  double brake_rad_s2 = 0.0;  ///< deceleration of a protective stop
  double smallest_singular_value = 0.0;
  bool stops_for_speed = true;  ///< speedj, speedl and servoj beyond the speed: fault, or clamped
};

/// Of all joints, at an instant.
struct UrTarget {
  Joints q{};
  Joints qd{};
  Joints qdd{};
};

/// A path with its timing.
class UrPath {
 public:
  /// A straight line of joints. The joint with the longest way gives the time.
  static Result<UrPath> joints(const Joints& from, const Joints& to, const UrPace& pace,
                               const UrLimits& limits);
  /// A straight line of the tool; it turns about one axis meanwhile. Slower where joints could not
  /// follow. What cannot be followed at all is an error: out of reach, joint limits, singular.
  static Result<UrPath> tool(const Joints& from, const model::Pose& to, const UrPace& pace,
                             const UrLimits& limits, const UrKinematics& kinematics);

  double duration_s() const { return profile_.duration_s(); }
  const Joints& goal() const { return goal_; }
  bool is_line() const { return line_.has_value(); }
  /// At `time_s` on the path, while its time runs `rate` as fast as usual. `near` is where the
  /// joints were a cycle ago. Nothing where the tool cannot go on.
  std::optional<UrTarget> at(double time_s, double rate, const Joints& near, const UrLimits& limits,
                             const UrKinematics& kinematics) const;

 private:
  struct Line {
    model::Pose X_start = model::Pose::Identity();
    model::Vector3 way_m = model::Vector3::Zero();
    model::Vector3 turn_rad = model::Vector3::Zero();  ///< in the axes of the base
  };

  model::Pose pose(double share) const;
  Vector6 velocity(double share_rate) const;
  /// Walks along the line; the largest joint rate per share of the way, and the end.
  Result<double> survey(const UrLimits& limits, const UrKinematics& kinematics);

  Joints start_{};
  Joints goal_{};
  std::optional<Line> line_;
  UrTrapezoid profile_;  ///< of the share of the way: 0 … 1
};

}  // namespace longarm::robots
