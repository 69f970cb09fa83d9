// SPDX-License-Identifier: Apache-2.0
// Motions of a UR arm to a goal: movej, movel and movec, timed by ramps of speed, one blended into
// the next.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

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
  /// Only a ramp, from speed to rest.
  static UrTrapezoid coasting(double distance, double time_s);

  /// How it begins while what was before comes to rest, and how it ends while the next begins.
  struct Ends {
    double head_s = 0.0;         ///< it gets going in this time, with one acceleration
    double head_distance = 0.0;  ///< and covers this much at most
    double tail_distance = 0.0;  ///< it comes to rest on this much, with one deceleration
  };
  /// The same speed and acceleration with other ends. The speed at the tail is √(a·d) at most: then
  /// a corner of any angle takes no more than `a`, and half of it if nothing follows.
  UrTrapezoid with(const Ends& ends) const;
  /// Whatever ends it gets.
  void never_exceed(double speed) { speed_ = std::min(speed_, speed); }

  double duration_s() const { return duration_s_; }
  /// When the tail begins; without one, the end.
  double tail_at_s() const { return duration_s_ - tail_s_; }
  double peak_speed() const { return peak_; }
  double acceleration() const { return acceleration_; }

  struct Point {
    double distance = 0.0;
    double speed = 0.0;
    double acceleration = 0.0;
  };
  Point at(double time_s) const;

 private:
  double distance_ = 0.0;
  double speed_ = 0.0;  ///< as asked for
  double acceleration_ = 0.0;
  double peak_ = 0.0;
  double head_s_ = 0.0;
  double head_speed_ = 0.0;  ///< at its end
  double up_s_ = 0.0;
  double cruise_s_ = 0.0;
  double down_s_ = 0.0;
  double tail_s_ = 0.0;
  double tail_speed_ = 0.0;  ///< at its begin
  double tail_distance_ = 0.0;
  double duration_s_ = 0.0;
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

/// Of the tool, at an instant.
struct UrToolTarget {
  model::Pose X_BT = model::Pose::Identity();
  Vector6 velocity{};
};

/// A path with its timing, from rest to rest.
class UrPath {
 public:
  /// A straight line of joints. The joint with the longest way gives the time.
  static Result<UrPath> joints(const Joints& from, const Joints& to, const UrPace& pace,
                               const UrLimits& limits);
  /// A straight line of the tool; it turns about one axis meanwhile. Slower where joints could not
  /// follow. Where the arm cannot follow at all (out of reach, joint limits, singular) the path
  /// breaks off: see blocked().
  static Result<UrPath> tool(const Joints& from, const model::Pose& to, const UrPace& pace,
                             const UrLimits& limits, const UrKinematics& kinematics);
  /// A circle from where the tool is through `via`, up to `to`. The tool turns about one axis to
  /// the attitude at `to`, or with the circle.
  struct Arc {
    model::Pose via = model::Pose::Identity();
    model::Pose to = model::Pose::Identity();
    bool turns_with_circle = false;
  };
  static Result<UrPath> arc(const Joints& from, const Arc& arc, const UrPace& pace,
                            const UrLimits& limits, const UrKinematics& kinematics);
  /// The tool goes straight on from `velocity` to rest; each of its parts slows down in `time_s`.
  static Result<UrPath> coasting(const Joints& from, const Vector6& velocity, double time_s,
                                 const UrLimits& limits, const UrKinematics& kinematics);

  double duration_s() const { return profile_.duration_s(); }
  /// When the next path may begin.
  double tail_at_s() const { return profile_.tail_at_s(); }
  const Joints& start() const { return start_; }
  const Joints& goal() const { return goal_; }
  bool is_line() const { return curve_.has_value(); }
  const model::Pose& X_start() const { return curve_->X_start; }
  /// Where the arm cannot go on, and why; empty: nowhere.
  const std::string& blocked() const { return blocked_; }

  /// The share of the way at its begin (end) that is within `radius_m` of where the tool starts
  /// (ends); one if all of it is.
  double share_near_start(double radius_m, const UrKinematics& kinematics) const;
  double share_near_end(double radius_m, const UrKinematics& kinematics) const;
  /// Shares as distances; see UrTrapezoid.
  void set_ends(const UrTrapezoid::Ends& ends) { profile_ = profile_.with(ends); }

  /// At `time_s` on the path, while its time runs `rate` as fast as usual.
  UrTarget joints_at(double time_s, double rate) const;    ///< of lines of joints
  UrToolTarget tool_at(double time_s, double rate) const;  ///< of the others
  bool is_blocked_at(double time_s) const;

 private:
  struct Curve {
    model::Pose X_start = model::Pose::Identity();
    model::Vector3 way_m = model::Vector3::Zero();     ///< of a straight line
    model::Vector3 turn_rad = model::Vector3::Zero();  ///< in the axes of the base
    model::Vector3 centre_m = model::Vector3::Zero();  ///< of a circle
    model::Vector3 axis = model::Vector3::Zero();      ///< none: straight
    double angle_rad = 0.0;
    double length_m = 0.0;
  };

  static Result<UrPath> along(const Joints& from, const Curve& curve, const UrPace& pace,
                              const UrLimits& limits, const UrKinematics& kinematics);
  model::Pose pose(double share) const;
  Vector6 velocity(double share, double share_rate) const;
  /// Walks along the curve; the largest joint rate per share of the way, and the end.
  double survey(const UrLimits& limits, const UrKinematics& kinematics);
  model::Vector3 position_at(double share, const UrKinematics& kinematics) const;
  template <typename ShareOf>
  double share_near(const model::Vector3& point, double radius_m, const UrKinematics& kinematics,
                    const ShareOf& share_of) const;

  Joints start_{};
  Joints goal_{};
  std::optional<Curve> curve_;
  UrTrapezoid profile_;  ///< of the share of the way: 0 … 1
  std::string blocked_;
  double blocked_share_ = 2.0;
};

}  // namespace longarm::robots
