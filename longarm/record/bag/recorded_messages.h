// SPDX-License-Identifier: Apache-2.0
// Messages that ROS recorded, of either version: rosbag's files, and the MCAP files of `ros2 bag`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/record/ros_messages.h"

namespace longarm::record {

enum class RosVersion { kRos1, kRos2 };

/// Good while the callback runs.
struct RecordedMessage {
  RosVersion version;
  const std::string& topic;
  const std::string& type;        ///< as its version of ROS writes it
  const std::string& definition;  ///< of the type
  const std::string& md5;         ///< of ROS 1
  Time received{};
  std::span<const std::byte> data;
};

struct RecordedTopic {
  std::string topic;
  std::string type;
  std::uint64_t count = 0;
  Time first{}, last{};  ///< when messages were received
};

struct Recording {
  std::vector<RecordedTopic> topics;  ///< with messages, by name
  std::vector<std::string> remarks;   ///< what to know before trusting it
};

using RecordedCallback = std::function<void(const RecordedMessage&)>;

/// `path` is a .bag or .mcap file, or the folder of a `ros2 bag`. The error says what is wrong with
/// it and what to do.
Result<Recording> read_recording(const std::string& path, const RecordedCallback& on_message = {});

/// std_msgs/Header.
struct RosHeader {
  std::uint32_t sequence = 0;  ///< zero in ROS 2
  Time stamp{};
};
/// If the type starts with one.
bool has_ros_header(const RecordedMessage& message);
Result<RosHeader> header_of(const RecordedMessage& message);

struct JointTrajectoryPointMessage {
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> accelerations;
  Duration time_from_start{0};
};

/// trajectory_msgs/JointTrajectory
struct JointTrajectoryMessage {
  std::vector<std::string> names;
  std::vector<JointTrajectoryPointMessage> points;
};

bool is_joint_state(const RecordedMessage& message);
bool is_joint_trajectory(const RecordedMessage& message);
Result<JointStateMessage> joint_state_of(const RecordedMessage& message);
Result<JointTrajectoryMessage> joint_trajectory_of(const RecordedMessage& message);

}  // namespace longarm::record
