// SPDX-License-Identifier: Apache-2.0
// A gripper, with the action of ros_controllers' gripper_action_controller.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include <actionlib/server/action_server.h>
#include <control_msgs/GripperCommandAction.h>
#include <ros/ros.h>

#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/requests.h"

namespace longarm::ros_port {

/// ROBOT_gripper_controller/gripper_cmd, and its limits as parameters beside it.
class GripperController {
 public:
  GripperController(ros::NodeHandle& node, const Gripper& gripper, Requests& requests);

  /// A line about a goal of this gripper.
  void hear_goal(const Json& line);
  /// How far it is, from a line with "grippers".
  void hear_progress(const Json& progress, const ros::Time& stamp);
  void abort_all(const std::string& why);

 private:
  using Server = actionlib::ActionServer<control_msgs::GripperCommandAction>;
  using Goal = Server::GoalHandle;
  using Result = control_msgs::GripperCommandResult;

  void take_goal(Goal goal);
  /// The goal, no longer kept if it `is_over`; false: it is not ours.
  bool find(const std::string& name, bool is_over, Goal& goal);

  std::string gripper_;
  Requests& requests_;
  std::mutex mutex_;
  std::map<std::string, Goal> goals_;  ///< that are not over, by name
  ros::Time feedback_due_;
  Server server_;
};

}  // namespace longarm::ros_port
