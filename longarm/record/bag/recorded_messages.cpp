// SPDX-License-Identifier: Apache-2.0
// One way to read both kinds of files, and both kinds of bytes.
#include "longarm/record/bag/recorded_messages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/record/bag/bag_reader.h"
#include "longarm/record/bag/ros1_reader.h"
#include "longarm/record/bag/ros1_types.h"
#include "longarm/record/cdr.h"
#include "longarm/record/mcap_reader.h"

namespace longarm::record {
namespace {

namespace fs = std::filesystem;

/// Counts what it hands on.
class TopicCounter {
 public:
  explicit TopicCounter(const RecordedCallback& on_message) : on_message_(on_message) {}

  void take(const RecordedMessage& message) {
    auto [place, is_new] = topics_.try_emplace(message.topic);
    RecordedTopic& topic = place->second;
    if (is_new) {
      topic = {message.topic, message.type, 0, message.received, message.received};
    }
    ++topic.count;
    topic.first = std::min(topic.first, message.received);
    topic.last = std::max(topic.last, message.received);
    if (on_message_) {
      on_message_(message);
    }
  }
  std::vector<RecordedTopic> topics() const {
    std::vector<RecordedTopic> all;
    for (const auto& [name, topic] : topics_) {
      all.push_back(topic);
    }
    return all;
  }

 private:
  const RecordedCallback& on_message_;
  std::map<std::string, RecordedTopic> topics_;
};

std::optional<Error> read_rosbag(const std::string& path, TopicCounter& counter) {
  const Result<BagContents> contents = read_bag(path, [&](const BagMessage& message) {
    const BagConnection& from = message.connection;
    counter.take({RosVersion::kRos1, from.topic, from.type, from.definition, from.md5, message.time,
                  message.data});
  });
  return contents ? std::nullopt : std::optional(contents.error());
}

std::optional<Error> read_ros2_file(const std::string& path, TopicCounter& counter,
                                    std::vector<std::string>& remarks) {
  const std::string no_md5;
  const Result<McapContents> contents = read_mcap(path, [&](const McapMessage& message) {
    if (message.channel.message_encoding == "cdr") {
      counter.take({RosVersion::kRos2, message.channel.topic, message.schema.name,
                    message.schema.text, no_md5, message.log_time, message.data});
    }
  });
  if (!contents) {
    return contents.error();
  }
  if (contents->is_damaged) {
    return Error{fmt::format("{} is {}", path, contents->problem)};
  }
  if (!contents->problem.empty()) {
    remarks.push_back(
        fmt::format("{} is {}; the messages before are used", path, contents->problem));
  }
  return std::nullopt;
}

/// The files of a `ros2 bag`, in their order.
Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> files;
  bool has_database = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".mcap") {
      files.push_back(entry.path());
    }
    has_database = has_database || entry.path().extension() == ".db3";
  }
  if (files.empty()) {
    return Error{has_database ? folder +
                                    " holds an SQLite database of ROS 2; convert it to MCAP with "
                                    "`ros2 bag convert`"
                              : folder + " holds no MCAP file"};
  }
  // NAME_10 comes after NAME_9
  std::sort(files.begin(), files.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return files;
}

bool is_type(const RecordedMessage& message, std::string_view package, std::string_view name) {
  const std::string_view middle = message.version == RosVersion::kRos1 ? "/" : "/msg/";
  return message.type == fmt::format("{}{}{}", package, middle, name);
}

/// Whether its definition is the one that is known here; always of ROS 2, which has no sums.
std::optional<Error> check_md5(const RecordedMessage& message) {
  if (message.version == RosVersion::kRos2 || ros1_type(message.type).md5 == message.md5) {
    return std::nullopt;
  }
  return Error{fmt::format("{}: its {} has another definition (MD5 sum {}, expected {})",
                           message.topic, message.type, message.md5, ros1_type(message.type).md5)};
}

template <typename Reader>
RosHeader get_header(Reader& in, RosVersion version) {
  RosHeader header;
  header.sequence = version == RosVersion::kRos1 ? in.template get<std::uint32_t>() : 0;
  header.stamp = in.get_time();
  return header;
}

