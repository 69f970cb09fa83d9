// SPDX-License-Identifier: Apache-2.0
// An ordinary ROS 1 node for the tests of programs: says what time it is 1000 times a second, or
// listens and counts how long that took. C++17, which Debian's ROS headers need.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>

#include <ros/ros.h>
#include <std_msgs/Time.h>

namespace {

constexpr int kMessages = 2000;

void talk(ros::NodeHandle& node) {
  ros::Publisher publisher = node.advertise<std_msgs::Time>("clock_of_robot", 10);
  ros::Rate rate(1000);
  for (int sent = 0; sent < kMessages; rate.sleep()) {
    if (publisher.getNumSubscribers() < 2) {
      continue;  // the listener and the recorder
    }
    std_msgs::Time message;
    message.data = ros::Time::now();
    publisher.publish(message);
    ++sent;
  }
  publisher.publish(std_msgs::Time());  // that was all
  ros::Duration(0.5).sleep();
}

void listen(ros::NodeHandle& node) {
  std::map<std::int64_t, int> delays;
  const auto hear = [&](const std_msgs::Time::ConstPtr& message) {
    if (message->data.isZero()) {
      ros::shutdown();
    } else {
      ++delays[(ros::Time::now() - message->data).toNSec()];
    }
  };
  const ros::Subscriber subscriber = node.subscribe<std_msgs::Time>(
      "clock_of_robot", 10, hear, ros::VoidConstPtr(), ros::TransportHints().tcpNoDelay());
  ros::spin();
  for (const auto& [delay, times] : delays) {
    std::printf("%d after %lld\n", times, static_cast<long long>(delay));
  }
}

}  // namespace

int main(int count, char** words) {
  const bool talks = count > 1 && std::strcmp(words[1], "talk") == 0;
  ros::init(count, words, talks ? "talker" : "listener", ros::init_options::NoRosout);
  ros::NodeHandle node;
  if (talks) {
    talk(node);
  } else {
    listen(node);
  }
}
