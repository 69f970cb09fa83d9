// SPDX-License-Identifier: Apache-2.0
// One arm and its controller on two hosts: who computes what where, and what crosses the link.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "longarm/control/actuators.h"
#include "longarm/control/joint_interfaces.h"
#include "longarm/control/joint_state_broadcaster.h"
#include "longarm/control/joint_trajectory_controller.h"
#include "longarm/core/hash.h"
#include "longarm/core/log.h"
#include "longarm/model/cell.h"
#include "longarm/motion/trajectory.h"
#include "longarm/network/channel.h"
#include "longarm/physics/engine.h"
#include "longarm/sim/kernel.h"
#include "longarm/sim/probe.h"
#include "longarm/sim/task.h"

namespace longarm::control {

/// Told each call of a tick, in order; for people who want to see it and for the test of that
/// order.
using CallTrace = std::function<void(Time now, std::string_view call)>;

/// The two directions of the link between controller and robot.
struct LoopLinks {
  std::unique_ptr<network::Link> states;
  std::unique_ptr<network::Link> commands;
};

/// Runs on the kernel from time zero: samples states, ticks the controller, applies commands.
/// Physics steps and recording are scheduled by others. Cuts other than `trajectory` send
/// JointStates one way and JointCommands the other; `trajectory` sends one goal and gets states
/// back to watch its progress.
class ArmLoop {
 public:
  /// The arm is `placement` of `cell`; `plan` is what it is to follow from time zero.
  ArmLoop(sim::Kernel& kernel, physics::Engine& engine, const model::Cell& cell, int placement,
          const LoopConfig& config, LoopLinks links, motion::Trajectory plan, const Log& log,
          CallTrace trace = {});
  ArmLoop(const ArmLoop&) = delete;
  ArmLoop& operator=(const ArmLoop&) = delete;

  /// Joint states, plan, commands, errors and limits, per joint.
  void offer_probes(sim::Probes& probes);
  /// World state, what the controller used and what the actuators applied, as of now.
  void add_to(Hash& hash) const;

  /// Whether what the loop at the robot follows has come to its end there: later than the plan
  /// where the link is outside the loop.
  bool is_reference_at_rest() const;

  std::span<const double> positions() const;
  std::span<const double> velocities() const;
  const JointTrajectoryController& controller() const { return *controller_; }
  const Actuators& actuators() const { return *actuators_; }
  network::ChannelStatistics states_statistics() const;
  network::ChannelStatistics commands_statistics() const;

 private:
  void make_controller();
  void make_actuators();
  void make_channels(LoopLinks links);
  void schedule();
  void sample(Time now);
  void tick(Time now);
  void apply(Time now);
  void report_abort(Time now);
  void emergency_stop(Time now, bool is_stopped);
  const std::vector<double>& loop_errors() const;
  const std::vector<double>& loop_velocity_commands() const;
  void trace(std::string_view call) const;

  sim::Kernel& kernel_;
  physics::Engine& engine_;
  model::BodyTree tree_;
  model::Vector3 gravity_R_m_s2_;
  int first_joint_;
  LoopConfig config_;
  motion::Trajectory plan_;
  const Log& log_;
  CallTrace trace_;

  // controller side
  std::unique_ptr<JointInterfaces> interfaces_;
  std::unique_ptr<JointTrajectoryController> controller_;
  std::unique_ptr<Servo> remote_servo_;  // only for cut: effort
  std::vector<double> remote_efforts_;

  bool has_reported_abort_ = false;

  // robot side
  JointStateBroadcaster broadcaster_;
  std::unique_ptr<Actuators> actuators_;

  // in between
  JointCommand command_;  // used again for every message
  std::unique_ptr<network::Channel<JointStates>> states_channel_;
  std::unique_ptr<network::Channel<JointCommand>> commands_channel_;
  std::unique_ptr<network::Channel<TrajectoryGoal>> goal_channel_;   // only for cut: trajectory
  std::unique_ptr<network::Channel<JointStates>> progress_channel_;  // likewise
  sim::Mailbox<JointStates> progress_;
  sim::Tasks tasks_;
};

}  // namespace longarm::control
