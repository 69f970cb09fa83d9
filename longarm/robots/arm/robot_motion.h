// SPDX-License-Identifier: Apache-2.0
// Runs planned motions: follows the path in its own time, slows that time down to stop, and says
// when the goal is reached.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/arm/robot_config.h"
#include "longarm/robots/arm/robot_hardware.h"
#include "longarm/robots/arm/robot_plan.h"

namespace longarm::robots {

/// The joints follow a reference: velocity motors get its speed and, by the servo's gain, what they
/// are off. To stop is to let the reference's own time run slower, so that the path is never left.
class RobotMotion {
 public:
  /// Borrows both. `period` is that of before_step().
  RobotMotion(RobotHardware& hardware, RobotArm& arm, const RobotConfig& config, Duration period);

  const RobotPlanner& planner() const { return planner_; }
  void add_seed(std::vector<double> q) { planner_.add_seed(std::move(q)); }

  /// Where the reference would come to rest if a new motion replaced the one under way now: there
  /// that motion has to start from.
  std::vector<double> next_start() const;
  /// Starts from next_start(), once the reference rests there. How long all of it takes.
  Duration begin(PlannedMotion motion, std::span<const JointPush> pushes);

  void stop(StopKind kind);
  MotionReport report() const;
  bool is_standing() const;

  /// Stops on the path and goes on along it later.
  void pause();
  void resume();
  bool is_paused() const { return is_paused_; }
  /// Of the controlled point since the last pause() or break.
  double stop_distance_m() const { return stop_distance_m_; }
  /// Brakes on for good.
  void lock();
  /// What was too much for the wrist, in words; then its brakes are on. Empty: nothing.
  const std::string& overload() const { return overload_; }
  /// Lets it go on. What still presses may press on while it goes away.
  void clear_overload();

  /// Right before and right after each step of the engine; elsewhere once per control period, the
  /// latter first.
  void before_step();
  void after_step();

 private:
  struct Push {
    JointPush push;
    double effort = 0.0;  ///< at present
  };
  /// How fast the reference's time runs, and whither that changes.
  struct Pace {
    double rate = 1.0;
    double goal = 1.0;
    double slope = 0.0;  ///< of the rate, per second
  };

  void advance();
  Duration step_of_time(Pace& pace) const;
  double hardest_slope(bool is_ordinary) const;
  Duration resting_time() const;
  void start(PlannedMotion motion);
  void brake();
  void synchronise();
  void follow();
  void exert(std::size_t joint);
  void finish_stop();
  void watch_goal();
  void watch_load();
  std::string shortfall() const;
  void fail(std::string why);
  bool is_pushing(std::size_t joint) const;

  RobotHardware& hardware_;
  RobotArm& arm_;
  RobotConfig config_;
  Duration period_;
  RobotPlanner planner_;

  PlannedMotion motion_;
  motion::Trajectory::Cursor cursor_;
  Duration along_{0};  ///< time of the reference
  Pace pace_;
  std::optional<PlannedMotion> next_;
  std::vector<Push> pushes_;
  std::vector<double> reference_;
  std::vector<double> ahead_;  ///< the reference after the coming step

  MotionReport report_;
  bool is_stopping_ = false;  ///< told to; not a pause
  bool is_braked_ = false;
  bool is_locked_ = false;
  bool is_paused_ = false;
  std::optional<Duration> drives_off_in_;
  Duration within_for_{0};
  Duration overdue_for_{0};
  std::string overload_;
  double overload_N_ = 0.0;  ///< when it became one
  Duration overloaded_for_{0};
  Duration eased_for_{0};
  double allowed_N_ = 0.0;
  bool measures_stop_ = false;
  double stop_distance_m_ = 0.0;
  Vector3 last_p_ = Vector3::Zero();
};

}  // namespace longarm::robots
