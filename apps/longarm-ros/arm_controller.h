// SPDX-License-Identifier: Apache-2.0
// An arm that takes goals, with the names and error codes of ros_controllers.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <actionlib/server/action_server.h>
#include <control_msgs/FollowJointTrajectoryAction.h>
#include <control_msgs/JointTrajectoryControllerState.h>
#include <ros/ros.h>
#include <std_msgs/Float64MultiArray.h>
#include <trajectory_msgs/JointTrajectory.h>

#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/requests.h"

namespace longarm::ros_port {

/// ARM_controller: the action follow_joint_trajectory and the topics command and state;
/// ARM_velocity_controller and ARM_position_controller: command.
class ArmController {
 public:
  ArmController(ros::NodeHandle& node, const Robot& robot, std::int64_t epoch_ns,
                Requests& requests);

  /// A line about a goal of this arm.
  void hear_goal(const Json& line);
  /// How far it is, from a line with "progress".
  void hear_progress(const Json& progress, const ros::Time& stamp);
  /// Its goals will not be heard of again.
  void abort_all(const std::string& why);

 private:
  using Action = control_msgs::FollowJointTrajectoryAction;
  using Result = control_msgs::FollowJointTrajectoryResult;
  using Server = actionlib::ActionServer<Action>;
  using Goal = Server::GoalHandle;

  void take_goal(Goal goal);
  void cancel(Goal goal);
  void take_command(const trajectory_msgs::JointTrajectory& trajectory);
  void take_values(const char* what, const std_msgs::Float64MultiArray& message);
  /// Without tolerances. Throws std::exception if numbers are no numbers.
  Json request_of(const trajectory_msgs::JointTrajectory& trajectory,
                  const std::string& name) const;
  std::string plain(const std::string& joint) const;
  void finish(const std::string& name, const std::string& state, int code, const std::string& text);

  Robot robot_;
  std::int64_t epoch_ns_;
  Requests& requests_;
  std::mutex mutex_;
  std::map<std::string, Goal> goals_;  ///< that are not over, by name
  std::uint64_t commands_ = 0;
  ros::Time feedback_due_;
  ros::Publisher state_;
  ros::Subscriber command_, velocity_, position_;
  Server server_;
};

}  // namespace longarm::ros_port
