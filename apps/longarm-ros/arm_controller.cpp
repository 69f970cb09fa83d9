// SPDX-License-Identifier: Apache-2.0
// The cell follows goals and watches their tolerances; here they are translated.
#include "apps/longarm-ros/arm_controller.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "apps/longarm-ros/goal_end.h"
#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

using trajectory_msgs::JointTrajectory;
using trajectory_msgs::JointTrajectoryPoint;

void check(const std::vector<double>& numbers) {
  for (const double each : numbers) {
    if (!std::isfinite(each)) {
      throw std::invalid_argument("a number is not finite");
    }
  }
}

JointTrajectoryPoint point_of(const Json& progress, const char* positions, const char* velocities) {
  JointTrajectoryPoint out;
  out.positions = progress.at(positions).get<std::vector<double>>();
  if (velocities != nullptr) {
    out.velocities = progress.at(velocities).get<std::vector<double>>();
  }
  return out;
}

}  // namespace

ArmController::ArmController(ros::NodeHandle& node, const Robot& robot, std::int64_t epoch_ns,
                             Requests& requests)
    : robot_(robot),
      epoch_ns_(epoch_ns),
      requests_(requests),
      server_(
          node, ros_name(robot.name) + "_controller/follow_joint_trajectory",
          [this](Goal goal) { take_goal(goal); }, [this](Goal goal) { cancel(goal); }, false) {
  const std::string name = ros_name(robot.name);
  state_ =
      node.advertise<control_msgs::JointTrajectoryControllerState>(name + "_controller/state", 10);
  const auto no_delay = ros::TransportHints().tcpNoDelay();
  using Numbers = std_msgs::Float64MultiArray;
  command_ = node.subscribe<JointTrajectory>(
      name + "_controller/command", 10,
      [this](const JointTrajectory::ConstPtr& message) { take_command(*message); }, {}, no_delay);
  velocity_ = node.subscribe<Numbers>(
      name + "_velocity_controller/command", 10,
      [this](const Numbers::ConstPtr& message) { take_values("velocity", *message); }, {},
      no_delay);
  position_ = node.subscribe<Numbers>(
      name + "_position_controller/command", 10,
      [this](const Numbers::ConstPtr& message) { take_values("position", *message); }, {},
      no_delay);
  server_.start();
}

std::string ArmController::plain(const std::string& joint) const {
  const std::string& prefix = robot_.prefix;
  return joint.compare(0, prefix.size(), prefix) == 0 ? joint.substr(prefix.size()) : joint;
}

Json ArmController::request_of(const JointTrajectory& trajectory, const std::string& name) const {
  Json request{{"do", "follow"}, {"robot", robot_.name}, {"goal", name}};
  request["joints"] = Json::array();
  for (const std::string& joint : trajectory.joint_names) {
    request["joints"].push_back(plain(joint));
  }
  request["points"] = Json::array();
  for (const JointTrajectoryPoint& point : trajectory.points) {
    Json out{{"t_ns", point.time_from_start.toNSec()}, {"q", point.positions}};
    check(point.positions);
    if (!point.velocities.empty()) {
      check(point.velocities);
      out["v"] = point.velocities;
    }
    if (!point.accelerations.empty()) {
      check(point.accelerations);
      out["a"] = point.accelerations;
    }
    request["points"].push_back(std::move(out));
  }
  if (!trajectory.header.stamp.isZero()) {
    request["start_ns"] = static_cast<std::int64_t>(trajectory.header.stamp.toNSec()) - epoch_ns_;
  }
  return request;
}

void ArmController::take_goal(Goal goal) {
  const std::string name = goal.getGoalID().id;
  const auto& wanted = *goal.getGoal();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    goals_[name] = goal;
  }
  try {
    Json request = request_of(wanted.trajectory, name);
    for (const auto& [key, tolerances] : {std::pair<const char*, decltype(&wanted.path_tolerance)>(
                                              "path_tolerance_rad", &wanted.path_tolerance),
                                          {"goal_tolerance_rad", &wanted.goal_tolerance}}) {
      for (const control_msgs::JointTolerance& each : *tolerances) {
        check({each.position, each.velocity});
        if (each.position != 0.0) {  // 0: the controller's own
          request[key][plain(each.name)] = each.position;
        }
      }
    }
    double stopped = 0.0;
    for (const control_msgs::JointTolerance& each : wanted.goal_tolerance) {
      if (each.velocity > 0.0) {
        stopped = stopped > 0.0 ? std::min(stopped, each.velocity) : each.velocity;
      }
    }
    if (stopped > 0.0) {
      request["stopped_velocity_rad_s"] = stopped;
    }
    if (wanted.goal_time_tolerance > ros::Duration(0)) {
      request["goal_time_ns"] = wanted.goal_time_tolerance.toNSec();
    }
    requests_.ask(std::move(request), [this, name](const std::string& error) {
      if (!error.empty()) {
        finish(name, "rejected", Result::INVALID_GOAL, error);
      }
    });
  } catch (const std::invalid_argument& problem) {
    finish(name, "rejected", Result::INVALID_GOAL, problem.what());
  }
}

