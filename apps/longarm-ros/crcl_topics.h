// SPDX-License-Identifier: Apache-2.0
// Robots that execute CRCL: commands in, statuses out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ros/ros.h>

#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/requests.h"

namespace longarm::ros_port {

/// ROBOT/crcl/command and ROBOT/crcl/status.
class CrclTopics {
 public:
  CrclTopics(ros::NodeHandle& node, const std::vector<std::string>& robots, Requests& requests);
  /// A line with "crcl".
  void hear(const Json& line, const ros::Time& stamp);

 private:
  std::map<std::string, ros::Publisher> statuses_;
  std::vector<ros::Subscriber> commands_;
};

}  // namespace longarm::ros_port
