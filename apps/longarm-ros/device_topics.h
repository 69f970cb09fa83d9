// SPDX-License-Identifier: Apache-2.0
// What the sensors of a cell report, what happens in it, and how it is.
#pragma once

#include <map>
#include <string>

#include <ros/ros.h>

#include "apps/longarm-ros/cell_messages.h"

namespace longarm::ros_port {

/// CAMERA/detections and CAMERA/poses, CURTAIN/state, longarm/events, longarm/state and
/// /diagnostics.
class DeviceTopics {
 public:
  DeviceTopics(ros::NodeHandle& node, const Welcome& welcome);

  /// Publishes it if it is one of those lines.
  void hear(const Json& line, const ros::Time& stamp);
  void publish_state(const std::string& state);

 private:
  void hear_camera(const Json& line);
  void hear_curtain(const Json& line);
  void hear_event(const Json& event, const ros::Time& stamp);
  void hear_diagnostics(const Json& list, const ros::Time& stamp);

  std::int64_t epoch_ns_;
  std::map<std::string, ros::Publisher> detections_, poses_, curtains_;
  ros::Publisher events_, state_, diagnostics_;
};

}  // namespace longarm::ros_port
