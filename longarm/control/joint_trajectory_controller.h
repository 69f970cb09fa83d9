// SPDX-License-Identifier: Apache-2.0
// Follows a joint trajectory with the conventions of ROS's joint trajectory controllers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/control/config.h"
#include "longarm/control/controller.h"
#include "longarm/control/joint_interfaces.h"
#include "longarm/motion/trajectory.h"

namespace longarm::control {

struct TrajectoryControllerConfig {
  CommandKind kind = CommandKind::kVelocity;
  std::vector<PidGains> gains;  ///< of the controller, per joint; unused for kPosition
  double feed_forward = 0.0;    ///< likewise, of the desired velocity
  ToleranceConfig tolerances;
};

enum class TrajectoryStatus { kHolding, kExecuting, kSucceeded, kAborted };
/// Which tolerance was violated.
enum class AbortCause { kNone, kPath, kGoal };

/// Position interface: passes the desired position (and velocity) on. Velocity and effort
/// interfaces: what its Controller makes of desired and seen states, by default
/// feed_forward·v_desired + PID(position error, velocity error). Without a trajectory, and after an
/// abort, it holds the position it was told or saw, or moves at the velocities of drive(). Commands
/// respect the joints' limits.
class JointTrajectoryController {
 public:
  /// Without a controller: `pid` with the gains of the configuration.
  JointTrajectoryController(JointInterfaces& interfaces, Claim claim,
                            const TrajectoryControllerConfig& config,
                            std::unique_ptr<Controller> controller = nullptr);

  /// Drops any trajectory and holds `positions` from now on.
  void hold(std::span<const double> positions);
  /// Starts following; time zero of the trajectory is `start`, by the clock of update().
  void follow(const motion::Trajectory& trajectory, Time start);
  /// Likewise, with tolerances of its own instead of the configuration's.
  void follow(const motion::Trajectory& trajectory, Time start, const ToleranceConfig& tolerances);
  /// Drops any trajectory and moves at these velocities: a velocity interface gets them as they
  /// are, others what follows the positions that they lead to.
  void drive(std::span<const double> velocities);
  /// Of its Controller, from now on; false: that has none.
  bool set_gains(std::span<const PidGains> gains, double feed_forward) {
    return controller_->set_gains(gains, feed_forward);
  }
  void update(Time now, Duration period);

  TrajectoryStatus status() const { return status_; }
  /// Why kAborted.
  const std::string& abort_reason() const { return abort_reason_; }
  AbortCause abort_cause() const { return abort_cause_; }
  /// When the trajectory began, by the clock of update().
  Time start() const { return start_; }
  /// Of the last update.
  const std::vector<double>& desired_positions() const { return desired_positions_; }
  const std::vector<double>& desired_velocities() const { return desired_velocities_; }
  const std::vector<double>& position_errors() const { return position_errors_; }

 private:
  void sample_desired(Time now, Duration period);
  void check_tolerances(Time now);
  void abort(AbortCause cause, std::string reason);
  void write_commands(Time now, Duration period);

  JointInterfaces& interfaces_;
  Claim claim_;
  TrajectoryControllerConfig config_;
  ToleranceConfig tolerances_;  ///< of the present trajectory
  std::vector<double> path_tolerances_;
  std::vector<double> goal_tolerances_;
  std::unique_ptr<Controller> controller_;
  motion::Trajectory trajectory_;
  motion::Trajectory::Cursor cursor_;
  Time start_{};
  TrajectoryStatus status_ = TrajectoryStatus::kHolding;
  bool is_driven_ = false;  ///< by drive()
  AbortCause abort_cause_ = AbortCause::kNone;
  std::string abort_reason_;
  std::vector<double> desired_positions_;
  std::vector<double> desired_velocities_;
  std::vector<double> position_errors_;
  std::vector<double> positions_;  // as seen, in the order of the claim; likewise
  std::vector<double> velocities_;
  std::vector<double> commands_;
};

}  // namespace longarm::control
