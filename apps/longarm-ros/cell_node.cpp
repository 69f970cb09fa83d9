// SPDX-License-Identifier: Apache-2.0
// Lines are known by their keys.
#include "apps/longarm-ros/cell_node.h"

#include <chrono>

#include <rosgraph_msgs/Clock.h>

#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

const ros::WallDuration kParametersPeriod(0.1);
const ros::WallDuration kMasterPeriod(5.0);

}  // namespace

CellNode::CellNode(CellConnection& connection, const Welcome& welcome, bool has_clock)
    : connection_(connection),
      epoch_ns_(welcome.epoch_ns),
      requests_(connection),
      joints_(node_, welcome.robots),
      frames_(node_, welcome, ros_time(welcome.epoch_ns + welcome.t_ns)),
      devices_(node_, welcome),
      crcl_(node_, welcome.crcl, requests_),
      parameters_(node_, requests_),
      services_(node_, requests_),
      master_due_(ros::WallTime::now() + kMasterPeriod) {
  if (has_clock) {
    clock_ = node_.advertise<rosgraph_msgs::Clock>("/clock", 10);
    publish_clock(ros_time(welcome.epoch_ns + welcome.t_ns));
  }
  for (const Robot& robot : welcome.robots) {
    if (!robot.driven.empty()) {
      arms_[robot.name] = std::make_unique<ArmController>(node_, robot, epoch_ns_, requests_);
    }
  }
  for (const Gripper& gripper : welcome.grippers) {
    grippers_[gripper.name] = std::make_unique<GripperController>(node_, gripper, requests_);
  }
  parameters_.show(welcome.parameters);
  devices_.publish_state(welcome.is_paused ? "paused" : "running");
}

void CellNode::begin_again(const Welcome& welcome) {
  is_reset_ = false;
  // what was asked while there was no cell
  requests_.give_up("the cell began again meanwhile");
  abort_all("the cell began again meanwhile");
  publish_clock(ros_time(welcome.epoch_ns + welcome.t_ns));
  parameters_.show(welcome.parameters);
  devices_.publish_state(welcome.is_paused ? "paused" : "running");
}

void CellNode::publish_clock(const ros::Time& stamp) {
  if (clock_) {
    rosgraph_msgs::Clock message;
    message.clock = stamp;
    clock_.publish(message);
  }
}

CellNode::End CellNode::run() {
  std::string line;
  while (ros::ok()) {
    switch (connection_.next_line(line, std::chrono::milliseconds(100))) {
      case Line::kComplete:
        hear(Json::parse(line));
        break;
      case Line::kLate:
        break;
      case Line::kClosed:
        requests_.give_up(is_reset_ ? "" : "the connection to the cell is lost");
        abort_all(is_reset_ ? "the cell begins again" : "the cell is gone");
        return is_reset_ ? End::kReset : End::kCellGone;
    }
    if (!look_around()) {
      return End::kMasterGone;
    }
  }
  return End::kShutDown;
}

bool CellNode::look_around() {
  const ros::WallTime now = ros::WallTime::now();
  if (now >= parameters_due_) {
    parameters_due_ = now + kParametersPeriod;
    parameters_.look();
  }
  if (now >= master_due_) {
    master_due_ = now + kMasterPeriod;
    return ros::master::check();
  }
  return true;
}

void CellNode::abort_all(const std::string& why) {
  for (const auto& [name, arm] : arms_) {
    arm->abort_all(why);
  }
  for (const auto& [name, gripper] : grippers_) {
    gripper->abort_all(why);
  }
}

void CellNode::hear(const Json& line) {
  if (line.contains("answer")) {
    requests_.take(line);
    return;
  }
  const ros::Time stamp = ros_time(epoch_ns_ + line.value("t_ns", std::int64_t{0}));
  if (line.contains("joints") || line.contains("frames") || line.contains("progress")) {
    hear_stream(line, stamp);
  } else if (line.contains("goal")) {
    if (line.contains("robot") && arms_.count(line["robot"]) != 0) {
      arms_[line["robot"]]->hear_goal(line);
    } else if (line.contains("gripper") && grippers_.count(line["gripper"]) != 0) {
      grippers_[line["gripper"]]->hear_goal(line);
    }
  } else if (line.contains("crcl")) {
    crcl_.hear(line, stamp);
  } else if (line.contains("parameter")) {
    parameters_.hear(line);
  } else if (line.contains("state")) {
    is_reset_ = line["state"] == "reset";
    devices_.publish_state(line["state"]);
  } else if (line.contains("error")) {
    ROS_ERROR("the cell says: %s", line["error"].get<std::string>().c_str());
  } else if (line.contains("grippers")) {
    for (const auto& [name, gripper] : grippers_) {
      gripper->hear_progress(line["grippers"].at(name), stamp);
    }
  } else {
    devices_.hear(line, stamp);
  }
}

void CellNode::hear_stream(const Json& line, const ros::Time& stamp) {
  if (line.contains("progress")) {
    for (const auto& [name, arm] : arms_) {
      arm->hear_progress(line["progress"].at(name), stamp);
    }
    return;
  }
  // the clock last: who waits for it finds the states of that instant
  if (line.contains("joints")) {
    joints_.publish(line["joints"], stamp);
  }
  if (line.contains("frames")) {
    frames_.publish(line["frames"], stamp);
  }
  publish_clock(stamp);
}

}  // namespace longarm::ros_port
