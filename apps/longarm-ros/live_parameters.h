// SPDX-License-Identifier: Apache-2.0
// Values of a running cell as ROS parameters: `rosparam set` changes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ros/ros.h>

#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/requests.h"

namespace longarm::ros_port {

/// Below longarm/, with the names that the cell has for them. The master tells this node of
/// changes, which look() passes on; a value that the cell refuses is set back.
class LiveParameters {
 public:
  LiveParameters(ros::NodeHandle& node, Requests& requests);

  /// Sets the parameters to what the cell has.
  void show(const std::vector<Parameter>& parameters);
  /// To be called now and then.
  void look();
  /// A line that says that one has changed.
  void hear(const Json& line);

 private:
  /// Sets the ROS parameter, unless a user has just set it to something else.
  void show(const std::string& name, const Json& value);

  std::string path(const std::string& name) const;

  ros::NodeHandle& node_;
  Requests& requests_;
  std::map<std::string, Json> known_;  ///< what the ROS parameters are, as far as we have seen
  std::map<std::string, Json> actual_;
};

}  // namespace longarm::ros_port
