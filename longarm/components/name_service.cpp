// SPDX-License-Identifier: Apache-2.0
// The component that knows where the others are, keeps the parameters and forwards brokered topics.
#include <algorithm>

#include <fmt/format.h>

#include "longarm/components/name_messages.h"
#include "longarm/components/node_impl.h"
#include "longarm/components/parameters.h"
#include "longarm/core/suggest.h"

namespace longarm::components {
namespace {

Address address_of(const ComponentEntry& entry) {
  return {entry.host, entry.port};
}

/// Names from the wire may be anything.
std::string complaint_about_parameter(const std::string& name) {
  return name.starts_with('/') ? complaint_about_name(name)
                               : fmt::format("the name '{}' does not begin with '/'", name);
}

/// The part of "/a/b" that comes next, taken away from it.
std::string take_part(std::string_view& name) {
  name.remove_prefix(1);
  const std::size_t end = std::min(name.find('/'), name.size());
  std::string part(name.substr(0, end));
  name.remove_prefix(end);
  return part;
}

/// Null if there is none.
const Parameter* find_parameter(const Parameter& all, std::string_view name) {
  const Parameter* place = &all;
  while (!name.empty()) {
    const std::string part = take_part(name);
    if (!place->is_object() || !place->contains(part)) {
      return nullptr;
    }
    place = &place->at(part);
  }
  return place;
}

}  // namespace

class NameService::Impl {
 public:
  explicit Impl(Node::Impl& node);

  void add(const ComponentEntry& entry, std::optional<ConnectionId> connection);
  Result<Bytes> set_parameter(const std::string& name, const Parameter& value);

 private:
  struct Component {
    Address address;
    std::optional<ConnectionId> connection;  // by which it registered
  };
  struct Subscriber {
    Address address;
    std::optional<ConnectionId> connection;  // to it, for what is brokered
    network::FlowOptions flow;
  };
  struct Topic {
    std::map<std::string, Address> publishers;
    std::map<std::string, Address> subscribers;
    std::map<std::string, Subscriber> brokered;
  };
  struct Watcher {
    std::string parameter;
    ComponentEntry component;
  };

  template <typename Message>
  void serve(std::string_view method, Result<Bytes> (Impl::*handle)(const Message&, ConnectionId));
  Result<Bytes> enter(const ComponentEntry& entry, ConnectionId connection);
  Result<Bytes> leave(const ComponentEntry& entry, ConnectionId connection);
  Result<Bytes> find(const ComponentEntry& entry, ConnectionId connection);
  Result<Bytes> publish(const TopicRegistration& registration, ConnectionId connection);
  Result<Bytes> subscribe(const TopicRegistration& registration, ConnectionId connection);
  Result<Bytes> get(const ParameterEntry& entry, ConnectionId connection);
  Result<Bytes> set(const ParameterEntry& entry, ConnectionId connection);
  Result<Bytes> watch(const ParameterEntry& entry, ConnectionId connection);

  void remove(const std::string& component);
  void closed(ConnectionId connection);
  void forward(const Frame& frame, const Bytes& bytes);
  void tell_subscriber(const std::string& topic, const Address& subscriber);
  void tell_watcher(const Watcher& watcher);

