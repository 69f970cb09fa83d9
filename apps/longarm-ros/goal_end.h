// SPDX-License-Identifier: Apache-2.0
// What becomes of a goal, from the cell's words to actionlib's.
#pragma once

#include <string>

#include <actionlib_msgs/GoalStatus.h>

namespace longarm::ros_port {

/// `state` is the cell's: succeeded, rejected, cancelled or aborted.
template <typename Goal, typename Result>
void end_goal(Goal goal, const std::string& state, const Result& result, const std::string& text) {
  using actionlib_msgs::GoalStatus;
  const auto status = goal.getGoalStatus().status;
  if (state == "succeeded") {
    goal.setSucceeded(result, text);
  } else if (state == "cancelled") {
    goal.setCanceled(result, text);
  } else if (status == GoalStatus::PENDING || status == GoalStatus::RECALLING) {
    goal.setRejected(result, text);  // it never was active, so that it cannot be aborted
  } else {
    goal.setAborted(result, text);
  }
}

}  // namespace longarm::ros_port
