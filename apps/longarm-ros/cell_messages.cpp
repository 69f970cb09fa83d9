// SPDX-License-Identifier: Apache-2.0
// Reads them, and ignores what newer cells may add.
#include "apps/longarm-ros/cell_messages.h"

#include <stdexcept>

namespace longarm::ros_port {

Welcome parse_welcome(const std::string& line) {
  Welcome out;
  const Json from = Json::parse(line, nullptr, false);
  if (!from.is_object() || !from.contains("longarm")) {
    throw std::runtime_error("this is not the port of an actor of kind ros; it says '" +
                             line.substr(0, 60) + "'");
  }
  if (from.at("longarm") != 1) {
    throw std::runtime_error("the cell speaks version " + from.at("longarm").dump() +
                             " of this protocol; this program knows version 1");
  }
  out.t_ns = from.at("t_ns");
  out.epoch_ns = from.at("epoch_ns");
  out.is_served = from.at("is_served");
  out.is_paused = from.at("state") == "paused";
  for (const Json& each : from.at("robots")) {
    out.robots.push_back({each.at("name"), each.at("joints"), each.at("driven"), each.at("prefix"),
                          each.at("description")});
  }
  for (const Json& each : from.at("frames")) {
    out.moving.push_back({each.at(0), each.at(1)});
  }
  for (const Json& each : from.at("fixed_frames")) {
    Frame frame{each.at(0), each.at(1)};
    for (std::size_t i = 0; i < frame.place.size(); ++i) {
      frame.place[i] = each.at(i + 2);
    }
    out.fixed.push_back(std::move(frame));
  }
  for (const Json& each : from.value("grippers", Json::array())) {
    out.grippers.push_back(
        {each.at("name"), each.at("closed"), each.at("open"), each.at("max_effort")});
  }
  out.crcl = from.value("crcl", std::vector<std::string>());
  out.cameras = from.at("cameras").get<std::vector<std::string>>();
  out.curtains = from.at("curtains").get<std::vector<std::string>>();
  for (const Json& each : from.at("parameters")) {
    out.parameters.push_back({each.at("name"), each.at("value"), each.at("unit"), each.at("doc")});
  }
  return out;
}

JointValues joint_values(const Json& of_robot) {
  return {of_robot.at(0), of_robot.at(1), of_robot.at(2)};
}

Place place_of(const Json& seven) {
  return seven.get<Place>();
}

}  // namespace longarm::ros_port
