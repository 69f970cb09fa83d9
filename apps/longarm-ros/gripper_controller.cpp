// SPDX-License-Identifier: Apache-2.0
// The cell closes, watches and decides; here it is translated.
#include "apps/longarm-ros/gripper_controller.h"

#include <cmath>
#include <vector>

#include "apps/longarm-ros/goal_end.h"
#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

template <typename Message>
Message message_of(const Json& from) {
  Message out;
  out.position = from.at("position");
  out.effort = from.at("effort");
  out.stalled = from.at("stalled").get<bool>();
  out.reached_goal = from.at("reached_goal").get<bool>();
  return out;
}

}  // namespace

GripperController::GripperController(ros::NodeHandle& node, const Gripper& gripper,
                                     Requests& requests)
    : gripper_(gripper.name),
      requests_(requests),
      server_(
          node, ros_name(gripper.name) + "_gripper_controller/gripper_cmd",
          [this](Goal goal) { take_goal(goal); },
          [this](Goal goal) {
            requests_.ask(
                {{"do", "cancel_grip"}, {"gripper", gripper_}, {"goal", goal.getGoalID().id}},
                [](const std::string&) {});
          },
          false) {
  const std::string name = ros_name(gripper.name) + "_gripper_controller/";
  node.setParam(name + "closed", gripper.closed);
  node.setParam(name + "open", gripper.open);
  node.setParam(name + "max_effort", gripper.max_effort_N);
  server_.start();
}

void GripperController::take_goal(Goal goal) {
  const std::string name = goal.getGoalID().id;
  const control_msgs::GripperCommand& command = goal.getGoal()->command;
  if (!std::isfinite(command.position) || !std::isfinite(command.max_effort)) {
    end_goal(goal, "rejected", Result(), "a number is not finite");
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    goals_[name] = goal;
  }
  Json request{
      {"do", "grip"}, {"gripper", gripper_}, {"goal", name}, {"position", command.position}};
  if (command.max_effort > 0.0) {
    request["max_effort"] = command.max_effort;
  }
  requests_.ask(std::move(request), [this, name](const std::string& error) {
    Goal refused;
    if (!error.empty() && find(name, true, refused)) {
      end_goal(refused, "rejected", Result(), error);
    }
  });
}

bool GripperController::find(const std::string& name, bool is_over, Goal& goal) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = goals_.find(name);
  if (found == goals_.end()) {
    return false;
  }
  goal = found->second;
  if (is_over) {
    goals_.erase(found);
  }
  return true;
}

void GripperController::hear_goal(const Json& line) {
  const std::string state = line.at("state");
  Goal goal;
  if (!find(line.at("goal"), state != "accepted", goal)) {
    return;
  }
  if (state == "accepted") {
    goal.setAccepted();
  } else {
    end_goal(goal, state, message_of<Result>(line), line.at("text"));
  }
}

void GripperController::abort_all(const std::string& why) {
  std::map<std::string, Goal> goals;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    goals.swap(goals_);
  }
  for (const auto& [name, goal] : goals) {
    end_goal(goal, "aborted", Result(), why);
  }
}

void GripperController::hear_progress(const Json& progress, const ros::Time& stamp) {
  Goal goal;
  if (!is_due(feedback_due_, kFeedbackPeriod, stamp) || !find(progress.at("goal"), false, goal)) {
    return;
  }
  goal.publishFeedback(message_of<control_msgs::GripperCommandFeedback>(progress));
}

}  // namespace longarm::ros_port
