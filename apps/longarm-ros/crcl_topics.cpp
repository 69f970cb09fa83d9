// SPDX-License-Identifier: Apache-2.0
// Of a status, what most want to know; the rest is in its text.
#include "apps/longarm-ros/crcl_topics.h"

#include <longarm_msgs/CrclCommand.h>
#include <longarm_msgs/CrclStatus.h>
#include <pugixml.hpp>

#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {

CrclTopics::CrclTopics(ros::NodeHandle& node, const std::vector<std::string>& robots,
                       Requests& requests) {
  using longarm_msgs::CrclCommand;
  for (const std::string& robot : robots) {
    const std::string name = ros_name(robot) + "/crcl";
    statuses_[robot] = node.advertise<longarm_msgs::CrclStatus>(name + "/status", 100);
    const auto take = [robot, &requests](const CrclCommand::ConstPtr& command) {
      requests.ask({{"do", "crcl"}, {"robot", robot}, {"text", command->text}},
                   [robot](const std::string& error) {
                     if (!error.empty()) {
                       ROS_ERROR("CRCL command for %s: %s", robot.c_str(), error.c_str());
                     }
                   });
    };
    commands_.push_back(node.subscribe<CrclCommand>(name + "/command", 100, take, {},
                                                    ros::TransportHints().tcpNoDelay()));
  }
}

void CrclTopics::hear(const Json& line, const ros::Time& stamp) {
  const auto publisher = statuses_.find(line.at("crcl"));
  if (publisher == statuses_.end()) {
    return;
  }
  longarm_msgs::CrclStatus out;
  out.header.stamp = stamp;
  out.text = line.at("status");
  pugi::xml_document document;
  document.load_string(out.text.c_str());
  const pugi::xml_node status = document.child("CRCLStatus").child("CommandStatus");
  out.status_id = status.child("StatusID").text().as_ullong();
  out.command_id = status.child("CommandID").text().as_ullong();
  out.command_state = status.child("CommandState").text().as_string();
  out.description = status.child("StateDescription").text().as_string();
  publisher->second.publish(out);
}

}  // namespace longarm::ros_port
