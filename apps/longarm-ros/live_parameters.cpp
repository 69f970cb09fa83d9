// SPDX-License-Identifier: Apache-2.0
// Values of XML-RPC and JSON.
#include "apps/longarm-ros/live_parameters.h"

#include "apps/longarm-ros/names.h"

namespace longarm::ros_port {
namespace {

using XmlRpc::XmlRpcValue;

Json json_of(XmlRpcValue& value) {
  switch (value.getType()) {
    case XmlRpcValue::TypeBoolean:
      return static_cast<bool&>(value);
    case XmlRpcValue::TypeInt:
      return static_cast<int&>(value);
    case XmlRpcValue::TypeDouble:
      return static_cast<double&>(value);
    case XmlRpcValue::TypeString:
      return static_cast<std::string&>(value);
    case XmlRpcValue::TypeArray: {
      Json out = Json::array();
      for (int i = 0; i < value.size(); ++i) {
        out.push_back(json_of(value[i]));
      }
      return out;
    }
    default:
      return nullptr;
  }
}

XmlRpcValue xml_of(const Json& value) {
  if (value.is_boolean()) {
    return XmlRpcValue(value.get<bool>());
  }
  if (value.is_number()) {
    return XmlRpcValue(value.get<double>());
  }
  if (value.is_array()) {
    XmlRpcValue out;
    out.setSize(static_cast<int>(value.size()));
    for (std::size_t i = 0; i < value.size(); ++i) {
      out[static_cast<int>(i)] = xml_of(value[i]);
    }
    return out;
  }
  return XmlRpcValue(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

LiveParameters::LiveParameters(ros::NodeHandle& node, Requests& requests)
    : node_(node), requests_(requests) {}

std::string LiveParameters::path(const std::string& name) const {
  return node_.resolveName("longarm/" + ros_name(name));
}

void LiveParameters::show(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    known_.erase(parameter.name);
    show(parameter.name, parameter.value);
    XmlRpcValue first;  // makes the master tell us of changes
    ros::param::getCached(path(parameter.name), first);
  }
}

void LiveParameters::show(const std::string& name, const Json& value) {
  actual_[name] = value;
  const auto known = known_.find(name);
  XmlRpcValue now;
  if (known != known_.end() && ros::param::getCached(path(name), now) &&
      json_of(now) != known->second) {
    return;  // look() is about to notice that
  }
  known_[name] = value;
  ros::param::set(path(name), xml_of(value));
}

void LiveParameters::look() {
  std::map<std::string, Json> wanted;
  for (auto& [name, known] : known_) {
    XmlRpcValue value;
    if (!ros::param::getCached(path(name), value)) {
      continue;  // deleted
    }
    Json now = json_of(value);
    if (now != known) {
      known = now;
      wanted[name] = std::move(now);
    }
  }
  for (const auto& [name, value] : wanted) {
    requests_.ask({{"do", "set"}, {"parameter", name}, {"value", value}},
                  [this, name = name](const std::string& error) {
                    if (!error.empty()) {
                      ROS_ERROR("%s: %s", path(name).c_str(), error.c_str());
                      show(name, Json(actual_.at(name)));
                    }
                  });
  }
}

void LiveParameters::hear(const Json& line) {
  const std::string name = line.at("parameter");
  if (known_.count(name) != 0 && line.at("value") != known_.at(name)) {
    show(name, line.at("value"));
  } else {
    actual_[name] = line.at("value");
  }
}

}  // namespace longarm::ros_port