template <typename Reader>
JointStateMessage get_joint_state(Reader& in, RosVersion version) {
  JointStateMessage message;
  message.stamp = get_header(in, version).stamp;
  message.frame_id = in.get_string();
  message.names = in.get_strings();
  message.positions = in.get_numbers();
  message.velocities = in.get_numbers();
  message.efforts = in.get_numbers();
  return message;
}

template <typename Reader>
JointTrajectoryMessage get_joint_trajectory(Reader& in, RosVersion version) {
  constexpr std::size_t kSmallestPoint = 4 * sizeof(std::uint32_t) + 8;
  JointTrajectoryMessage message;
  get_header(in, version);
  in.get_string();
  message.names = in.get_strings();
  const std::size_t count = in.get_length(kSmallestPoint);
  for (std::size_t i = 0; i < count && !in.has_failed(); ++i) {
    JointTrajectoryPointMessage point;
    point.positions = in.get_numbers();
    point.velocities = in.get_numbers();
    point.accelerations = in.get_numbers();
    in.get_numbers();  // efforts
    const auto seconds = static_cast<std::int32_t>(in.template get<std::uint32_t>());
    const auto nanoseconds = static_cast<std::int32_t>(in.template get<std::uint32_t>());
    point.time_from_start = std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds);
    message.points.push_back(std::move(point));
  }
  return message;
}

/// What `get(reader, version)` makes of the bytes, whoever wrote them.
template <typename Get>
auto decode(const RecordedMessage& message, Get get)
    -> Result<decltype(get(std::declval<Ros1Reader&>(), RosVersion::kRos1))> {
  const auto finish = [&](const auto& in, auto value) -> Result<decltype(value)> {
    if (in.has_failed()) {
      return Error{fmt::format("{}: a message is not a {}", message.topic, message.type)};
    }
    return value;
  };
  if (message.version == RosVersion::kRos1) {
    Ros1Reader in(message.data);
    auto value = get(in, message.version);
    return finish(in, std::move(value));
  }
  CdrReader in(message.data);
  auto value = get(in, message.version);
  return finish(in, std::move(value));
}

}  // namespace

Result<Recording> read_recording(const std::string& path, const RecordedCallback& on_message) {
  TopicCounter counter(on_message);
  Recording recording;
  std::optional<Error> error;
  if (fs::is_directory(path)) {
    const Result<std::vector<std::string>> files = files_in(path);
    if (!files) {
      return files.error();
    }
    for (const std::string& file : *files) {
      error = error ? error : read_ros2_file(file, counter, recording.remarks);
    }
  } else if (path.ends_with(".mcap")) {
    error = read_ros2_file(path, counter, recording.remarks);
  } else {
    error = read_rosbag(path, counter);
  }
  if (error) {
    return *std::move(error);
  }
  recording.topics = counter.topics();
  return recording;
}

/// The first line of a definition that is neither empty, a comment nor a constant says so.
bool has_ros_header(const RecordedMessage& message) {
  for (std::string_view rest = message.definition; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty() || line.starts_with('#') || line.find('=') < line.find('#')) {
      continue;
    }
    const std::string_view type = line.substr(0, line.find_first_of(" \t"));
    return type == "Header" || type == "std_msgs/Header" || type == "std_msgs/msg/Header";
  }
  return false;
}

Result<RosHeader> header_of(const RecordedMessage& message) {
  return decode(message, [](auto& in, RosVersion version) { return get_header(in, version); });
}

bool is_joint_state(const RecordedMessage& message) {
  return is_type(message, "sensor_msgs", "JointState");
}

bool is_joint_trajectory(const RecordedMessage& message) {
  return is_type(message, "trajectory_msgs", "JointTrajectory");
}

Result<JointStateMessage> joint_state_of(const RecordedMessage& message) {
  if (std::optional<Error> error = check_md5(message)) {
    return *std::move(error);
  }
  return decode(message, [](auto& in, RosVersion version) { return get_joint_state(in, version); });
}

Result<JointTrajectoryMessage> joint_trajectory_of(const RecordedMessage& message) {
  if (std::optional<Error> error = check_md5(message)) {
    return *std::move(error);
  }
  return decode(message,
                [](auto& in, RosVersion version) { return get_joint_trajectory(in, version); });
}

}  // namespace longarm::record
