// SPDX-License-Identifier: Apache-2.0
// Runs the tick of an arm's loop: samples, controls, applies.
#include "longarm/control/arm_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/control/limits.h"

namespace longarm::control {

bool is_controller_remote(Cut cut) {
  return cut != Cut::kNone && cut != Cut::kTrajectory;
}

ArmLoop::ArmLoop(sim::Kernel& kernel, physics::Engine& engine, const model::Cell& cell,
                 int placement, const LoopConfig& config, LoopLinks links, motion::Trajectory plan,
                 const Log& log, LoopOptions options)
    : kernel_(kernel),
      engine_(engine),
      tree_(cell.placements.at(static_cast<std::size_t>(placement)).tree),
      gravity_R_m_s2_(
          cell.placements.at(static_cast<std::size_t>(placement)).X_WR.linear().transpose() *
          cell.gravity_m_s2),
      first_joint_(cell.first_joint(placement)),
      config_(config),
      plan_(std::move(plan)),
      log_(log),
      trace_(std::move(options.trace)),
      observer_(options.observer),
      recording_(std::move(options.recording)),
      clock_(is_controller_remote(config.cut)
                 ? HostClock(config.clock_offset, config.clock_drift_ppm)
                 : HostClock()),
      ticks_(clock_,
             {config.control_period, config.control_phase, config.control_jitter, config.seed}),
      broadcaster_(engine, physics::JointId(first_joint_), tree_.joints.size()),
      tasks_(kernel) {
  if (config_.servo.model.empty()) {
    config_.servo.model = default_servo_model(config_.cut);
  }
  make_controller(options.controller.get());
  make_actuators();
  if (recording_) {
    make_feeds();
  } else {
    make_channels(std::move(links));
  }
  schedule();
}

void ArmLoop::follow(const motion::Trajectory& trajectory, Time start,
                     const ToleranceConfig& tolerances) {
  has_reported_abort_ = false;
  plan_ = trajectory;
  controller_->follow(trajectory, clock_.to_local(start), tolerances);
}

void ArmLoop::schedule() {
  source_ = kernel_.add_source("arm loop");
  kernel_.every(config_.states_period, Time{}, sim::Phase::kSample, source_,
                [this](Time now) { sample(now); });
  schedule_ticks();
  kernel_.every(config_.physics_period, Time{}, sim::Phase::kApply, source_,
                [this](Time now) { apply(now); });
  if (config_.estop_at) {
    kernel_.at(Time(*config_.estop_at), sim::Phase::kControl, source_,
               [this](Time now) { emergency_stop(now, true); });
  }
  if (config_.estop_release) {
    kernel_.at(Time(*config_.estop_release), sim::Phase::kControl, source_,
               [this](Time now) { emergency_stop(now, false); });
  }
}

void ArmLoop::schedule_ticks() {
  // in a replay nobody controls
  if (recording_) {
    return;
  }
  if (ticks_.is_regular()) {
    kernel_.every(config_.control_period, ticks_.at(0), sim::Phase::kControl, source_,
                  [this](Time now) { tick(now); });
    return;
  }
  schedule_next_tick();
}

void ArmLoop::schedule_next_tick() {
  const Time when = std::max(ticks_.at(tick_number_++), kernel_.now());
  kernel_.at(when, sim::Phase::kControl, source_, [this](Time now) {
    tick(now);
    schedule_next_tick();
  });
}

void ArmLoop::sample(Time now) {
  trace("update fires");
  trace("read called");
  const JointStates& states = broadcaster_.sample(now);
  trace("states read from engine");
  trace("states given to link");
  if (observer_ != nullptr) {
    observer_->states_sent(states, now);
  }
  broadcaster_.send();
}

void ArmLoop::tick(Time now) {
  trace("controllers updated");
  trace("trajectory controller computes");
  const Time local_now = clock_.to_local(now);
  controller_->update(local_now, config_.control_period);
  report_abort(now);
  trace("commands written to interfaces");

  // a servo on this host works with what this host knows
  trace("write called");
  if (remote_servo_) {
    const JointStates& states = interfaces_->states();
    remote_servo_->update(interfaces_->commands(), states.positions, states.velocities,
                          config_.control_period, remote_efforts_);
    for (std::size_t i = 0; i < remote_efforts_.size(); ++i) {
      command_.values[i] = limit_effort(tree_.joints[i].limits, remote_efforts_[i]);
    }
  } else {
    command_.values = interfaces_->commands();
  }
  command_.stamp = local_now;
  if (command_.kind == CommandKind::kPosition) {
    command_.velocities = interfaces_->command_velocities();
  }
  trace("commands read from interfaces");
  trace("commands given to link");
  if (observer_ != nullptr) {
    observer_->command_sent(command_, now);
  }
  commands_channel_->send(command_, wire_size_bytes(command_));
}

void ArmLoop::receive_states(const JointStates& states, Time now) {
  trace("states returned by link");
  if (observer_ != nullptr) {
    observer_->states_received(states, now);
  }
  // states that were overtaken are of no use any more
  if (states.stamp >= interfaces_->states().stamp) {
    interfaces_->receive(states);
  }
  trace("states written to interfaces");
}

void ArmLoop::receive_command(const JointCommand& command, Time now) {
  trace("commands returned by link");
  if (observer_ != nullptr) {
    observer_->command_received(command, now);
  }
  actuators_->receive(command, now);
}

void ArmLoop::apply(Time now) {
  if (config_.cut == Cut::kStaleServo) {
    const JointStates& stale = interfaces_->states();
    actuators_->apply(now, stale.positions, stale.velocities);
  } else {
    actuators_->apply(now, positions(), velocities());
  }
  if (actuators_->is_stopped_by_silence() && !has_reported_trip_) {
    report_trip(now);
  }
  trace("commands written to engine");
}

void ArmLoop::report_abort(Time now) {
  if (controller_->status() == TrajectoryStatus::kAborted && !has_reported_abort_) {
    has_reported_abort_ = true;
    log_.warning(now, "trajectory controller", "aborted: " + controller_->abort_reason());
  }
}

void ArmLoop::report_trip(Time now) {
  has_reported_trip_ = true;
  const std::string& name = watchdog_names()[static_cast<std::size_t>(config_.watchdog)];
  log_.warning(now, "robot",
               "watchdog '" + name + "': commands stopped arriving; the robot stopped permanently");
}

void ArmLoop::emergency_stop(Time now, bool is_stopped) {
  // its wire is its own: both sides know at once. The controller gives up the plan when it is
  // pressed, so that no chase of it is still under way on the link when it is released.
  actuators_->set_emergency_stop(is_stopped);
  controller_->hold(interfaces_->states().positions);
  if (remote_servo_) {
    remote_servo_->reset();
  }
  log_.warning(now, "robot", is_stopped ? "emergency stop: brakes on" : "emergency stop released");
}

bool ArmLoop::set_gains(const GainsConfig& gains, double feed_forward) {
  const int count = static_cast<int>(tree_.joints.size());
  if (!controller_->set_gains(pid_gains(gains, count), feed_forward) && !tells_positions()) {
    return false;
  }
  actuators_->set_position_gains(per_joint(gains.p, count), feed_forward);
  return true;
}

bool ArmLoop::is_reference_at_rest() const {
  if (config_.cut == Cut::kTrajectory) {
    return controller_->status() == TrajectoryStatus::kSucceeded;
  }
  if (config_.cut == Cut::kPosition) {
    return actuators_->command().values == plan_.points().back().positions;
  }
  return true;
}

std::span<const double> ArmLoop::positions() const {
  return engine_.positions().subspan(static_cast<std::size_t>(first_joint_), tree_.joints.size());
}

std::span<const double> ArmLoop::velocities() const {
  return engine_.velocities().subspan(static_cast<std::size_t>(first_joint_), tree_.joints.size());
}

bool ArmLoop::has_joints_that_take(CommandKind kind) const {
  const std::vector<CommandKind>& kinds = config_.joint_commands;
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool ArmLoop::tells_positions() const {
  return config_.cut == Cut::kPosition || has_joints_that_take(CommandKind::kPosition);
}

const std::vector<double>& ArmLoop::loop_errors() const {
  return tells_positions() ? actuators_->position_errors() : controller_->position_errors();
}

const std::vector<double>& ArmLoop::loop_velocity_commands() const {
  return tells_positions() ? actuators_->velocity_commands() : interfaces_->commands();
}

void ArmLoop::add_to(Hash& hash) const {
  hash.add(positions());
  hash.add(velocities());
  hash.add(loop_errors());
  hash.add(interfaces_->commands());
  hash.add(actuators_->applied());
}

void ArmLoop::add_world_to(Hash& hash) const {
  hash.add(positions());
  hash.add(velocities());
  hash.add(actuators_->applied());
}

network::LinkReport ArmLoop::states_report(Time end) const {
  if (recording_) {
    return {};
  }
  return progress_channel_ ? progress_channel_->report(end) : states_channel_->report(end);
}

network::LinkReport ArmLoop::commands_report(Time end) const {
  if (recording_) {
    return {};
  }
  return goal_channel_ ? goal_channel_->report(end) : commands_channel_->report(end);
}

}  // namespace longarm::control
