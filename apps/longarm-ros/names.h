// SPDX-License-Identifier: Apache-2.0
// Names and times of a cell, as ROS has them.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>

#include <ros/time.h>

namespace longarm::ros_port {

/// Of an action's feedback, as ros_controllers has it unless told otherwise.
inline const ros::Duration kFeedbackPeriod(1.0 / 20);

/// ROS allows letters, digits, _ and / in names.
inline std::string ros_name(std::string name) {
  for (char& each : name) {
    if (std::isalnum(static_cast<unsigned char>(each)) == 0 && each != '/') {
      each = '_';
    }
  }
  return name;
}

inline ros::Time ros_time(std::int64_t ns) {
  return ros::Time().fromNSec(static_cast<std::uint64_t>(ns < 0 ? 0 : ns));
}

/// Whether the next one is due that comes once in a period; sets when the one after it is.
inline bool is_due(ros::Time& due, const ros::Duration& period, const ros::Time& now) {
  if (now < due && due - now <= period) {  // else the cell has begun again
    return false;
  }
  due = now + period;
  return true;
}

}  // namespace longarm::ros_port
