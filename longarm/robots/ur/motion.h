// SPDX-License-Identifier: Apache-2.0
// What a UR controller wants its joints to do, cycle by cycle; knows no engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/robots/ur/compliance.h"
#include "longarm/robots/ur/kinematics.h"
#include "longarm/robots/ur/path.h"

namespace longarm::robots {

/// A command of motion, so that its caller can ask whether it still goes on.
enum class UrMoveId : std::uint64_t {};

/// Every command takes over from the one before at the present target velocity, which never jumps:
/// moves that start from rest wait until the arm has come to it. Time passes in advance() only.
///
/// A move with a radius keeps its caller waiting until the tool is that near to the goal. A move
/// that is begun then is blended into: while the first comes to rest at its goal the second gets
/// going from there, and the arm is at the sum of both. If nothing follows it rests at the goal.
///
/// While it gives way (force_mode, freedrive_mode) commands move a target of their own, the
/// program's, and the arm follows it along the axes that are not compliant.
///
/// servoj: q'' = gain·(goal − q − lookahead·q'), solved exactly over the cycle: the position that
/// the present speed leads to in the lookahead time is pulled to the goal. A goal that moves
/// steadily is followed with a delay of the lookahead time; without overshoot from lookahead·√gain
/// ≥ 2 on.
class UrMotion {
 public:
  /// The kinematics are borrowed: their tool may change between cycles.
  UrMotion(const UrKinematics& kinematics, const UrLimits& limits, double cycle_s,
           const Joints& start);

  /// Ramps all joints with one factor, none steeper than `acceleration`. With `time_s` it gives up
  /// control after it and slows down; without, it goes on. Errors are words for the program.
  Result<UrMoveId> speed_joints(const Joints& qd, double acceleration,
                                std::optional<double> time_s);
  Result<UrMoveId> speed_tool(const Vector6& velocity, double acceleration,
                              std::optional<double> time_s,
                              std::optional<double> turn_acceleration);
  /// Lasts a cycle at least.
  Result<UrMoveId> servo(const Joints& q, double time_s, double lookahead_s, double gain);
  Result<UrMoveId> move_joints(const Joints& q, const UrPace& pace, double radius_m = 0.0);
  Result<UrMoveId> move_tool(const model::Pose& X_BT, const UrPace& pace, double radius_m = 0.0);
  Result<UrMoveId> move_arc(const UrPath::Arc& arc, const UrPace& pace, double radius_m = 0.0);
  /// As move_tool(), but it takes over from whatever moves without a stop.
  Result<UrMoveId> servo_tool(const model::Pose& X_BT, const UrPace& pace, double radius_m);
  Result<UrMoveId> stop_joints(double deceleration);
  Result<UrMoveId> stop_tool(double deceleration, std::optional<double> turn_deceleration);
  /// Whether the command still keeps its caller waiting.
  bool is_busy(UrMoveId id) const;
  bool is_newest(UrMoveId id) const { return id == UrMoveId{moves_}; }

  /// Nobody commands it any more: slows down, unless another command comes before advance().
  void release();
  /// As hard as it can; moves are forgotten.
  void brake();
  /// At rest or on the move somewhere else than it wanted, then brakes.
  void brake_from(const Joints& q, const Joints& qd);
  /// Rests there at once, as with brakes on.
  void rest_at(const Joints& q);

  /// Gives way as the task says; called again, in another way.
  void give_way(const UrForceTask& task, double damping, double gain);
  /// Along all axes, wherever it is pushed.
  void give_way_freely(double damping);
  void end_giving_way();
  bool gives_way() const { return compliance_.has_value(); }
  /// What pushes the tool, in the axes of the base, and where the joints are; told while it gives
  /// way.
  void feel(const Vector6& wrench, std::optional<Joints> actual = std::nullopt) {
    felt_ = wrench;
    actual_ = actual;
  }
  /// Which axis that is not compliant is further from the program than the task allows.
  std::optional<std::string> find_deviation(const Joints& actual) const;

  /// How fast time runs along paths; it changes by 2 per second. Zero: paused, also for speeds.
  void set_rate(double rate);
  double rate() const { return rate_; }
  void set_paused(bool is_paused) { is_paused_ = is_paused; }

