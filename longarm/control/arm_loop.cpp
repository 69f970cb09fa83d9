// SPDX-License-Identifier: Apache-2.0
// Wires controller, link and actuators for each cut, and runs their tick.
#include "longarm/control/arm_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/control/limits.h"
#include "longarm/core/check.h"
#include "longarm/core/text.h"
#include "longarm/motion/dynamics.h"
#include "longarm/network/link.h"

namespace longarm::control {
namespace {

std::unique_ptr<network::Link> no_link() {
  return network::built_in_link_models().make("none")->make({0, "local"});
}

CommandKind command_kind(Cut cut) {
  switch (cut) {
    case Cut::kPosition:
      return CommandKind::kPosition;
    case Cut::kEffort:
      return CommandKind::kEffort;
    default:
      return CommandKind::kVelocity;
  }
}

/// The planner on the remote host: sends its goal once, then watches the arm come to rest at the
/// end of the plan.
sim::Task<void> run_planner(sim::TaskContext context, network::Channel<TrajectoryGoal>& goals,
                            TrajectoryGoal goal, sim::Mailbox<JointStates>& progress,
                            const Log& log) {
  constexpr double kThere_rad = 1e-3;
  goals.send(goal, wire_size_bytes(goal));
  const std::vector<double> end = goal.trajectory.points().back().positions;
  while (true) {
    const JointStates states = co_await progress.receive();
    double farthest = 0.0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      farthest = std::max(farthest, std::abs(states.positions[i] - end[i]));
    }
    if (states.stamp.time_since_epoch() > goal.trajectory.end() && farthest < kThere_rad) {
      log.info(context.kernel.now(), "planner",
               "the arm was at its goal at " + format_duration(states.stamp.time_since_epoch()));
      co_return;
    }
  }
}

}  // namespace

ArmLoop::ArmLoop(sim::Kernel& kernel, physics::Engine& engine, const model::Cell& cell,
                 int placement, const LoopConfig& config, LoopLinks links, motion::Trajectory plan,
                 const Log& log, CallTrace trace)
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
      trace_(std::move(trace)),
      broadcaster_(engine, physics::JointId(first_joint_), tree_.joints.size()),
      tasks_(kernel) {
  if (config_.servo.model.empty()) {
    config_.servo.model = default_servo_model(config_.cut);
  }
  make_controller();
  make_actuators();
  make_channels(std::move(links));
  schedule();
}

void ArmLoop::make_controller() {
  std::vector<std::string> names;
  std::vector<model::JointLimits> limits;
  for (const model::TreeJoint& joint : tree_.joints) {
    names.push_back(joint.name);
    limits.push_back(joint.limits);
  }
  interfaces_ = std::make_unique<JointInterfaces>(names, limits);

  // until the first states arrive, the controller believes the arm is where it really starts (or at
  // zero)
  const JointStates& start = broadcaster_.sample(Time{});
  if (!config_.zero_fill) {
    interfaces_->receive(start);
  }

  TrajectoryControllerConfig controller;
  controller.kind = config_.cut == Cut::kPosition ? CommandKind::kPosition : CommandKind::kVelocity;
  controller.gains = pid_gains(config_.gains, static_cast<int>(names.size()));
  controller.feed_forward = config_.feed_forward;
  controller.tolerances = config_.tolerances;
  Result<Claim> claim = interfaces_->claim("trajectory controller", names, controller.kind);
  check(claim.has_value(), "the only controller of an arm could not claim its joints");
  controller_ = std::make_unique<JointTrajectoryController>(*interfaces_, std::move(claim).value(),
                                                            controller);
  if (config_.cut == Cut::kTrajectory) {
    controller_->hold(start.positions);
  } else {
    controller_->follow(plan_, Time{});
  }
  if (config_.cut == Cut::kEffort) {
    remote_efforts_.assign(names.size(), 0.0);
    remote_servo_ = config_.servo.model == "pid"
                        ? make_pid_servo(config_.servo, tree_, gravity_R_m_s2_)
                        : make_computed_torque_servo(tree_, gravity_R_m_s2_);
  }
}

void ArmLoop::make_actuators() {
  ActuatorsConfig config;
  config.first_joint = physics::JointId(first_joint_);
  for (const model::TreeJoint& joint : tree_.joints) {
    config.limits.push_back(joint.limits);
  }
  config.position_gains = per_joint(config_.gains.p, static_cast<int>(tree_.joints.size()));
  config.feed_forward = config_.feed_forward;
  config.on_silence = config_.on_silence;
  // between the ticks of a slow controller nobody is silent
  config.silence_after = std::max(config_.silence_after, config_.control_period);
  config.period = config_.physics_period;

  // an ideal servo beside its joints is the engine's own velocity motor; fed with old states it is
  // computed torque
  std::unique_ptr<Servo> servo;
  if (config_.cut != Cut::kEffort && config_.servo.model == "pid") {
    servo = make_pid_servo(config_.servo, tree_, gravity_R_m_s2_);
  } else if (config_.cut == Cut::kStaleServo) {
    servo = make_computed_torque_servo(tree_, gravity_R_m_s2_);
  }

  // until the first command arrives, the arm stands still (or, with zero fill, gets zeros)
  command_.kind = command_kind(config_.cut);
  command_.values.assign(tree_.joints.size(), 0.0);
  const std::vector<double>& start = broadcaster_.sample(Time{}).positions;
  if (!config_.zero_fill && command_.kind == CommandKind::kPosition) {
    command_.values = start;
  }
  if (!config_.zero_fill && command_.kind == CommandKind::kEffort) {
    motion::Dynamics dynamics(tree_, gravity_R_m_s2_);
    const Eigen::VectorXd& gravity = dynamics.bias(start, command_.values);
    command_.values.assign(gravity.data(), gravity.data() + gravity.size());
  }
  actuators_ = std::make_unique<Actuators>(engine_, config, std::move(servo), command_);
}