void ArmController::cancel(Goal goal) {
  requests_.ask({{"do", "cancel"}, {"robot", robot_.name}, {"goal", goal.getGoalID().id}},
                [](const std::string&) {});
}

void ArmController::take_command(const JointTrajectory& trajectory) {
  const auto complain = [this](const std::string& error) {
    if (!error.empty()) {
      ROS_ERROR("%s_controller/command: %s", ros_name(robot_.name).c_str(), error.c_str());
    }
  };
  if (trajectory.points.empty()) {
    requests_.ask({{"do", "cancel"}, {"robot", robot_.name}}, complain);
    return;
  }
  try {
    requests_.ask(request_of(trajectory, "command " + std::to_string(++commands_)), complain);
  } catch (const std::invalid_argument& problem) {
    complain(problem.what());
  }
}

void ArmController::take_values(const char* what, const std_msgs::Float64MultiArray& message) {
  try {
    check(message.data);
  } catch (const std::invalid_argument& problem) {
    ROS_ERROR("%s command for %s: %s", what, robot_.name.c_str(), problem.what());
    return;
  }
  requests_.ask({{"do", what}, {"robot", robot_.name}, {"values", message.data}},
                [this, what](const std::string& error) {
                  if (!error.empty()) {
                    ROS_ERROR("%s command for %s: %s", what, robot_.name.c_str(), error.c_str());
                  }
                });
}

void ArmController::hear_goal(const Json& line) {
  const std::string name = line.at("goal");
  const std::string state = line.at("state");
  if (state != "accepted") {
    finish(name, state, line.at("code"), line.at("text"));
    return;
  }
  Goal goal;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = goals_.find(name);
    if (found == goals_.end()) {
      return;
    }
    goal = found->second;
  }
  goal.setAccepted();
}

// actionlib has a lock of its own and holds it while it calls us, so ours is free when we call it
void ArmController::finish(const std::string& name, const std::string& state, int code,
                           const std::string& text) {
  Goal goal;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = goals_.find(name);
    if (found == goals_.end()) {
      if (state == "rejected" || state == "aborted") {  // it came by the topic
        ROS_ERROR("%s_controller: %s is %s: %s", ros_name(robot_.name).c_str(), name.c_str(),
                  state.c_str(), text.c_str());
      }
      return;
    }
    goal = found->second;
    goals_.erase(found);
  }
  Result result;
  result.error_code = code;
  result.error_string = text;
  end_goal(goal, state, result, text);
}

void ArmController::abort_all(const std::string& why) {
  std::vector<std::string> names;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [name, goal] : goals_) {
      names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    finish(name, "aborted", Result::INVALID_GOAL, why);
  }
}

void ArmController::hear_progress(const Json& progress, const ros::Time& stamp) {
  control_msgs::JointTrajectoryControllerState state;
  state.header.stamp = stamp;
  state.joint_names = robot_.driven;
  state.desired = point_of(progress, "desired", "desired_velocities");
  state.actual = point_of(progress, "actual", "actual_velocities");
  state.error = point_of(progress, "error", nullptr);
  for (std::size_t i = 0; i < state.desired.velocities.size(); ++i) {
    state.error.velocities.push_back(state.desired.velocities[i] - state.actual.velocities[i]);
  }
  state_.publish(state);
  if (!is_due(feedback_due_, kFeedbackPeriod, stamp)) {
    return;
  }
  Goal goal;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = goals_.find(progress.at("goal"));
    if (found == goals_.end()) {
      return;
    }
    goal = found->second;
  }
  control_msgs::FollowJointTrajectoryFeedback feedback;
  feedback.header = state.header;
  feedback.joint_names = state.joint_names;
  feedback.desired = state.desired;
  feedback.actual = state.actual;
  feedback.error = state.error;
  goal.publishFeedback(feedback);
}

}  // namespace longarm::ros_port