  Node::Impl& node_;
  std::map<std::string, Component> components_;
  std::map<std::string, Topic, std::less<>> topics_;
  Parameter parameters_ = Parameter::object();
  std::vector<Watcher> watchers_;
};

NameService::Impl::Impl(Node::Impl& node) : node_(node) {
  node_.core.setup.name_service = node_.core.own_address;
  node_.connection_closed = [this](ConnectionId connection) { closed(connection); };
  node_.broker = [this](const Frame& frame, const Bytes& bytes) { forward(frame, bytes); };
  serve<ComponentEntry>(kRegister, &Impl::enter);
  serve<ComponentEntry>(kUnregister, &Impl::leave);
  serve<ComponentEntry>(kFind, &Impl::find);
  serve<TopicRegistration>(kRegisterPublisher, &Impl::publish);
  serve<TopicRegistration>(kRegisterSubscriber, &Impl::subscribe);
  serve<ParameterEntry>(kGetParameter, &Impl::get);
  serve<ParameterEntry>(kSetParameter, &Impl::set);
  serve<ParameterEntry>(kWatchParameter, &Impl::watch);
  add({node_.core.name, node_.core.own_address.host, node_.core.own_address.port}, {});
}

template <typename Message>
void NameService::Impl::serve(std::string_view method,
                              Result<Bytes> (Impl::*handle)(const Message&, ConnectionId)) {
  node_.server.serve(
      method,
      [this, handle](const Bytes& bytes, ServedCall call) {
        const Result<Message> message = decode<Message>(bytes);
        return ready_answer(message ? (this->*handle)(*message, call.connection())
                                    : Result<Bytes>(message.error()));
      },
      true);
}

void NameService::Impl::add(const ComponentEntry& entry, std::optional<ConnectionId> connection) {
  components_[entry.component] = {address_of(entry), connection};
}

Result<Bytes> NameService::Impl::enter(const ComponentEntry& entry, ConnectionId connection) {
  const auto known = components_.find(entry.component);
  if (known != components_.end() && known->second.address != address_of(entry)) {
    node_.core.complain(fmt::format("'{}' was at {}:{} and is now at {}:{}", entry.component,
                                    known->second.address.host, known->second.address.port,
                                    entry.host, entry.port));
  }
  add(entry, connection);
  return Bytes{};
}

Result<Bytes> NameService::Impl::leave(const ComponentEntry& entry, ConnectionId /*connection*/) {
  remove(entry.component);
  return Bytes{};
}

Result<Bytes> NameService::Impl::find(const ComponentEntry& entry, ConnectionId /*connection*/) {
  const auto found = components_.find(entry.component);
  if (found == components_.end()) {
    std::vector<std::string> names;
    for (const auto& [name, component] : components_) {
      names.push_back(name);
    }
    return Error{fmt::format("no component '{}' is registered; {}", entry.component,
                             suggest(entry.component, names))};
  }
  const Address& address = found->second.address;
  return encode(ComponentEntry{entry.component, address.host, address.port});
}

Result<Bytes> NameService::Impl::publish(const TopicRegistration& registration,
                                         ConnectionId connection) {
  add(registration.component, connection);
  Topic& topic = topics_[registration.topic];
  if (registration.through_broker) {
    return Bytes{};  // what is brokered comes here by itself
  }
  topic.publishers[registration.component.component] = address_of(registration.component);
  for (const auto& [name, address] : topic.subscribers) {
    tell_subscriber(registration.topic, address);
  }
  return Bytes{};
}

Result<Bytes> NameService::Impl::subscribe(const TopicRegistration& registration,
                                           ConnectionId connection) {
  add(registration.component, connection);
  Topic& topic = topics_[registration.topic];
  const std::string& name = registration.component.component;
  const Address address = address_of(registration.component);
  if (registration.through_broker) {
    Subscriber subscriber{.address = address, .connection = {}, .flow = node_.core.setup.calls};
    subscriber.flow.transport =
        registration.protocol == "udp" ? network::Transport::kUdp : network::Transport::kTcp;
    topic.brokered[name] = subscriber;
    return Bytes{};
  }
  topic.subscribers[name] = address;
  if (!topic.publishers.empty()) {
    tell_subscriber(registration.topic, address);
  }
  return Bytes{};
}

void NameService::Impl::tell_subscriber(const std::string& topic, const Address& subscriber) {
  PublisherList list{topic, {}};
  for (const auto& [name, address] : topics_[topic].publishers) {
    list.publishers.push_back({name, address.host, address.port});
  }
  node_.tell(node_.peers.at(subscriber), kPublishers, encode(list));
}

void NameService::Impl::remove(const std::string& component) {
  components_.erase(component);
  std::erase_if(watchers_, [&component](const Watcher& watcher) {
    return watcher.component.component == component;
  });
  for (auto& [name, topic] : topics_) {
    topic.subscribers.erase(component);
    topic.brokered.erase(component);
    if (topic.publishers.erase(component) > 0) {
      for (const auto& [subscriber, address] : topic.subscribers) {
        tell_subscriber(name, address);
      }
    }
  }
}

void NameService::Impl::closed(ConnectionId connection) {
  std::vector<std::string> gone;
  for (const auto& [name, component] : components_) {
    if (component.connection == connection) {
      gone.push_back(name);
    }
  }
  for (const std::string& name : gone) {
    remove(name);
  }
  for (auto& [name, topic] : topics_) {
    for (auto& [subscriber, entry] : topic.brokered) {
      if (entry.connection == connection) {
        entry.connection.reset();  // made again for the next message
      }
    }
  }
}

void NameService::Impl::forward(const Frame& frame, const Bytes& bytes) {
  const auto topic = topics_.find(frame.name);
  if (topic == topics_.end()) {
    return;
  }
  for (auto& [name, subscriber] : topic->second.brokered) {
    if (!subscriber.connection) {
      subscriber.connection = node_.core.transport.connect(subscriber.address, subscriber.flow);
    }
    node_.core.transport.send(*subscriber.connection, bytes);
  }
}

Result<Bytes> NameService::Impl::get(const ParameterEntry& entry, ConnectionId /*connection*/) {
  const std::string what = complaint_about_parameter(entry.name);
  const Parameter* value = what.empty() ? find_parameter(parameters_, entry.name) : nullptr;
  if (value == nullptr) {
    return Error{what.empty() ? fmt::format("no parameter '{}'", entry.name) : what};
  }
  return encode(ParameterEntry{entry.name, json_text(*value), {}});
}

Result<Bytes> NameService::Impl::set(const ParameterEntry& entry, ConnectionId /*connection*/) {
  const Parameter value = Parameter::parse(entry.json, nullptr, false);
  if (value.is_discarded()) {
    return Error{fmt::format("the value of '{}' is not JSON", entry.name)};
  }
  return set_parameter(entry.name, value);
}

Result<Bytes> NameService::Impl::set_parameter(const std::string& name, const Parameter& value) {
  const std::string what = complaint_about_parameter(name);
  if (!what.empty()) {
    return Error{what};
  }
  // every part above it must be a dictionary, or become one
  Parameter* place = &parameters_;
  for (std::string_view rest = name; !rest.empty();) {
    if (!place->is_object()) {
      *place = Parameter::object();
    }
    place = &(*place)[take_part(rest)];
  }
  *place = value;

  const auto is_at_or_below = [](const std::string& below, const std::string& above) {
    return below == above || below.starts_with(above + "/");
  };
  for (const Watcher& watcher : watchers_) {
    if (is_at_or_below(watcher.parameter, name) || is_at_or_below(name, watcher.parameter)) {
      tell_watcher(watcher);
    }
  }
  return Bytes{};
}

Result<Bytes> NameService::Impl::watch(const ParameterEntry& entry, ConnectionId /*connection*/) {
  const std::string what = complaint_about_parameter(entry.name);
  if (!what.empty()) {
    return Error{what};
  }
  const auto is_it = [&entry](const Watcher& other) {
    return other.parameter == entry.name && other.component.component == entry.component.component;
  };
  std::erase_if(watchers_, is_it);
  watchers_.push_back({entry.name, entry.component});
  tell_watcher(watchers_.back());
  return Bytes{};
}

void NameService::Impl::tell_watcher(const Watcher& watcher) {
  if (const Parameter* value = find_parameter(parameters_, watcher.parameter)) {
    node_.tell(node_.peers.at(address_of(watcher.component)), kParameterChanged,
               encode(ParameterEntry{watcher.parameter, json_text(*value), {}}));
  }
}

NameService::NameService(Node& node) : impl_(std::make_unique<Impl>(*node.impl_)) {}

NameService::~NameService() = default;

void NameService::add(const std::string& component, const std::string& host, std::uint16_t port) {
  impl_->add({component.starts_with('/') ? component : "/" + component, host, port}, {});
}

void NameService::set_parameter(const std::string& name, Parameter value) {
  const std::string global = name.starts_with('/') ? name : "/" + name;
  (void)impl_->set_parameter(global, value);
}

}  // namespace longarm::components
