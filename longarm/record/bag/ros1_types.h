// SPDX-License-Identifier: Apache-2.0
// The ROS 1 message types that bags have here: their definitions, and the MD5 sums by which ROS 1
// programs recognise them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longarm::record {

/// One line of a definition.
struct MessageField {
  std::string type;  ///< without brackets, e.g. "float64", "time", "geometry_msgs/Pose"
  std::string name;
  bool is_array = false;
  std::string value;  ///< of a constant; empty: it is a field
};
using MessageFields = std::vector<MessageField>;

/// Of the lines of one type. Types without package are numbers, texts and times.
MessageFields parse_fields(std::string_view lines);

struct Ros1Type {
  std::string name;  ///< e.g. "sensor_msgs/JointState"
  MessageFields fields;
  std::string definition;  ///< with those of all types in it, as bags keep it
  std::string md5;
};

bool has_ros1_type(std::string_view name);
/// One of those that exist.
const Ros1Type& ros1_type(std::string_view name);

}  // namespace longarm::record
