// SPDX-License-Identifier: Apache-2.0
// Translates what the loop says and what the engine shows into ROS messages.
#include "longarm/scenario/run_recorder.h"

#include <utility>

namespace longarm::scenario {
namespace {

std::string_view event_name(network::LinkEventKind kind) {
  switch (kind) {
    case network::LinkEventKind::kSent:
      return "sent";
    case network::LinkEventKind::kArrived:
      return "arrived";
    case network::LinkEventKind::kQueueFull:
      return "queue_full";
    case network::LinkEventKind::kCorrupt:
      return "corrupt";
    case network::LinkEventKind::kLost:
      break;
  }
  return "lost";
}

}  // namespace

RunRecorder::RunRecorder(const PreparedScenario& prepared, const physics::Engine& engine)
    : prepared_(prepared),
      engine_(engine),
      frames_(prepared.cell, 0),
      kinematics_(prepared.cell.placements.front().tree) {}

Result<std::unique_ptr<RunRecorder>> RunRecorder::open(const std::string& path,
                                                       const PreparedScenario& prepared,
                                                       const physics::Engine& engine) {
  std::unique_ptr<RunRecorder> recorder(new RunRecorder(prepared, engine));
  record::RosTraceConfig config;
  const model::BodyTree& robot = prepared.cell.placements.front().tree;
  for (const model::TreeJoint& joint : robot.joints) {
    config.joint_names.push_back(joint.name);
  }
  config.base_frame = robot.bodies.front().name;
  config.scenario = to_yaml(prepared.scenario, prepared.plugins);
  config.fixed_frames = recorder->frames_.fixed();
  config.moving_frames = recorder->frames_.moving();
  config.shapes = recorder->frames_.shapes();
  Result<std::unique_ptr<record::RosTrace>> trace = record::RosTrace::open(path, std::move(config));
  if (!trace) {
    return trace.error();
  }
  recorder->trace_ = std::move(trace).value();
  return recorder;
}

void RunRecorder::states_sent(const control::JointStates& states, Time now) {
  write(record::JointTopic::kStates, states, now);
}

void RunRecorder::states_received(const control::JointStates& states, Time now) {
  write(record::JointTopic::kControllerStates, states, now);
}

void RunRecorder::command_sent(const control::JointCommand& command, Time now) {
  write(record::JointTopic::kControllerCommands, command, now);
}

void RunRecorder::command_received(const control::JointCommand& command, Time now) {
  write(record::JointTopic::kCommands, command, now);
}

void RunRecorder::link_event(std::string_view direction, const network::LinkEvent& event) {
  const bool is_states = direction == "states";
  trace_->link_event(is_states ? record::LinkTopic::kStates : record::LinkTopic::kCommands,
                     event.at, event_name(event.kind), event.index,
                     static_cast<std::uint32_t>(event.size_bytes), event.sent_at);
}

void RunRecorder::write(record::JointTopic topic, const control::JointStates& states, Time now) {
  trace_->joint_states(topic, now, states.stamp, states.positions, states.velocities,
                       states.efforts);
}

void RunRecorder::write(record::JointTopic topic, const control::JointCommand& command, Time now) {
  switch (command.kind) {
    case control::CommandKind::kPosition:
      trace_->joint_states(topic, now, command.stamp, command.values, command.velocities, {});
      return;
    case control::CommandKind::kVelocity:
      trace_->joint_states(topic, now, command.stamp, {}, command.values, {});
      return;
    case control::CommandKind::kEffort:
      trace_->joint_states(topic, now, command.stamp, {}, {}, command.values);
      return;
  }
}

void RunRecorder::step(Time stamp) {
  const std::size_t joints = prepared_.cell.placements.front().tree.joints.size();
  const model::Pose end_effector =
      kinematics_.pose_of(prepared_.end_effector_frame, engine_.positions().first(joints));
  trace_->end_effector(stamp, record::FramePose(end_effector));
  trace_->clock(stamp);
  if (trace_->wants_frames(stamp)) {
    trace_->frames(stamp, frames_.poses(engine_));
  }
}

}  // namespace longarm::scenario
