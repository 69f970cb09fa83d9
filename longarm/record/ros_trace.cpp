// SPDX-License-Identifier: Apache-2.0
// Topics of a trace and when they are written.
#include "longarm/record/ros_trace.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/core/check.h"
#include "longarm/record/ros_schemas.h"

namespace longarm::record {
namespace {

constexpr std::string_view kJointState = "sensor_msgs/msg/JointState";
constexpr std::string_view kLinkEvent = "longarm_msgs/msg/LinkEvent";
constexpr std::array<std::string_view, 2> kDirections = {"states", "commands"};

}  // namespace

bool Ticker::tick(Time now) {
  if (!is_due(now)) {
    return false;
  }
  next_ = Time(period_ * (now.time_since_epoch() / period_ + 1));
  return true;
}

Result<std::unique_ptr<RosTrace>> RosTrace::open(const std::string& path, RosTraceConfig config,
                                                 TraceListener* listener) {
  std::unique_ptr<McapWriter> file;
  if (!path.empty()) {
    auto opened = McapWriter::open(path, config.file);
    if (!opened) {
      return opened.error();
    }
    file = std::move(opened).value();
  }
  return std::unique_ptr<RosTrace>(new RosTrace(std::move(file), std::move(config), listener));
}

RosTrace::RosTrace(std::unique_ptr<McapWriter> file, RosTraceConfig config, TraceListener* listener)
    : config_(std::move(config)),
      file_(std::move(file)),
      listener_(listener),
      frames_channel_(add("/tf", "tf2_msgs/msg/TFMessage")),
      fixed_frames_channel_(add("/tf_static", "tf2_msgs/msg/TFMessage", true)),
      clock_channel_(add("/clock", "rosgraph_msgs/msg/Clock")),
      frames_ticker_(config_.frames_period),
      clock_ticker_(config_.clock_period) {
  if (file_ && !config_.scenario.empty()) {
    file_->attach("scenario.yaml", "application/yaml", config_.scenario);
  }
  if (!config_.fixed_frames.empty()) {
    encode_transforms(message_, Time{}, config_.fixed_frames, {});
    put(fixed_frames_channel_, Time{});
  }
  if (!config_.shapes.empty()) {
    encode_shape_markers(message_, config_.shapes);
    put(add("/shapes", "visualization_msgs/msg/MarkerArray", true), Time{});
  }
}

McapChannelId RosTrace::add(std::string topic, std::string_view type, bool is_kept) {
  return add({std::move(topic),
              std::string(type),
              ros_schema(type),
              {{"offered_qos_profiles", quality_of_service(is_kept)}}},
             is_kept);
}

/// Listeners know channels by the numbers that the file gives them, in the order of their making.
McapChannelId RosTrace::add(const McapTopic& topic, bool is_kept) {
  const std::uint16_t number = channels_++;
  if (file_) {
    check(file_->add_channel(topic) == McapChannelId{number}, "channels are numbered in order");
  }
  if (listener_ != nullptr) {
    listener_->channel({number, 0, topic.topic, topic.message_encoding, topic.metadata},
                       {0, topic.schema_name, topic.schema_encoding, topic.schema_text}, is_kept);
  }
  return McapChannelId{number};
}

void RosTrace::frames(Time now, std::span<const FramePose> poses) {
  if (!config_.moving_frames.empty() && frames_ticker_.tick(now)) {
    encode_transforms(message_, now, config_.moving_frames, poses);
    put(frames_channel_, now);
  }
}

void RosTrace::clock(Time now) {
  if (clock_ticker_.tick(now)) {
    encode_clock(message_, now);
    put(clock_channel_, now);
  }
}

std::unique_ptr<ArmTrace> RosTrace::add_arm(const std::string& prefix, ArmTraceConfig config) {
  return std::unique_ptr<ArmTrace>(new ArmTrace(*this, prefix, std::move(config)));
}

std::unique_ptr<JsonTrace> RosTrace::add_json(const std::string& topic, const std::string& type,
                                              const JsonProperties& properties, bool is_kept) {
  nlohmann::ordered_json schema{{"type", "object"}};
  for (const auto& [name, its_type] : properties) {
    schema["properties"][name] = {{"type", its_type}};
  }
  const McapChannelId channel =
      add({topic, type, schema.dump(), {}, "jsonschema", "json"}, is_kept);
  return std::unique_ptr<JsonTrace>(new JsonTrace(*this, channel));
}

std::unique_ptr<JointTrace> RosTrace::add_joints(const std::string& topic,
                                                 std::vector<std::string> names) {
  return std::unique_ptr<JointTrace>(new JointTrace(*this, topic, std::move(names)));
}

void JsonTrace::write(Time now, const nlohmann::ordered_json& message) {
  write_text(now, message.dump());
}

void JsonTrace::write_text(Time now, std::string_view text) {
  trace_.put(channel_, now, std::as_bytes(std::span(text)));
}

JointTrace::JointTrace(RosTrace& trace, const std::string& topic, std::vector<std::string> names)
    : trace_(trace), channel_(trace.add(topic, kJointState)), encoder_(std::move(names)) {}

void JointTrace::write(Time now, std::span<const double> positions,
                       std::span<const double> velocities, std::span<const double> efforts) {
  trace_.put(channel_, now, encoder_.encode(now, positions, velocities, efforts));
}

ArmTrace::ArmTrace(RosTrace& trace, const std::string& prefix, ArmTraceConfig config)
    : trace_(trace),
      base_frame_(std::move(config.base_frame)),
      joint_channels_{trace.add(prefix + "/joint_states", kJointState),
                      trace.add(prefix + "/controller/joint_states", kJointState),
                      trace.add(prefix + "/controller/joint_commands", kJointState),
                      trace.add(prefix + "/joint_commands", kJointState)},
      link_channels_{trace.add(prefix + "/link/states", kLinkEvent),
                     trace.add(prefix + "/link/commands", kLinkEvent)},
      pose_channel_(trace.add(prefix + "/end_effector_pose", "geometry_msgs/msg/PoseStamped")),
      path_channel_(trace.add(prefix + "/end_effector_path", "nav_msgs/msg/Path")),
      encoders_(joint_channels_.size(), JointStateEncoder(config.joint_names)),
      path_ticker_(trace.config_.path_period),
      path_point_ticker_(trace.config_.path_point_period),
      path_capacity_(static_cast<std::size_t>(std::max<std::int64_t>(
          1, trace.config_.path_span / std::max(trace.config_.path_point_period, Duration(1))))) {
  path_.reserve(path_capacity_);
}

void ArmTrace::joint_states(JointTopic topic, Time log_time, Time stamp,
                            std::span<const double> positions, std::span<const double> velocities,
                            std::span<const double> efforts) {
  const auto index = static_cast<std::size_t>(topic);
  trace_.put(joint_channels_[index], log_time,
             encoders_[index].encode(stamp, positions, velocities, efforts));
}

void ArmTrace::end_effector(Time now, const FramePose& pose) {
  encode_pose(trace_.message_, now, base_frame_, pose);
  trace_.put(pose_channel_, now);
  if (path_point_ticker_.tick(now)) {
    if (path_.size() < path_capacity_) {
      path_.push_back({now, pose});
    } else {
      path_[oldest_] = {now, pose};
      oldest_ = (oldest_ + 1) % path_capacity_;
    }
  }
  if (path_ticker_.tick(now)) {
    encode_path(trace_.message_, now, base_frame_, path_, oldest_);
    trace_.put(path_channel_, now);
  }
}

void ArmTrace::link_event(LinkTopic topic, Time at, std::string_view event, std::uint64_t index,
                          std::uint32_t size_bytes, Time sent_at) {
  const auto direction = static_cast<std::size_t>(topic);
  encode_link_event(trace_.message_, kDirections[direction], event, at, index, size_bytes, sent_at);
  trace_.put(link_channels_[direction], at);
}

}  // namespace longarm::record
