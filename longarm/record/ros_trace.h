// SPDX-License-Identifier: Apache-2.0
// A run as ROS tools see it: trace.mcap with frames and the clock and, of each arm, joint states,
// commands, the end effector and what became of each packet; and what others say, as JSON where ROS
// has no message for it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/mcap_writer.h"
#include "longarm/record/ros_messages.h"
#include "longarm/record/shape_markers.h"
#include "longarm/record/trace_listener.h"

namespace longarm::record {

struct RosTraceConfig {
  std::vector<FramePlace> fixed_frames;   ///< written once, to /tf_static
  std::vector<FramePlace> moving_frames;  ///< for /tf; their poses are given as time goes on
  std::vector<ShapeMarker> shapes;        ///< written once, to /shapes
  Duration frames_period{10'000'000};     ///< of /tf
  Duration clock_period{10'000'000};      ///< of /clock
  Duration path_period{100'000'000};      ///< of /end_effector_path,
  Duration path_span{1'000'000'000};      ///< each message of which shows as much of the past
  Duration path_point_period{10'000'000};
  std::string scenario;  ///< resolved, kept in the file as scenario.yaml; may be empty
  McapOptions file;
};

/// sensor_msgs/msg/JointState at the four ends of the link.
enum class JointTopic : std::uint8_t {
  kStates,              ///< /joint_states: sampled at the robot
  kControllerStates,    ///< /controller/joint_states: as the controller received them
  kControllerCommands,  ///< /controller/joint_commands: as the controller sent them
  kCommands,            ///< /joint_commands: as they reached the robot
};

/// longarm_msgs/msg/LinkEvent, per direction.
enum class LinkTopic : std::uint8_t {
  kStates,    ///< /link/states
  kCommands,  ///< /link/commands
};

/// True each time a multiple of `period` has been reached since it was last true.
class Ticker {
 public:
  explicit Ticker(Duration period) : period_(period) {}
  bool is_due(Time now) const { return period_ > Duration::zero() && now >= next_; }
  bool tick(Time now);

 private:
  Duration period_;
  Time next_{};
};

struct ArmTraceConfig {
  std::vector<std::string> joint_names;
  std::string base_frame = "base_link";  ///< in which the end effector's poses are given
};
class ArmTrace;
class JsonTrace;
class JointTrace;

/// What a JSON message has: names, and JSON's types of them ("number", "array" and so on).
using JsonProperties = std::vector<std::pair<std::string, std::string>>;

/// Log times are the simulated instants at which things happened; stamps inside messages are what
/// the sender's clock said. No call fails or throws; close() tells.
class RosTrace {
 public:
  /// `path` may be empty if somebody listens, who lives as long as the trace; null: nobody does.
  static Result<std::unique_ptr<RosTrace>> open(const std::string& path, RosTraceConfig config,
                                                TraceListener* listener = nullptr);

  /// Whether /tf is due, so that poses nobody needs are not computed.
  bool wants_frames(Time now) const {
    return !config_.moving_frames.empty() && frames_ticker_.is_due(now);
  }
  /// One pose per moving frame, in its parent; written if due.
  void frames(Time now, std::span<const FramePose> poses);
  /// Call it every step: /clock is written if due.
  void clock(Time now);
  /// Topics of an arm, e.g. /left/joint_states: with "/left" in front.
  std::unique_ptr<ArmTrace> add_arm(const std::string& prefix, ArmTraceConfig config);
  /// Topics of the same type have the same properties. What is kept is known to those who listen
  /// later, too.
  std::unique_ptr<JsonTrace> add_json(const std::string& topic, const std::string& type,
                                      const JsonProperties& properties, bool is_kept = false);
  /// Joint states of a robot that is no arm with a loop of its own.
  std::unique_ptr<JointTrace> add_joints(const std::string& topic, std::vector<std::string> names);

  /// Completes the file. Fails if the disk was full or the file went away.
  Result<bool> close() { return file_ ? file_->close() : Result<bool>(true); }

 private:
  RosTrace(std::unique_ptr<McapWriter> file, RosTraceConfig config, TraceListener* listener);
  McapChannelId add(std::string topic, std::string_view type, bool is_kept = false);
  McapChannelId add(const McapTopic& topic, bool is_kept);
  void put(McapChannelId channel, Time now) { put(channel, now, message_.bytes()); }
  void put(McapChannelId channel, Time now, std::span<const std::byte> bytes) {
    if (file_) {
      file_->write(channel, now, bytes);
    }
    if (listener_ != nullptr) {
      listener_->message(static_cast<std::uint16_t>(channel), now, bytes);
    }
  }

  friend class ArmTrace;
  friend class JsonTrace;
  friend class JointTrace;

  RosTraceConfig config_;
  std::unique_ptr<McapWriter> file_;  // null: nobody wants a file
  TraceListener* listener_;
  std::uint16_t channels_ = 0;
  McapChannelId frames_channel_, fixed_frames_channel_, clock_channel_;
  ByteBuffer message_;
  Ticker frames_ticker_, clock_ticker_;
};

/// A topic of JSON objects. Lives no longer than the trace.
class JsonTrace {
 public:
  void write(Time now, const nlohmann::ordered_json& message);
  /// Of an object that is written down already.
  void write_text(Time now, std::string_view text);

 private:
  friend class RosTrace;
  JsonTrace(RosTrace& trace, McapChannelId channel) : trace_(trace), channel_(channel) {}

  RosTrace& trace_;
  McapChannelId channel_;
};

/// A topic of joint states. Lives no longer than the trace.
class JointTrace {
 public:
  /// Spans are empty or hold one number per joint.
  void write(Time now, std::span<const double> positions, std::span<const double> velocities,
             std::span<const double> efforts);

 private:
  friend class RosTrace;
  JointTrace(RosTrace& trace, const std::string& topic, std::vector<std::string> names);

  RosTrace& trace_;
  McapChannelId channel_;
  JointStateEncoder encoder_;
};

/// What is written of one arm. Lives no longer than the trace.
class ArmTrace {
 public:
  /// Spans are empty or hold one number per joint; a command fills only what it commands.
  void joint_states(JointTopic topic, Time log_time, Time stamp, std::span<const double> positions,
                    std::span<const double> velocities, std::span<const double> efforts);
  /// To /end_effector_pose each time; now and then also to /end_effector_path.
  void end_effector(Time now, const FramePose& pose);
  /// `event` is a word such as "sent", "arrived", "lost".
  void link_event(LinkTopic topic, Time at, std::string_view event, std::uint64_t index,
                  std::uint32_t size_bytes, Time sent_at);

 private:
  friend class RosTrace;
  ArmTrace(RosTrace& trace, const std::string& prefix, ArmTraceConfig config);

  RosTrace& trace_;
  std::string base_frame_;
  std::array<McapChannelId, 4> joint_channels_;
  std::array<McapChannelId, 2> link_channels_;
  McapChannelId pose_channel_, path_channel_;
  std::vector<JointStateEncoder> encoders_;  // by JointTopic
  Ticker path_ticker_, path_point_ticker_;
  std::vector<PathPoint> path_;  // a ring
  std::size_t path_capacity_;
  std::size_t oldest_ = 0;
};

}  // namespace longarm::record
