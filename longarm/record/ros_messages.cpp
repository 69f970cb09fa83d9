// SPDX-License-Identifier: Apache-2.0
// Field by field, in the order of ros_schemas.cpp.
#include "longarm/record/ros_messages.h"

#include <utility>

#include "longarm/core/check.h"
#include "longarm/record/cdr.h"

namespace longarm::record {
namespace {

/// The least an entry of these takes: a stamp, its strings and seven numbers.
constexpr std::size_t kSmallestPose = 8 + 4 + 7 * 8;

void put_header(CdrWriter& cdr, Time stamp, std::string_view frame_id) {
  cdr.put(stamp);
  cdr.put(frame_id);
}

void put_pose(CdrWriter& cdr, const FramePose& pose) {
  for (const double number :
       {pose.translation_m.x(), pose.translation_m.y(), pose.translation_m.z(), pose.rotation.x(),
        pose.rotation.y(), pose.rotation.z(), pose.rotation.w()}) {
    cdr.put(number);
  }
}

FramePose get_pose(CdrReader& cdr) {
  FramePose pose;
  for (int i = 0; i < 3; ++i) {
    pose.translation_m[i] = cdr.get<double>();
  }
  // Eigen keeps x, y, z, w in this order too
  for (int i = 0; i < 4; ++i) {
    pose.rotation.coeffs()[i] = cdr.get<double>();
  }
  return pose;
}

PoseMessage get_pose_message(CdrReader& cdr) {
  PoseMessage message;
  message.stamp = cdr.get_time();
  message.frame_id = cdr.get_string();
  message.pose = get_pose(cdr);
  return message;
}

template <typename T>
Result<T> finish(const CdrReader& cdr, T value, std::string_view what) {
  if (cdr.has_failed()) {
    return Error{"these bytes are not a " + std::string(what)};
  }
  return value;
}

}  // namespace

Result<JointStateMessage> decode_joint_state(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  JointStateMessage message;
  message.stamp = cdr.get_time();
  message.frame_id = cdr.get_string();
  message.names = cdr.get_strings();
  message.positions = cdr.get_numbers();
  message.velocities = cdr.get_numbers();
  message.efforts = cdr.get_numbers();
  return finish(cdr, std::move(message), "sensor_msgs/msg/JointState");
}

Result<PoseMessage> decode_pose(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  return finish(cdr, get_pose_message(cdr), "geometry_msgs/msg/PoseStamped");
}

Result<std::vector<PoseMessage>> decode_path(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  cdr.get_time();
  cdr.get_string();
  std::vector<PoseMessage> points(cdr.get_length(kSmallestPose));
  for (PoseMessage& point : points) {
    point = get_pose_message(cdr);
  }
  return finish(cdr, std::move(points), "nav_msgs/msg/Path");
}

Result<std::vector<TransformMessage>> decode_transforms(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  std::vector<TransformMessage> transforms(cdr.get_length(kSmallestPose));
  for (TransformMessage& transform : transforms) {
    transform.stamp = cdr.get_time();
    transform.place.parent = cdr.get_string();
    transform.place.child = cdr.get_string();
    transform.place.X_PC = get_pose(cdr);
  }
  return finish(cdr, std::move(transforms), "tf2_msgs/msg/TFMessage");
}

Result<LinkEventMessage> decode_link_event(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  LinkEventMessage message;
  message.stamp = cdr.get_time();
  message.direction = cdr.get_string();
  message.event = cdr.get_string();
  message.index = cdr.get<std::uint64_t>();
  message.size_bytes = cdr.get<std::uint32_t>();
  message.sent_at = cdr.get_time();
  message.delay_s = cdr.get<double>();
  return finish(cdr, std::move(message), "longarm_msgs/msg/LinkEvent");
}

Result<Time> decode_clock(std::span<const std::byte> bytes) {
  CdrReader cdr(bytes);
  return finish(cdr, cdr.get_time(), "rosgraph_msgs/msg/Clock");
}

std::span<const std::byte> JointStateEncoder::encode(Time stamp, std::span<const double> positions,
                                                     std::span<const double> velocities,
                                                     std::span<const double> efforts) {
  for (const std::span<const double> numbers : {positions, velocities, efforts}) {
    check(numbers.empty() || numbers.size() == names_.size(), "one number per joint");
  }
  const bool has_layout = bytes_.size() > 0 && (positions_at_ > 0) == !positions.empty() &&
                          (velocities_at_ > 0) == !velocities.empty() &&
                          (efforts_at_ > 0) == !efforts.empty();
  if (!has_layout) {
    lay_out(positions, velocities, efforts);
  }
  const RosTime ros = to_ros_time(stamp);
  bytes_.put_at(kCdrHeaderSize, ros.seconds);
  bytes_.put_at(kCdrHeaderSize + 4, ros.nanoseconds);
  bytes_.put_at(positions_at_, std::as_bytes(positions));
  bytes_.put_at(velocities_at_, std::as_bytes(velocities));
  bytes_.put_at(efforts_at_, std::as_bytes(efforts));
  return bytes_.bytes();
}

void JointStateEncoder::lay_out(std::span<const double> positions,
                                std::span<const double> velocities,
                                std::span<const double> efforts) {
  CdrWriter cdr(bytes_);
  put_header(cdr, Time{}, "");
  cdr.put(std::span<const std::string>(names_));
  const auto place = [&](std::span<const double> numbers) {
    cdr.put(numbers);
    return numbers.empty() ? 0 : cdr.position() - numbers.size_bytes();
  };
  positions_at_ = place(positions);
  velocities_at_ = place(velocities);
  efforts_at_ = place(efforts);
}

void encode_pose(ByteBuffer& out, Time stamp, std::string_view frame_id, const FramePose& pose) {
  CdrWriter cdr(out);
  put_header(cdr, stamp, frame_id);
  put_pose(cdr, pose);
}

void encode_clock(ByteBuffer& out, Time now) {
  CdrWriter cdr(out);
  cdr.put(now);
}

void encode_link_event(ByteBuffer& out, std::string_view direction, std::string_view event,
                       Time stamp, std::uint64_t index, std::uint32_t size_bytes, Time sent_at) {
  CdrWriter cdr(out);
  cdr.put(stamp);
  cdr.put(direction);
  cdr.put(event);
  cdr.put(index);
  cdr.put(size_bytes);
  cdr.put(sent_at);
  cdr.put(to_seconds(stamp - sent_at));
}

void encode_transforms(ByteBuffer& out, Time stamp, std::span<const FramePlace> places,
                       std::span<const FramePose> poses) {
  check(poses.empty() || poses.size() == places.size(), "one pose per frame");
  CdrWriter cdr(out);
  cdr.put_length(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    put_header(cdr, stamp, places[i].parent);
    cdr.put(places[i].child);
    put_pose(cdr, poses.empty() ? places[i].X_PC : poses[i]);
  }
}

void encode_path(ByteBuffer& out, Time stamp, std::string_view frame_id,
                 std::span<const PathPoint> ring, std::size_t first) {
  CdrWriter cdr(out);
  put_header(cdr, stamp, frame_id);
  cdr.put_length(ring.size());
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const PathPoint& point = ring[(first + i) % ring.size()];
    put_header(cdr, point.stamp, frame_id);
    put_pose(cdr, point.pose);
  }
}

}  // namespace longarm::record
