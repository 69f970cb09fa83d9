// SPDX-License-Identifier: Apache-2.0
// The types of ROS 2's messages: how DDS finds their fields, and the hash that ROS 2 knows them by.
#pragma once

#include <dds/dds.h>

namespace longarm::ros2 {

struct RosType {
  const dds_topic_descriptor_t& descriptor;
  /// Of REP 2011: ROS 2 writes it beside the name, since Iron.
  const char* hash;
};

extern const RosType kClock;
extern const RosType kFloat64MultiArray;
extern const RosType kJointState;
extern const RosType kJointTrajectory;
extern const RosType kString;
extern const RosType kTfMessage;
extern const RosType kParticipantEntitiesInfo;
extern const RosType kParticipantEntitiesInfoOfHumble;

}  // namespace longarm::ros2
