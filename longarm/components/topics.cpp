// SPDX-License-Identifier: Apache-2.0
// Publishers take subscribers as they come; subscribers go to every publisher they hear of.
#include "longarm/components/topics.h"

#include <algorithm>

#include <fmt/format.h>

namespace longarm::components {
namespace {

constexpr std::string_view kTcp = "tcp";
constexpr std::string_view kUdp = "udp";

std::string_view protocol_of(const TopicOptions& options) {
  return options.flow.transport == network::Transport::kUdp ? kUdp : kTcp;
}

}  // namespace

TopicRegistration Topics::advertise(std::string_view topic, std::string_view type,
                                    TopicOptions options) {
  const std::string& name = core_.resolve(topic);
  Advertised& advertised = advertised_[name];
  advertised.type = type;
  advertised.options = options;
  return {.component = {core_.name, core_.own_address.host, core_.own_address.port},
          .topic = name,
          .type = std::string(type),
          .through_broker = options.through_broker,
          .protocol = std::string(protocol_of(options))};
}

TopicRegistration Topics::subscribe(std::string_view topic, std::string_view type,
                                    Node::RawReceiver receiver, TopicOptions options) {
  const std::string& name = core_.resolve(topic);
  Subscription& subscription = subscriptions_[name];
  subscription.topic = name;
  subscription.type = type;
  subscription.options = options;
  subscription.receivers.push_back(std::move(receiver));
  return {.component = {core_.name, core_.own_address.host, core_.own_address.port},
          .topic = name,
          .type = std::string(type),
          .through_broker = options.through_broker,
          .protocol = std::string(protocol_of(options))};
}

void Topics::publish(std::string_view topic, const Bytes& message) {
  const std::string& name = core_.resolve(topic);
  const auto found = advertised_.find(name);
  if (found == advertised_.end()) {
    core_.complain(fmt::format("published to '{}' without advertising it", name));
    return;
  }
  Advertised& advertised = found->second;
  if (!advertised.options.through_broker) {
    const Bytes datum = write_frame({.kind = FrameKind::kDatum, .first = core_.now()}, message);
    for (const Listener& listener : advertised.listeners) {
      core_.transport.send(listener.connection, datum);
    }
    return;
  }
  if (!advertised.has_broker) {
    advertised.broker = core_.transport.connect(core_.setup.name_service, advertised.options.flow);
    advertised.has_broker = true;
  }
  core_.transport.send(
      advertised.broker,
      write_frame(
          {.kind = FrameKind::kBrokered, .name = name, .who = core_.name, .first = core_.now()},
          message));
}

void Topics::publishers_changed(const PublisherList& list) {
  const auto found = subscriptions_.find(list.topic);
  if (found == subscriptions_.end()) {
    return;
  }
  Subscription& subscription = found->second;
  const auto is_listed = [&list](const std::string& name, const Address& address) {
    return std::any_of(list.publishers.begin(), list.publishers.end(), [&](const auto& entry) {
      return entry.component == name && Address{entry.host, entry.port} == address;
    });
  };
  for (auto feed = subscription.feeds.begin(); feed != subscription.feeds.end();) {
    if (is_listed(feed->first, feed->second.address)) {
      ++feed;
      continue;
    }
    if (feed->second.is_connected) {
      feeds_.erase(feed->second.connection);
      core_.transport.close(feed->second.connection);
    }
    feed = subscription.feeds.erase(feed);
  }
  for (const ComponentEntry& entry : list.publishers) {
    const Feed feed{.address = {entry.host, entry.port}};
    if (subscription.feeds.emplace(entry.component, feed).second) {
      roots_.start(join(this, &subscription, entry.component));
    }
  }
}

sim::Task<void> Topics::join(Topics* topics, Subscription* subscription, std::string publisher) {
  NodeCore& core = topics->core_;
  const Address address = topics->find(*subscription, publisher)->address;
  TopicRequest request{core.name, subscription->topic, subscription->type, {}};
  request.protocols.emplace_back(protocol_of(subscription->options));

  Result<Bytes> reply = co_await topics->calls_.call(
      topics->peers_.at(address), std::string(kRequestTopic), encode(request), CallOptions{});
  Feed* feed = topics->find(*subscription, publisher);
  if (feed == nullptr || feed->address != address) {
    co_return;  // no publisher any more
  }
  const Result<TopicOffer> offer =
      reply ? decode<TopicOffer>(*reply) : Result<TopicOffer>(reply.error());
  if (!offer) {
    core.complain(fmt::format("topic '{}' of '{}': {}", subscription->topic, publisher,
                              offer.error().message));
    topics->roots_.start(join_later(topics, subscription, publisher));
    co_return;
  }
  feed->connection = core.transport.connect({offer->host, offer->port}, subscription->options.flow);
  feed->is_connected = true;
  feed->is_heard = false;
  topics->feeds_[feed->connection] = {subscription, publisher};
  topics->roots_.start(say_hello(topics, subscription, publisher));
}

Topics::Feed* Topics::find(Subscription& subscription, const std::string& publisher) {
  const auto feed = subscription.feeds.find(publisher);
  return feed == subscription.feeds.end() ? nullptr : &feed->second;
}

sim::Task<void> Topics::join_later(Topics* topics, Subscription* subscription,
                                   std::string publisher) {
  co_await sim::sleep_for({topics->core_.kernel, topics->core_.source}, kRetryAfter);
  const Feed* feed = topics->find(*subscription, publisher);
  if (feed != nullptr && !feed->is_connected) {
    co_await join(topics, subscription, publisher);
  }
}

// A datagram may be lost: until something is heard, it is said again.
sim::Task<void> Topics::say_hello(Topics* topics, Subscription* subscription,
                                  std::string publisher) {
  NodeCore& core = topics->core_;
  const bool is_repeated = subscription->options.flow.transport == network::Transport::kUdp;
  for (bool is_first = true; is_first || is_repeated; is_first = false) {
    const Feed* feed = topics->find(*subscription, publisher);
    if (feed == nullptr || !feed->is_connected || feed->is_heard) {
      co_return;
    }
    core.transport.send(feed->connection, write_frame({.kind = FrameKind::kSubscribe,
                                                       .name = subscription->topic,
                                                       .who = core.name}));
    if (is_repeated) {
      co_await sim::sleep_for({core.kernel, core.source}, kRetryAfter);
    }
  }
}

Result<TopicOffer> Topics::offer(const TopicRequest& request) {
  const auto found = advertised_.find(request.topic);
  if (found == advertised_.end()) {
    return Error{fmt::format("'{}' does not publish '{}'", core_.name, request.topic)};
  }
  if (found->second.type != request.type) {
    return Error{fmt::format("'{}' publishes '{}' as {}, not {}", core_.name, request.topic,
                             found->second.type, request.type)};
  }
  for (const std::string& protocol : request.protocols) {
    if (protocol == kTcp || protocol == kUdp) {
      return TopicOffer{protocol, core_.own_address.host, core_.own_address.port};
    }
  }
  return Error{fmt::format("'{}' supports tcp and udp only", core_.name)};
}

void Topics::subscribed(ConnectionId connection, const Frame& frame) {
  const auto found = advertised_.find(frame.name);
  if (found == advertised_.end()) {
    core_.complain(
        fmt::format("'{}' subscribed to '{}', which is not published here", frame.who, frame.name));
    return;
  }
  std::vector<Listener>& listeners = found->second.listeners;
  const auto is_it = [connection](const Listener& other) { return other.connection == connection; };
  if (std::none_of(listeners.begin(), listeners.end(), is_it)) {
    listeners.push_back({connection, std::string(frame.who)});
  }
}

void Topics::received(ConnectionId connection, const Frame& frame, Bytes bytes) {
  const auto found = feeds_.find(connection);
  if (found == feeds_.end()) {
    return;  // said before the publisher knew that we left
  }
  // copied: receivers may subscribe and leave
  const FeedName name = found->second;
  if (Feed* feed = find(*name.subscription, name.publisher)) {
    feed->is_heard = true;
  }
  hand_out(*name.subscription, name.publisher, frame, std::move(bytes));
}

void Topics::received_brokered(const Frame& frame, Bytes bytes) {
  const auto found = subscriptions_.find(frame.name);
  if (found != subscriptions_.end()) {
    hand_out(found->second, std::string(frame.who), frame, std::move(bytes));
  }
}

void Topics::hand_out(Subscription& subscription, const std::string& publisher, const Frame& frame,
                      Bytes bytes) {
  if (core_.setup.observer != nullptr) {
    core_.setup.observer->published(publisher, subscription.topic, core_.name, bytes.size(),
                                    frame.first, core_.now());
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(frame.payload_at));
  for (std::size_t i = 0; i < subscription.receivers.size(); ++i) {
    subscription.receivers[i](bytes);
  }
}

void Topics::closed(ConnectionId connection, const std::string& why) {
  for (auto& [topic, advertised] : advertised_) {
    std::erase_if(advertised.listeners, [connection](const Listener& listener) {
      return listener.connection == connection;
    });
    if (advertised.has_broker && advertised.broker == connection) {
      advertised.has_broker = false;
      core_.complain(fmt::format("the broker of '{}': {}", topic, why));
    }
  }
  const auto found = feeds_.find(connection);
  if (found == feeds_.end()) {
    return;
  }
  const FeedName name = found->second;
  feeds_.erase(found);
  core_.complain(
      fmt::format("topic '{}' of '{}': {}", name.subscription->topic, name.publisher, why));
  if (Feed* feed = find(*name.subscription, name.publisher)) {
    feed->is_connected = false;
    roots_.start(join_later(this, name.subscription, name.publisher));
  }
}

}  // namespace longarm::components
