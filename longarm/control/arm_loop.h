// SPDX-License-Identifier: Apache-2.0
// One arm and its controller on two hosts: who computes what where, and what crosses the link.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "longarm/control/actuators.h"
#include "longarm/control/controller.h"
#include "longarm/control/joint_interfaces.h"
#include "longarm/control/joint_state_broadcaster.h"
#include "longarm/control/joint_trajectory_controller.h"
#include "longarm/control/loop_observer.h"
#include "longarm/control/loop_replay.h"
#include "longarm/control/tick_times.h"
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

/// The two directions of the link between controller and robot.
struct LoopLinks {
  std::unique_ptr<network::Link> states;
  std::unique_ptr<network::Link> commands;
};

/// What a loop may be given beside its configuration.
struct LoopOptions {
  LoopOptions() = default;
  LoopOptions(CallTrace call_trace) : trace(std::move(call_trace)) {}

  CallTrace trace;
  LoopObserver* observer = nullptr;  ///< must outlive the loop
  /// Null: `pid`. Shared, as are recordings, because one prepared scenario makes many loops.
  std::shared_ptr<const ControllerModel> controller;
  /// If set, the loop is a replay: no controller runs and no link is used, but what arrived at
  /// either end arrives there again, and the joints do the same, bit for bit. `cut`, servo, gains,
  /// silence rules and emergency stops must be those of the recorded run.
  std::shared_ptr<const LoopRecording> recording;
};

/// Whether the controller is on another host than the joints; its clock is then not the robot's.
bool is_controller_remote(Cut cut);

/// Runs on the kernel from time zero: samples states, ticks the controller, applies commands.
/// Physics steps and recording are scheduled by others. Cuts other than `trajectory` send
/// JointStates one way and JointCommands the other; `trajectory` sends one goal and gets states
/// back to watch its progress. That goal starts when it arrives, whatever its stamp says, so that
/// the planner's clock changes nothing but the stamp.
class ArmLoop {
 public:
  /// The arm is `placement` of `cell`; `plan` is what it is to follow from time zero.
  ArmLoop(sim::Kernel& kernel, physics::Engine& engine, const model::Cell& cell, int placement,
          const LoopConfig& config, LoopLinks links, motion::Trajectory plan, const Log& log,
          LoopOptions options = {});
  ArmLoop(const ArmLoop&) = delete;
  ArmLoop& operator=(const ArmLoop&) = delete;

  /// Gives the controller a trajectory, from `start` on, instead of the plan or the last one; or
  /// velocities, or a place to hold. Not with cut trajectory, nor in a replay.
  void follow(const motion::Trajectory& trajectory, Time start, const ToleranceConfig& tolerances);
  void drive(std::span<const double> velocities) { controller_->drive(velocities); }
  void hold(std::span<const double> positions) { controller_->hold(positions); }
  /// Of the position loop, wherever it is, from now on. False: its controller does without.
  bool set_gains(const GainsConfig& gains, double feed_forward);
  /// As the controller has received them.
  const JointStates& seen() const { return interfaces_->states(); }

  /// Joint states, plan, commands, errors and limits, per joint.
  void offer_probes(sim::Probes& probes);
  /// World state, what the controller used and what the actuators applied, as of now.
  void add_to(Hash& hash) const;
  /// World state and what the actuators applied: what a replay repeats.
  void add_world_to(Hash& hash) const;

  /// Whether what the loop at the robot follows has come to its end there: later than the plan
  /// where the link is outside the loop.
  bool is_reference_at_rest() const;

  std::span<const double> positions() const;
  std::span<const double> velocities() const;
  const JointTrajectoryController& controller() const { return *controller_; }
  const Actuators& actuators() const { return *actuators_; }
  /// What the link did until `end`, which is now; nothing in a replay.
  network::LinkReport states_report(Time end) const;
  network::LinkReport commands_report(Time end) const;

 private:
  void make_controller(const ControllerModel* model);
  void make_actuators();
  void make_channels(LoopLinks links);
  void make_planner(LoopLinks links);
  void make_feeds();
  std::function<void(const network::LinkEvent&)> link_observer(std::string_view direction) const;
  void schedule();
  void schedule_ticks();
  void schedule_next_tick();
  void sample(Time now);
  void tick(Time now);
  void receive_states(const JointStates& states, Time now);
  void receive_command(const JointCommand& command, Time now);
  void apply(Time now);
  void report_abort(Time now);
  void report_trip(Time now);
  void emergency_stop(Time now, bool is_stopped);
  /// Whether the controller tells positions: by the cut, or because joints beside it take them.
  bool tells_positions() const;
  bool has_joints_that_take(CommandKind kind) const;
  const std::vector<double>& loop_errors() const;
  const std::vector<double>& loop_velocity_commands() const;
  void trace(std::string_view call) const {
    if (trace_) {
      trace_(kernel_.now(), call);
    }
  }

  sim::Kernel& kernel_;
  physics::Engine& engine_;
  model::BodyTree tree_;
  model::Vector3 gravity_R_m_s2_;
  int first_joint_;
  LoopConfig config_;
  motion::Trajectory plan_;
  const Log& log_;
  CallTrace trace_;
  LoopObserver* observer_;
  std::shared_ptr<const LoopRecording> recording_;
  sim::SourceId source_{};

  // controller side
  HostClock clock_;
  TickTimes ticks_;
  std::uint64_t tick_number_ = 0;  // of the next one, where they are irregular
  std::unique_ptr<JointInterfaces> interfaces_;
  std::unique_ptr<JointTrajectoryController> controller_;
  std::unique_ptr<Servo> remote_servo_;  // only for cut: effort
  std::vector<double> remote_efforts_;

  bool has_reported_abort_ = false;
  bool has_reported_trip_ = false;

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
  std::unique_ptr<MessageFeed<JointStates>> states_feed_;  // only in a replay, in place of channels
  std::unique_ptr<MessageFeed<JointCommand>> commands_feed_;
  sim::Tasks tasks_;
};

}  // namespace longarm::control