  /// One cycle: previous() becomes what target() was.
  void advance();
  const UrTarget& target() const { return target_; }
  const UrTarget& previous() const { return previous_; }
  /// Between the two, by cubics that meet position and velocity at both ends; share in [0, 1].
  Joints between(double share) const;
  bool is_at_rest() const;
  /// As good as at rest: servoj comes ever nearer to its goal.
  bool is_still() const;
  bool is_at_wanted_rate() const;
  /// Where a motion is under way or wanted.
  bool is_moving() const { return mode_ != Mode::kRest || !is_at_rest() || gives_way(); }

  /// Why advance() had to brake; asked once.
  std::optional<std::string> take_fault();
  /// What the last command was told in words, though it was not refused; asked once.
  std::optional<std::string> take_remark();
  /// Whether a speed ended by its time in the last advance(), while it asked for motion.
  bool take_timeout();

 private:
  enum class Mode : std::uint8_t { kRest, kSpeed, kToolSpeed, kServo, kPath, kStop, kToolStop };
  struct Move {
    enum class Kind : std::uint8_t { kJoints, kLine, kArc };
    Kind kind = Kind::kJoints;
    Joints q{};
    UrPath::Arc arc;  ///< of a line its end
    UrPace pace;
    double radius_m = 0.0;
  };
  /// A path under way, and where the arm would be if it were the only one.
  struct Leg {
    UrPath path;
    double begins_s = 0.0;  ///< on the time of the first
    double radius_m = 0.0;  ///< of its end, within which the next may begin
    Joints near{};

    double ends_s() const { return begins_s + path.duration_s(); }
    double tail_at_s() const { return begins_s + path.tail_at_s(); }
  };

  /// Where the program wants the arm.
  const UrTarget& program() const { return compliance_ ? program_ : target_; }
  UrMoveId begin(Mode mode);
  Result<UrMoveId> begin_move(const Move& move);
  Result<UrMoveId> blend_into(const Move& move);
  Result<UrPath> make_path(const Move& move, const Joints& from) const;
  /// Along a path, from rest.
  void set_off(const Move& move, UrPath path);
  bool is_in_tail() const;
  std::uint64_t cycles_of(double time_s) const;
  void begin_pending();
  void advance_rate();
  UrTarget next();
  UrTarget ramp(const Joints& goal, double acceleration) const;
  UrTarget next_stop();
  UrTarget next_speed();
  UrTarget next_tool_speed(const Vector6& goal);
  UrTarget next_servo();
  UrTarget next_path();
  std::optional<UrTarget> on_legs();
  std::optional<UrTarget> on_tool_legs() const;
  std::optional<UrTarget> on_joint_legs();
  UrTarget next_giving_way(const UrTarget& program_before);
  /// What joint limits and speeds say against what is about to become the target.
  std::optional<std::string> find_fault(const UrTarget& next) const;
  /// Gives up whatever is under way; the first step of braking.
  UrTarget fail(std::string why);

  const UrKinematics& kinematics_;
  UrLimits limits_;
  double cycle_s_;
  UrTarget target_;
  UrTarget previous_;
  std::uint64_t moves_ = 0;
  Mode mode_ = Mode::kRest;

  Joints goal_{};  ///< of speeds and servos
  Vector6 tool_goal_{};
  Vector6 tool_velocity_{};                     ///< at present
  model::Pose X_BT_ = model::Pose::Identity();  ///< at present, of a line that speedl draws
  double acceleration_ = 0.0;
  double turn_acceleration_ = 0.0;
  double lookahead_s_ = 0.0;
  double gain_ = 0.0;
  std::optional<std::uint64_t> cycles_left_;  ///< that a command keeps its caller waiting
  bool ends_by_time_ = false;
  std::optional<Move> pending_;
  std::vector<Leg> legs_;  ///< the last is where it goes; those before come to rest
  double along_s_ = 0.0;
  std::optional<UrCompliance> compliance_;
  bool is_free_ = false;  ///< gives way everywhere: then there is nothing to fail
  UrTarget program_;      ///< while it gives way
  Vector6 felt_{};
  std::optional<Joints> actual_;
  double wanted_rate_ = 1.0;
  double rate_ = 1.0;
  double rate_before_ = 1.0;
  bool is_paused_ = false;
  std::optional<std::string> fault_;
  std::optional<std::string> remark_;
  bool timed_out_ = false;
};

/// One cycle of the servo's law for one joint; position and velocity after it.
struct UrServoStep {
  double q = 0.0;
  double qd = 0.0;
};
UrServoStep servo_step(double q, double qd, double goal, double lookahead_s, double gain,
                       double time_s);

}  // namespace longarm::robots
