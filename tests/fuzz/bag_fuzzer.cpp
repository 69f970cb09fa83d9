// SPDX-License-Identifier: Apache-2.0
// Bags that others recorded, the messages in them, and trajectories in files.
#include <string>

#include "longarm/motion/trajectory_file.h"
#include "longarm/record/bag/bag_reader.h"
#include "longarm/record/bag/recorded_messages.h"
#include "longarm/record/bag/ros1_types.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::record;

void read_message(RosVersion version, std::span<const std::byte> data) {
  static const std::string topic = "/topic";
  for (const std::string name : {"sensor_msgs/JointState", "trajectory_msgs/JointTrajectory"}) {
    const Ros1Type& known = ros1_type(name);
    const std::size_t slash = name.find('/');
    const std::string type =
        version == RosVersion::kRos1 ? name : name.substr(0, slash) + "/msg" + name.substr(slash);
    const RecordedMessage message{version, topic, type, known.definition, known.md5, Time{}, data};
    require(has_ros_header(message), "both types start with a header");
    (void)header_of(message);
    if (is_joint_state(message)) {
      (void)joint_state_of(message);
    } else if (const auto plan = joint_trajectory_of(message)) {
      require(plan->points.size() <= data.size(), "a point takes some bytes");
    }
  }
}

void read_file(std::string_view bytes) {
  std::uint64_t messages = 0;
  const auto contents = read_bag_bytes(as_bytes(bytes), "it", [&](const BagMessage& message) {
    ++messages;
    read_message(RosVersion::kRos1, message.data);
    const RecordedMessage recorded{RosVersion::kRos1,
                                   message.connection.topic,
                                   message.connection.type,
                                   message.connection.definition,
                                   message.connection.md5,
                                   message.time,
                                   message.data};
    if (has_ros_header(recorded)) {
      (void)header_of(recorded);
    }
    require(message.time.time_since_epoch().count() >= 0, "no time is before zero");
  });
  require(contents ? contents->message_count == messages
                   : contents.error().message.starts_with("it ") ||
                         contents.error().message.starts_with("cannot read it"),
          "an error names the file, a success counts");
}

void read_trajectory(std::string_view text) {
  const auto read = motion::read_trajectory_csv(text);
  if (!read) {
    return;
  }
  const std::string once = motion::trajectory_csv(*read);
  const auto again = motion::read_trajectory_csv(once);
  require(again && motion::trajectory_csv(*again) == once, "a trajectory goes round");
  (void)motion::Trajectory::make(read->points);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  read_file(bytes);
  read_message(RosVersion::kRos1, as_bytes(bytes));
  read_message(RosVersion::kRos2, as_bytes(bytes));
  read_trajectory(bytes);
  return 0;
}
