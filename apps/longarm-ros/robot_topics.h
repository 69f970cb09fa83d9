// SPDX-License-Identifier: Apache-2.0
// What a cell shows of its robots: joint states, frames, descriptions.
#pragma once

#include <vector>

#include <geometry_msgs/TransformStamped.h>
#include <ros/ros.h>
#include <sensor_msgs/JointState.h>
#include <tf2_msgs/TFMessage.h>

#include "apps/longarm-ros/cell_messages.h"

namespace longarm::ros_port {

/// /joint_states has all robots, ROBOT/joint_states one each; and their robot_description.
class JointTopics {
 public:
  JointTopics(ros::NodeHandle& node, const std::vector<Robot>& robots);
  /// Of a line with "joints".
  void publish(const Json& joints, const ros::Time& stamp);

 private:
  struct OneRobot {
    std::string name;
    ros::Publisher publisher;
    sensor_msgs::JointState message;
  };

  ros::Publisher publisher_;
  sensor_msgs::JointState message_;
  std::vector<OneRobot> robots_;
};

/// /tf and /tf_static.
class FrameTopics {
 public:
  FrameTopics(ros::NodeHandle& node, const Welcome& welcome, const ros::Time& stamp);
  /// Of a line with "frames".
  void publish(const Json& frames, const ros::Time& stamp);

 private:
  ros::Publisher publisher_;
  ros::Publisher fixed_publisher_;
  tf2_msgs::TFMessage message_;
};

}  // namespace longarm::ros_port
