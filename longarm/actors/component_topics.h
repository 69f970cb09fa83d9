// SPDX-License-Identifier: Apache-2.0
// Topics through a server: publishers call it, it calls every subscriber.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "longarm/components/loop_component.h"
#include "longarm/components/node.h"
#include "longarm/core/random.h"
#include "longarm/sim/task.h"

namespace longarm::actors {

/// Full names of subscribers' nodes, by the full name of the topic.
using Subscribers = std::map<std::string, std::vector<std::string>>;

/// The method under which servers and subscribers take messages of a topic, by its full name.
std::string topic_method(const std::string& topic);

/// Answers publishers at once and passes messages on, to each subscriber in order.
class TopicServer {
 public:
  TopicServer(components::Node& node, const Subscribers& subscribers);

  /// Messages dropped because a subscriber was so far behind.
  std::uint64_t dropped() const { return dropped_; }
  const std::string& last_failure() const { return last_failure_; }

 private:
  struct Line {
    std::string subscriber;
    std::string method;
    sim::Mailbox<components::Bytes> messages;
  };

  sim::Task<components::Bytes> pass_on(std::vector<Line*> lines, components::Bytes message);
  sim::Task<void> forward(Line& line);

  components::Node& node_;
  std::deque<Line> lines_;
  std::uint64_t dropped_ = 0;
  std::string last_failure_;
};

/// One topic of a publisher, period by period.
class TopicPublisher {
 public:
  using Content = std::function<components::Bytes()>;

  /// `server` empty: straight to the subscribers. Each `every`-th period.
  TopicPublisher(components::Node& node, std::string server, std::string topic, Time first,
                 Duration period, std::int64_t every, Content content);

  const std::string& last_failure() const { return last_failure_; }

 private:
  sim::Task<void> run(Time next);

  components::Node& node_;
  std::string server_;
  std::string topic_;
  std::string method_;  ///< of the server
  Duration period_;
  std::int64_t every_;
  Content content_;
  std::string last_failure_;
};

/// Hears a topic, and computes for a while about each message before it has an effect.
class TopicSubscriber {
 public:
  using Heard = std::function<void(const components::Bytes&)>;

  TopicSubscriber(components::Node& node, bool has_server, const std::string& topic,
                  network::VaryingTime handling, std::uint64_t seed, Heard heard);

 private:
  sim::Task<components::Bytes> handle(components::Bytes message);

  components::Node& node_;
  network::VaryingTime handling_;
  RandomStream draws_;
  Heard heard_;
};

}  // namespace longarm::actors