void ArmLoop::make_channels(LoopLinks links) {
  const bool is_local = config_.cut == Cut::kNone || config_.cut == Cut::kTrajectory;
  states_channel_ = std::make_unique<network::Channel<JointStates>>(
      kernel_, "link.states", is_local ? no_link() : std::move(links.states),
      [this](const JointStates& states, Time) {
        trace("states returned by link");
        // states that were overtaken are of no use any more
        if (states.stamp >= interfaces_->states().stamp) {
          interfaces_->receive(states);
        }
        trace("states written to interfaces");
      });
  commands_channel_ = std::make_unique<network::Channel<JointCommand>>(
      kernel_, "link.commands", is_local ? no_link() : std::move(links.commands),
      [this](const JointCommand& command, Time now) {
        trace("commands returned by link");
        actuators_->receive(command, now);
      });
  broadcaster_.subscribe(*states_channel_);
  if (config_.cut != Cut::kTrajectory) {
    return;
  }
  goal_channel_ = std::make_unique<network::Channel<TrajectoryGoal>>(
      kernel_, "link.commands (goal)", std::move(links.commands),
      [this](const TrajectoryGoal& goal, Time now) { controller_->follow(goal.trajectory, now); });
  progress_channel_ = std::make_unique<network::Channel<JointStates>>(
      kernel_, "link.states (progress)", std::move(links.states),
      [this](const JointStates& states, Time) { progress_.push(states); });
  broadcaster_.subscribe(*progress_channel_);
  const sim::TaskContext context = tasks_.context("planner");
  tasks_.spawn(context, run_planner(context, *goal_channel_, TrajectoryGoal{Time{}, plan_},
                                    progress_, log_));
}

void ArmLoop::schedule() {
  const sim::SourceId source = kernel_.add_source("arm loop");
  kernel_.every(config_.states_period, Time{}, sim::Phase::kSample, source,
                [this](Time now) { sample(now); });
  kernel_.every(config_.control_period, Time{}, sim::Phase::kControl, source,
                [this](Time now) { tick(now); });
  kernel_.every(config_.physics_period, Time{}, sim::Phase::kApply, source,
                [this](Time now) { apply(now); });
  if (config_.estop_at) {
    kernel_.at(Time(*config_.estop_at), sim::Phase::kControl, source,
               [this](Time now) { emergency_stop(now, true); });
  }
  if (config_.estop_release) {
    kernel_.at(Time(*config_.estop_release), sim::Phase::kControl, source,
               [this](Time now) { emergency_stop(now, false); });
  }
}

void ArmLoop::sample(Time now) {
  trace("update fires");
  trace("read called");
  broadcaster_.sample(now);
  trace("states read from engine");
  trace("states given to link");
  broadcaster_.send();
}

void ArmLoop::tick(Time now) {
  trace("controllers updated");
  trace("trajectory controller computes");
  controller_->update(now, config_.control_period);
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
  command_.stamp = now;
  if (command_.kind == CommandKind::kPosition) {
    command_.velocities = interfaces_->command_velocities();
  }
  trace("commands read from interfaces");
  trace("commands given to link");
  commands_channel_->send(command_, wire_size_bytes(command_));
}

void ArmLoop::apply(Time now) {
  if (config_.cut == Cut::kStaleServo) {
    const JointStates& stale = interfaces_->states();
    actuators_->apply(now, stale.positions, stale.velocities);
  } else {
    actuators_->apply(now, positions(), velocities());
  }
  trace("commands written to engine");
}

void ArmLoop::report_abort(Time now) {
  if (controller_->status() == TrajectoryStatus::kAborted && !has_reported_abort_) {
    has_reported_abort_ = true;
    log_.warning(now, "trajectory controller", "aborted: " + controller_->abort_reason());
  }
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

const std::vector<double>& ArmLoop::loop_errors() const {
  return config_.cut == Cut::kPosition ? actuators_->position_errors()
                                       : controller_->position_errors();
}

const std::vector<double>& ArmLoop::loop_velocity_commands() const {
  return config_.cut == Cut::kPosition ? actuators_->velocity_commands() : interfaces_->commands();
}

void ArmLoop::add_to(Hash& hash) const {
  hash.add(positions());
  hash.add(velocities());
  hash.add(loop_errors());
  hash.add(interfaces_->commands());
  hash.add(actuators_->applied());
}

network::ChannelStatistics ArmLoop::states_statistics() const {
  return progress_channel_ ? progress_channel_->statistics() : states_channel_->statistics();
}

network::ChannelStatistics ArmLoop::commands_statistics() const {
  return goal_channel_ ? goal_channel_->statistics() : commands_channel_->statistics();
}

void ArmLoop::trace(std::string_view call) const {
  if (trace_) {
    trace_(kernel_.now(), call);
  }
}

}  // namespace longarm::control
