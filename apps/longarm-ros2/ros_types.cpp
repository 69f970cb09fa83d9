// SPDX-License-Identifier: Apache-2.0
// Made by idlc from messages.idl; the hashes are what ROS 2's rosidl makes of its own definitions.
#include "apps/longarm-ros2/ros_types.h"

#include "messages.h"

namespace longarm::ros2 {
namespace {

/// Humble's has the name that its successors have.
dds_topic_descriptor_t renamed(dds_topic_descriptor_t descriptor) {
  descriptor.m_typename = rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc.m_typename;
  return descriptor;
}

const dds_topic_descriptor_t kHumblesInfo =
    renamed(humble_rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc);

}  // namespace

const RosType kClock{rosgraph_msgs_msg_dds__Clock__desc,
                     "692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564"};
const RosType kFloat64MultiArray{
    std_msgs_msg_dds__Float64MultiArray__desc,
    "1025ddc6b9552d191f89ef1a8d2f60f3d373e28b283d8891ddcc974e8c55397f"};
const RosType kJointState{sensor_msgs_msg_dds__JointState__desc,
                          "a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"};
const RosType kJointTrajectory{trajectory_msgs_msg_dds__JointTrajectory__desc,
                               "179b33eba59d676f6d967ac71fe35e7ca2f64b2f3928f4a018cec115e213796e"};
const RosType kString{std_msgs_msg_dds__String__desc,
                      "df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"};
const RosType kTfMessage{tf2_msgs_msg_dds__TFMessage__desc,
                         "e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"};
const RosType kParticipantEntitiesInfo{
    rmw_dds_common_msg_dds__ParticipantEntitiesInfo__desc,
    "91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"};
const RosType kParticipantEntitiesInfoOfHumble{kHumblesInfo, ""};

}  // namespace longarm::ros2
