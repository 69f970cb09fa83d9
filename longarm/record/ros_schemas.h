// SPDX-License-Identifier: Apache-2.0
// What the fields of the ROS messages in a trace are called, in the text form that readers parse.
#pragma once

#include <string>
#include <string_view>

namespace longarm::record {

/// `type` is a full name such as "sensor_msgs/msg/JointState", one that we write. The text holds
/// its fields and, below lines of equal signs, those of every type it uses ("ros2msg").
std::string ros_schema(std::string_view type);

/// What a player of a file offers to subscribers, as rosbag2 keeps it: reliable, the last ten
/// messages; of a latched topic the last one, also for those that come late.
std::string quality_of_service(bool is_kept);

}  // namespace longarm::record
