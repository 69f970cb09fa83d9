// SPDX-License-Identifier: Apache-2.0
// What components and the name service say to each other, and the methods they say it with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/components/message.h"

namespace longarm::components {

// served by the name service
inline constexpr std::string_view kRegister = "names/register";
inline constexpr std::string_view kUnregister = "names/unregister";
inline constexpr std::string_view kFind = "names/find";
inline constexpr std::string_view kRegisterPublisher = "names/publish";
inline constexpr std::string_view kRegisterSubscriber = "names/subscribe";
inline constexpr std::string_view kGetParameter = "parameters/get";
inline constexpr std::string_view kSetParameter = "parameters/set";
inline constexpr std::string_view kWatchParameter = "parameters/watch";
// served by every node
inline constexpr std::string_view kPublishers = "longarm/publishers";
inline constexpr std::string_view kRequestTopic = "longarm/topic";
inline constexpr std::string_view kParameterChanged = "longarm/parameter";
// served by nodes that have declared parameters, under the names of ROS 2
inline constexpr std::string_view kGetParameters = "get_parameters";
inline constexpr std::string_view kSetParameters = "set_parameters";
inline constexpr std::string_view kListParameters = "list_parameters";

/// A component and where it listens; for kFind only the component is given.
struct ComponentEntry {
  static constexpr std::string_view kTypeName = "longarm/ComponentEntry";
  std::string component;
  std::string host;
  std::uint16_t port = 0;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("component", self.component);
    visitor("host", self.host);
    visitor("port", self.port);
  }
};

/// Steps 1 and 2 of a connection between publisher and subscriber.
struct TopicRegistration {
  static constexpr std::string_view kTypeName = "longarm/TopicRegistration";
  ComponentEntry component;
  std::string topic;
  std::string type;
  bool through_broker = false;
  std::string protocol;  ///< by which the broker sends on

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("component", self.component);
    visitor("topic", self.topic);
    visitor("type", self.type);
    visitor("through_broker", self.through_broker);
    visitor("protocol", self.protocol);
  }
};

/// Step 3: all publishers of a topic.
struct PublisherList {
  static constexpr std::string_view kTypeName = "longarm/PublisherList";
  std::string topic;
  std::vector<ComponentEntry> publishers;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("topic", self.topic);
    visitor("publishers", self.publishers);
  }
};

/// Step 4.
struct TopicRequest {
  static constexpr std::string_view kTypeName = "longarm/TopicRequest";
  std::string subscriber;
  std::string topic;
  std::string type;
  std::vector<std::string> protocols;  ///< the one that is preferred first

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("subscriber", self.subscriber);
    visitor("topic", self.topic);
    visitor("type", self.type);
    visitor("protocols", self.protocols);
  }
};

/// Step 5.
struct TopicOffer {
  static constexpr std::string_view kTypeName = "longarm/TopicOffer";
  std::string protocol;
  std::string host;
  std::uint16_t port = 0;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("protocol", self.protocol);
    visitor("host", self.host);
    visitor("port", self.port);
  }
};

/// A parameter and its value as JSON text; or who wants to know of it.
struct ParameterEntry {
  static constexpr std::string_view kTypeName = "longarm/ParameterEntry";
  std::string name;
  std::string json;
  ComponentEntry component;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("name", self.name);
    visitor("json", self.json);
    visitor("component", self.component);
  }
};

/// A parameter of a node, its value as JSON text.
struct ParameterValue {
  static constexpr std::string_view kTypeName = "longarm/ParameterValue";
  std::string name;
  std::string json;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("name", self.name);
    visitor("json", self.json);
  }
};

/// Asked of kSetParameters, which takes all of them or none; the reply of kGetParameters.
struct ParameterValues {
  static constexpr std::string_view kTypeName = "longarm/ParameterValues";
  std::vector<ParameterValue> values;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("values", self.values);
  }
};

/// Asked of kGetParameters.
struct ParameterNames {
  static constexpr std::string_view kTypeName = "longarm/ParameterNames";
  std::vector<std::string> names;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("names", self.names);
  }
};

struct ParameterDescription {
  static constexpr std::string_view kTypeName = "longarm/ParameterDescription";
  std::string name;
  std::string type;
  std::string json;
  std::string unit;
  std::string doc;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("name", self.name);
    visitor("type", self.type);
    visitor("json", self.json);
    visitor("unit", self.unit);
    visitor("doc", self.doc);
  }
};

/// The reply of kListParameters, whose request is empty.
struct ParameterDescriptions {
  static constexpr std::string_view kTypeName = "longarm/ParameterDescriptions";
  std::vector<ParameterDescription> parameters;

  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("parameters", self.parameters);
  }
};

}  // namespace longarm::components
