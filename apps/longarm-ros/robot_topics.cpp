// SPDX-License-Identifier: Apache-2.0
// Messages are kept and filled again each time.
#include "apps/longarm-ros/robot_topics.h"

#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

geometry_msgs::TransformStamped transform_of(const Frame& frame, const Place& place,
                                             const ros::Time& stamp) {
  geometry_msgs::TransformStamped out;
  out.header.stamp = stamp;
  out.header.frame_id = frame.parent;
  out.child_frame_id = frame.child;
  out.transform.translation.x = place[0];
  out.transform.translation.y = place[1];
  out.transform.translation.z = place[2];
  out.transform.rotation.x = place[3];
  out.transform.rotation.y = place[4];
  out.transform.rotation.z = place[5];
  out.transform.rotation.w = place[6];
  return out;
}

}  // namespace

JointTopics::JointTopics(ros::NodeHandle& node, const std::vector<Robot>& robots) {
  publisher_ = node.advertise<sensor_msgs::JointState>("joint_states", 100);
  for (const Robot& robot : robots) {
    OneRobot one;
    one.name = robot.name;
    one.message.name = robot.joints;
    for (const std::string& joint : robot.joints) {
      message_.name.push_back(robot.prefix + joint);
    }
    const std::string name = ros_name(robot.name);
    one.publisher = node.advertise<sensor_msgs::JointState>(name + "/joint_states", 100);
    node.setParam(robots.size() == 1 ? "robot_description" : name + "/robot_description",
                  robot.description);
    robots_.push_back(std::move(one));
  }
}

void JointTopics::publish(const Json& joints, const ros::Time& stamp) {
  message_.header.stamp = stamp;
  message_.position.clear();
  message_.velocity.clear();
  message_.effort.clear();
  for (OneRobot& robot : robots_) {
    const JointValues values = joint_values(joints.at(robot.name));
    append(message_.position, values.positions);
    append(message_.velocity, values.velocities);
    append(message_.effort, values.efforts);
    if (robot.publisher.getNumSubscribers() > 0) {
      robot.message.header.stamp = stamp;
      robot.message.position = values.positions;
      robot.message.velocity = values.velocities;
      robot.message.effort = values.efforts;
      robot.publisher.publish(robot.message);
    }
  }
  publisher_.publish(message_);
}

FrameTopics::FrameTopics(ros::NodeHandle& node, const Welcome& welcome, const ros::Time& stamp) {
  publisher_ = node.advertise<tf2_msgs::TFMessage>("/tf", 100);
  fixed_publisher_ = node.advertise<tf2_msgs::TFMessage>("/tf_static", 1, true);
  tf2_msgs::TFMessage fixed;
  for (const Frame& frame : welcome.fixed) {
    fixed.transforms.push_back(transform_of(frame, frame.place, stamp));
  }
  fixed_publisher_.publish(fixed);
  for (const Frame& frame : welcome.moving) {
    message_.transforms.push_back(transform_of(frame, {0, 0, 0, 0, 0, 0, 1}, stamp));
  }
}

void FrameTopics::publish(const Json& frames, const ros::Time& stamp) {
  for (std::size_t i = 0; i < message_.transforms.size(); ++i) {
    geometry_msgs::TransformStamped& transform = message_.transforms[i];
    transform = transform_of({transform.header.frame_id, transform.child_frame_id, {}},
                             place_of(frames.at(i)), stamp);
  }
  publisher_.publish(message_);
}

}  // namespace longarm::ros_port
