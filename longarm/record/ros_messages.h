// SPDX-License-Identifier: Apache-2.0
// The ROS messages of a trace, to and from their bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/byte_buffer.h"
#include "longarm/record/frame_pose.h"

namespace longarm::record {

/// sensor_msgs/msg/JointState. A command is one too, with only the arrays it commands.
struct JointStateMessage {
  Time stamp{};
  std::string frame_id;
  std::vector<std::string> names;
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> efforts;
};

/// geometry_msgs/msg/PoseStamped, and one point of a nav_msgs/msg/Path.
struct PoseMessage {
  Time stamp{};
  std::string frame_id;
  FramePose pose;
};

/// geometry_msgs/msg/TransformStamped, one entry of a tf2_msgs/msg/TFMessage.
struct TransformMessage {
  Time stamp{};
  FramePlace place;
};

/// longarm_msgs/msg/LinkEvent: what became of one packet.
struct LinkEventMessage {
  Time stamp{};  ///< when this happened
  std::string direction;
  std::string event;
  std::uint64_t index = 0;  ///< of the packet in its direction
  std::uint32_t size_bytes = 0;
  Time sent_at{};
  double delay_s = 0.0;  ///< from sending to this event
};

Result<JointStateMessage> decode_joint_state(std::span<const std::byte> bytes);
Result<PoseMessage> decode_pose(std::span<const std::byte> bytes);
Result<std::vector<PoseMessage>> decode_path(std::span<const std::byte> bytes);
Result<std::vector<TransformMessage>> decode_transforms(std::span<const std::byte> bytes);
Result<LinkEventMessage> decode_link_event(std::span<const std::byte> bytes);
Result<Time> decode_clock(std::span<const std::byte> bytes);

/// Joint names are laid out once; each message then only has its numbers copied in.
class JointStateEncoder {
 public:
  explicit JointStateEncoder(std::vector<std::string> names) : names_(std::move(names)) {}
  /// Each span is empty or has one number per joint. The bytes are good until the next call.
  std::span<const std::byte> encode(Time stamp, std::span<const double> positions,
                                    std::span<const double> velocities,
                                    std::span<const double> efforts);

 private:
  void lay_out(std::span<const double> positions, std::span<const double> velocities,
               std::span<const double> efforts);

  std::vector<std::string> names_;
  ByteBuffer bytes_;
  std::size_t positions_at_ = 0;  // zero: not in the layout
  std::size_t velocities_at_ = 0;
  std::size_t efforts_at_ = 0;
};

/// These fill `out` from its start.
void encode_pose(ByteBuffer& out, Time stamp, std::string_view frame_id, const FramePose& pose);
void encode_clock(ByteBuffer& out, Time now);
void encode_link_event(ByteBuffer& out, std::string_view direction, std::string_view event,
                       Time stamp, std::uint64_t index, std::uint32_t size_bytes, Time sent_at);
/// All with one stamp; `poses` replace those of `places` unless empty.
void encode_transforms(ByteBuffer& out, Time stamp, std::span<const FramePlace> places,
                       std::span<const FramePose> poses);

struct PathPoint {
  Time stamp{};
  FramePose pose;
};
/// Points of a ring, from `first` on and round.
void encode_path(ByteBuffer& out, Time stamp, std::string_view frame_id,
                 std::span<const PathPoint> ring, std::size_t first);

}  // namespace longarm::record
