// SPDX-License-Identifier: Apache-2.0
// Translates what the loop says and what the engine shows into ROS messages.
#include "longarm/scenario/run_recorder.h"

#include <utility>

namespace longarm::scenario {
namespace {

constexpr const char* kWorld = "world";

/// The robot's frames keep their names; those of other models get the model's in front.
std::string frame_name(const model::Cell& cell, std::size_t placement, const std::string& name) {
  return placement == 0 ? name : cell.placements[placement].name + "/" + name;
}

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
    : prepared_(prepared), engine_(engine), kinematics_(prepared.cell.placements.front().tree) {}

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
  recorder->list_frames(config);
  Result<std::unique_ptr<record::RosTrace>> trace = record::RosTrace::open(path, std::move(config));
  if (!trace) {
    return trace.error();
  }
  recorder->trace_ = std::move(trace).value();
  return recorder;
}

void RunRecorder::list_frames(record::RosTraceConfig& config) {
  const model::Cell& cell = prepared_.cell;
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const model::Placement& placement = cell.placements[p];
    const model::BodyTree& tree = placement.tree;
    const int first_body = cell.first_body(static_cast<int>(p));
    const auto name_of = [&](int body) {
      return frame_name(cell, p, tree.bodies[static_cast<std::size_t>(body)].name);
    };

    // the root, then what its joints carry, then places on bodies
    if (placement.is_fixed) {
      config.fixed_frames.push_back({kWorld, name_of(0), record::FramePose(placement.X_WR)});
    } else {
      config.moving_frames.push_back({kWorld, name_of(0), record::FramePose(placement.X_WR)});
      moving_.push_back({first_body, -1});
    }
    for (std::size_t j = 0; j < tree.joints.size(); ++j) {
      const int parent = tree.joints[j].parent_body;
      const int child = static_cast<int>(j) + 1;
      config.moving_frames.push_back({name_of(parent), name_of(child), {}});
      moving_.push_back({first_body + child, first_body + parent});
    }
    for (const model::Frame& frame : tree.frames) {
      if (frame.name != tree.bodies[static_cast<std::size_t>(frame.body)].name) {
        config.fixed_frames.push_back(
            {name_of(frame.body), frame_name(cell, p, frame.name), record::FramePose(frame.X_BF)});
      }
    }
  }
  poses_.resize(moving_.size());
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
  if (!trace_->wants_frames(stamp)) {
    return;
  }
  for (std::size_t i = 0; i < moving_.size(); ++i) {
    const model::Pose X_WB = engine_.pose(physics::BodyId(moving_[i].body));
    poses_[i] = record::FramePose(
        moving_[i].parent < 0 ? X_WB
                              : engine_.pose(physics::BodyId(moving_[i].parent)).inverse() * X_WB);
  }
  trace_->frames(stamp, poses_);
}

}  // namespace longarm::scenario
