// SPDX-License-Identifier: Apache-2.0
// The ROS node: hands lines of the cell to whom they are for.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <ros/ros.h>

#include "apps/longarm-ros/arm_controller.h"
#include "apps/longarm-ros/cell_connection.h"
#include "apps/longarm-ros/cell_messages.h"
#include "apps/longarm-ros/cell_services.h"
#include "apps/longarm-ros/crcl_topics.h"
#include "apps/longarm-ros/device_topics.h"
#include "apps/longarm-ros/gripper_controller.h"
#include "apps/longarm-ros/live_parameters.h"
#include "apps/longarm-ros/requests.h"
#include "apps/longarm-ros/robot_topics.h"

namespace longarm::ros_port {

class CellNode {
 public:
  /// The connection has given the welcome already. `has_clock`: publishes /clock.
  CellNode(CellConnection& connection, const Welcome& welcome, bool has_clock);

  enum class End {
    kShutDown,  ///< ROS wants it
    kReset,     ///< the cell begins again: join it anew
    kCellGone,
    kMasterGone,
  };
  /// Until something ends it; callbacks of ROS are somebody else's.
  End run();
  /// Joined anew after a reset.
  void begin_again(const Welcome& welcome);

 private:
  void hear(const Json& line);
  void hear_stream(const Json& line, const ros::Time& stamp);
  void abort_all(const std::string& why);
  void publish_clock(const ros::Time& stamp);
  /// False: the master is gone.
  bool look_around();

  CellConnection& connection_;
  std::int64_t epoch_ns_;
  bool is_reset_ = false;
  ros::NodeHandle node_;
  ros::Publisher clock_;
  Requests requests_;
  JointTopics joints_;
  FrameTopics frames_;
  DeviceTopics devices_;
  CrclTopics crcl_;
  LiveParameters parameters_;
  std::map<std::string, std::unique_ptr<ArmController>> arms_;
  std::map<std::string, std::unique_ptr<GripperController>> grippers_;
  CellServices services_;
  ros::WallTime parameters_due_, master_due_;
};

}  // namespace longarm::ros_port
