// SPDX-License-Identifier: Apache-2.0
// A node's topics: the seven steps of ROS (Pető 2017, § 1.5.2.6) from registration to data, or the
// way through the broker.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longarm/components/calls.h"
#include "longarm/components/name_messages.h"

namespace longarm::components {

class Topics {
 public:
  Topics(NodeCore& core, Peers& peers, Calls& calls, Roots& roots)
      : core_(core), peers_(peers), calls_(calls), roots_(roots) {}

  /// Each gives what the name service is to be told (steps 1 and 2).
  TopicRegistration advertise(std::string_view topic, std::string_view type, TopicOptions options);
  TopicRegistration subscribe(std::string_view topic, std::string_view type,
                              Node::RawReceiver receiver, TopicOptions options);
  void publish(std::string_view topic, const Bytes& message);

  void publishers_changed(const PublisherList& list);            // step 3
  Result<TopicOffer> offer(const TopicRequest& request);         // steps 4 and 5, as publisher
  void subscribed(ConnectionId connection, const Frame& frame);  // step 6, as publisher
  void received(ConnectionId connection, const Frame& frame, Bytes bytes);  // step 7
  void received_brokered(const Frame& frame, Bytes bytes);
  void closed(ConnectionId connection, const std::string& why);

 private:
  struct Listener {
    ConnectionId connection{};
    std::string subscriber;
  };
  struct Advertised {
    std::string type;
    TopicOptions options;
    std::vector<Listener> listeners;
    ConnectionId broker{};
    bool has_broker = false;
  };
  /// From one publisher of a topic.
  struct Feed {
    Address address;
    bool is_connected = false;
    bool is_heard = false;
    ConnectionId connection{};
  };
  struct Subscription {
    std::string topic;
    std::string type;
    TopicOptions options;
    std::vector<Node::RawReceiver> receivers;
    std::map<std::string, Feed> feeds;  // by publisher
  };
  struct FeedName {
    Subscription* subscription = nullptr;
    std::string publisher;
  };

  static sim::Task<void> join(Topics* topics, Subscription* subscription, std::string publisher);
  static sim::Task<void> join_later(Topics* topics, Subscription* subscription,
                                    std::string publisher);
  static sim::Task<void> say_hello(Topics* topics, Subscription* subscription,
                                   std::string publisher);
  Feed* find(Subscription& subscription, const std::string& publisher);
  void hand_out(Subscription& subscription, const std::string& publisher, const Frame& frame,
                Bytes bytes);

  NodeCore& core_;
  Peers& peers_;
  Calls& calls_;
  Roots& roots_;
  std::map<std::string, Advertised, std::less<>> advertised_;
  std::map<std::string, Subscription, std::less<>> subscriptions_;
  std::map<ConnectionId, FeedName> feeds_;
};

}  // namespace longarm::components
