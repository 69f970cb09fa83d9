// SPDX-License-Identifier: Apache-2.0
// Translates each of them.
#include "apps/longarm-ros/device_topics.h"

#include <cmath>

#include <diagnostic_msgs/DiagnosticArray.h>
#include <geometry_msgs/PoseArray.h>
#include <longarm_msgs/CurtainState.h>
#include <longarm_msgs/Detections.h>
#include <longarm_msgs/Event.h>
#include <std_msgs/String.h>

#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

geometry_msgs::Pose pose_of(const Json& detection) {
  const Json& position = detection.at("position_m");
  const Json& wxyz = detection.at("quaternion_wxyz");
  geometry_msgs::Pose out;
  out.position.x = position.at(0);
  out.position.y = position.at(1);
  out.position.z = position.at(2);
  out.orientation.w = wxyz.at(0);
  out.orientation.x = wxyz.at(1);
  out.orientation.y = wxyz.at(2);
  out.orientation.z = wxyz.at(3);
  return out;
}

}  // namespace

DeviceTopics::DeviceTopics(ros::NodeHandle& node, const Welcome& welcome)
    : epoch_ns_(welcome.epoch_ns) {
  for (const std::string& camera : welcome.cameras) {
    const std::string name = ros_name(camera);
    detections_[camera] = node.advertise<longarm_msgs::Detections>(name + "/detections", 100);
    poses_[camera] = node.advertise<geometry_msgs::PoseArray>(name + "/poses", 100);
  }
  for (const std::string& curtain : welcome.curtains) {
    curtains_[curtain] =
        node.advertise<longarm_msgs::CurtainState>(ros_name(curtain) + "/state", 100, true);
  }
  events_ = node.advertise<longarm_msgs::Event>("longarm/events", 100);
  state_ = node.advertise<std_msgs::String>("longarm/state", 1, true);
  diagnostics_ = node.advertise<diagnostic_msgs::DiagnosticArray>("/diagnostics", 10);
}

void DeviceTopics::hear(const Json& line, const ros::Time& stamp) {
  if (line.contains("camera")) {
    hear_camera(line);
  } else if (line.contains("curtain")) {
    hear_curtain(line);
  } else if (line.contains("event")) {
    hear_event(line.at("event"), stamp);
  } else if (line.contains("diagnostics")) {
    hear_diagnostics(line.at("diagnostics"), stamp);
  }
}

void DeviceTopics::publish_state(const std::string& state) {
  std_msgs::String message;
  message.data = state;
  state_.publish(message);
}

void DeviceTopics::hear_camera(const Json& line) {
  const Json& frame = line.at("frame");
  longarm_msgs::Detections out;
  out.header.stamp = ros_time(epoch_ns_ + std::llround(frame.at("stamp_s").get<double>() * 1e9));
  out.header.frame_id = "world";
  out.number = frame.at("number");
  geometry_msgs::PoseArray poses;
  poses.header = out.header;
  for (const Json& each : frame.at("detections")) {
    longarm_msgs::Detection detection;
    detection.name = each.at("name");
    detection.pose = pose_of(each);
    detection.confidence = each.at("confidence");
    poses.poses.push_back(detection.pose);
    out.detections.push_back(std::move(detection));
  }
  detections_.at(line.at("camera")).publish(out);
  poses_.at(line.at("camera")).publish(poses);
}

void DeviceTopics::hear_curtain(const Json& line) {
  const Json& report = line.at("report");
  longarm_msgs::CurtainState out;
  out.header.stamp = ros_time(epoch_ns_ + std::llround(report.at("stamp_s").get<double>() * 1e9));
  out.header.frame_id = "world";
  out.is_broken = report.at("is_broken").get<bool>();
  out.is_latched = report.at("is_latched").get<bool>();
  out.broken_beams = report.at("broken_beams").get<std::vector<std::uint32_t>>();
  curtains_.at(line.at("curtain")).publish(out);
}

void DeviceTopics::hear_event(const Json& event, const ros::Time& stamp) {
  longarm_msgs::Event out;
  out.header.stamp = stamp;
  out.who = event.at("who");
  out.kind = event.at("kind");
  out.text = event.at("text");
  events_.publish(out);
}

void DeviceTopics::hear_diagnostics(const Json& list, const ros::Time& stamp) {
  diagnostic_msgs::DiagnosticArray out;
  out.header.stamp = stamp;
  for (const Json& each : list) {
    diagnostic_msgs::DiagnosticStatus status;
    status.name = "longarm: " + each.at("name").get<std::string>();
    status.hardware_id = "longarm";
    status.level = each.at("level").get<std::int8_t>();
    status.message = each.at("message");
    const Json values = each.value("values", Json::object());
    for (const auto& [key, value] : values.items()) {
      diagnostic_msgs::KeyValue pair;
      pair.key = key;
      pair.value = value.is_string() ? value.get<std::string>() : value.dump();
      status.values.push_back(std::move(pair));
    }
    out.status.push_back(std::move(status));
  }
  diagnostics_.publish(out);
}

}  // namespace longarm::ros_port
