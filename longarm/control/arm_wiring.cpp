// SPDX-License-Identifier: Apache-2.0
// Puts controller, actuators and channels of an arm's loop together, for each cut.
#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/control/arm_loop.h"
#include "longarm/control/pid_controller.h"
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

void ArmLoop::make_controller(const ControllerModel* model) {
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
  controller.kind = tells_positions() ? CommandKind::kPosition : CommandKind::kVelocity;
  controller.gains = pid_gains(config_.gains, static_cast<int>(names.size()));
  controller.feed_forward = config_.feed_forward;
  controller.tolerances = config_.tolerances;
  Result<Claim> claim = interfaces_->claim("trajectory controller", names, controller.kind);
  check(claim.has_value(), "the only controller of an arm could not claim its joints");

  // which law it follows is a plug-in's choice
  ControllerContext context;
  context.joints = names;
  context.limits = limits;
  context.period = config_.control_period;
  context.gains = controller.gains;
  context.feed_forward = controller.feed_forward;
  context.seed = config_.seed;
  controller_ = std::make_unique<JointTrajectoryController>(
      *interfaces_, std::move(claim).value(), controller,
      model != nullptr ? model->make(context) : make_pid_controller(context));
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
  config.joint_commands = config_.joint_commands;
  config.is_driven = config_.is_driven;
  config.on_silence = config_.on_silence;
  // between the ticks of a slow controller nobody is silent
  config.silence_after = std::max(config_.silence_after, config_.control_period);
  config.watchdog = config_.watchdog;
  config.cycle = config_.control_period;
  config.period = config_.physics_period;

  // an ideal servo beside its joints is the engine's own velocity motor; fed with old states it is
  // computed torque
  std::unique_ptr<Servo> servo;
  if (config_.cut != Cut::kEffort && config_.servo.model == "pid") {
    servo = make_pid_servo(config_.servo, tree_, gravity_R_m_s2_);
  } else if (config_.cut == Cut::kStaleServo ||
             (config_.cut != Cut::kEffort && has_joints_that_take(CommandKind::kEffort))) {
    servo = make_computed_torque_servo(tree_, gravity_R_m_s2_);
  }

  // until the first command arrives, the arm stands still (or, with zero fill, gets zeros)
  command_.kind = tells_positions() ? CommandKind::kPosition : command_kind(config_.cut);
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
  using network::LinkMeter;
  const bool is_local = !is_controller_remote(config_.cut);
  states_channel_ = std::make_unique<network::Channel<JointStates>>(
      kernel_, "link.states", is_local ? no_link() : std::move(links.states),
      [this](const JointStates& states, Time now) { receive_states(states, now); },
      LinkMeter(config_.states_period, config_.states_requirements));
  commands_channel_ = std::make_unique<network::Channel<JointCommand>>(
      kernel_, "link.commands", is_local ? no_link() : std::move(links.commands),
      [this](const JointCommand& command, Time now) { receive_command(command, now); },
      LinkMeter(config_.control_period, config_.commands_requirements));
  broadcaster_.subscribe(*states_channel_);
  if (config_.cut == Cut::kTrajectory) {
    make_planner(std::move(links));
    return;
  }
  if (observer_ != nullptr && !is_local) {
    states_channel_->observe(link_observer("states"));
    commands_channel_->observe(link_observer("commands"));
  }
}

void ArmLoop::make_planner(LoopLinks links) {
  // the goal is one message, so nothing of it is ever due
  goal_channel_ = std::make_unique<network::Channel<TrajectoryGoal>>(
      kernel_, "link.commands (goal)", std::move(links.commands),
      [this](const TrajectoryGoal& goal, Time now) {
        if (observer_ != nullptr) {
          observer_->goal_received(goal, now);
        }
        controller_->follow(goal.trajectory, now);
      });
  progress_channel_ = std::make_unique<network::Channel<JointStates>>(
      kernel_, "link.states (progress)", std::move(links.states),
      [this](const JointStates& states, Time) { progress_.push(states); },
      network::LinkMeter(config_.states_period, config_.states_requirements));
  broadcaster_.subscribe(*progress_channel_);
  if (observer_ != nullptr) {
    progress_channel_->observe(link_observer("states"));
    goal_channel_->observe(link_observer("commands"));
  }
  const sim::TaskContext context = tasks_.context("planner");
  const Time stamp(config_.clock_offset);  // what the planner's clock reads at the start
  tasks_.spawn(context,
               run_planner(context, *goal_channel_, TrajectoryGoal{stamp, plan_}, progress_, log_));
}

void ArmLoop::make_feeds() {
  states_feed_ = std::make_unique<MessageFeed<JointStates>>(
      kernel_, "recorded states", recording_->states,
      [this](const JointStates& states, Time now) { receive_states(states, now); });
  commands_feed_ = std::make_unique<MessageFeed<JointCommand>>(
      kernel_, "recorded commands", recording_->commands,
      [this](const JointCommand& command, Time now) { receive_command(command, now); });
}

std::function<void(const network::LinkEvent&)> ArmLoop::link_observer(
    std::string_view direction) const {
  return [observer = observer_, direction](const network::LinkEvent& event) {
    observer->link_event(direction, event);
  };
}

}  // namespace longarm::control
