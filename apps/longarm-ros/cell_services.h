// SPDX-License-Identifier: Apache-2.0
// What ROS programs may ask of a cell as a whole.
#pragma once

#include <vector>

#include <ros/ros.h>

#include "apps/longarm-ros/requests.h"

namespace longarm::ros_port {

/// longarm/pause, resume, reset and step, and longarm/set_parameter.
class CellServices {
 public:
  CellServices(ros::NodeHandle& node, Requests& requests);

 private:
  std::vector<ros::ServiceServer> servers_;
};

}  // namespace longarm::ros_port
