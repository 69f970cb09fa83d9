// SPDX-License-Identifier: Apache-2.0
// The server's lines to its subscribers, and what publishers and subscribers do.
#include "longarm/actors/component_topics.h"

#include <algorithm>
#include <utility>

namespace longarm::actors {
namespace {

using components::Bytes;

// a subscriber that is farther behind will never catch up
constexpr std::size_t kLongestLine = 1000;

}  // namespace

std::string topic_method(const std::string& topic) {
  return "topic" + topic;
}

TopicServer::TopicServer(components::Node& node, const Subscribers& subscribers) : node_(node) {
  for (const auto& [topic, names] : subscribers) {
    std::vector<Line*> lines;
    for (const std::string& name : names) {
      Line& line = lines_.emplace_back();
      line.subscriber = name;
      line.method = topic_method(topic);
      lines.push_back(&line);
      node_.spawn(forward(line));
    }
    node_.serve_raw(topic_method(topic),
                    [this, lines](Bytes message) { return pass_on(lines, std::move(message)); });
  }
}

sim::Task<Bytes> TopicServer::pass_on(std::vector<Line*> lines, Bytes message) {
  for (Line* line : lines) {
    if (line->messages.size() >= kLongestLine) {
      ++dropped_;
      continue;
    }
    line->messages.push(message);
  }
  co_return Bytes{};
}

sim::Task<void> TopicServer::forward(Line& line) {
  while (true) {
    Bytes message = co_await line.messages.receive();
    const Result<Bytes> reply =
        co_await node_.call_raw(line.subscriber, line.method, std::move(message));
    if (!reply) {
      last_failure_ = line.subscriber + "." + line.method + ": " + reply.error().message;
    }
  }
}

TopicPublisher::TopicPublisher(components::Node& node, std::string server, std::string topic,
                               Time first, Duration period, std::int64_t every, Content content)
    : node_(node),
      server_(std::move(server)),
      topic_(std::move(topic)),
      method_(topic_method(node.resolve(topic_))),
      period_(period),
      every_(every),
      content_(std::move(content)) {
  if (server_.empty()) {
    node_.advertise_raw(topic_, components::Blob::kTypeName, {.flow = node_.call_flow()});
  }
  node_.follow_parameter(components::kPeriodParameter, [this](const components::Parameter& value) {
    period_ = to_duration(value.get<double>());
  });
  node_.spawn(run(first));
}

sim::Task<void> TopicPublisher::run(Time next) {
  while (true) {
    co_await node_.sleep_until(next);
    if (server_.empty()) {
      node_.publish_raw(topic_, content_());
    } else {
      const Result<Bytes> reply = co_await node_.call_raw(server_, method_, content_());
      if (!reply) {
        last_failure_ = server_ + "." + method_ + ": " + reply.error().message;
      }
    }
    // who was kept waiting goes on at once, and does not make up for what was left out
    next = std::max(next + period_ * every_, node_.now());
  }
}

TopicSubscriber::TopicSubscriber(components::Node& node, bool has_server, const std::string& topic,
                                 network::VaryingTime handling, std::uint64_t seed, Heard heard)
    : node_(node),
      handling_(std::move(handling)),
      draws_(seed, node.name() + "." + topic),
      heard_(std::move(heard)) {
  if (has_server) {
    node_.serve_raw(topic_method(node_.resolve(topic)),
                    [this](Bytes message) { return handle(std::move(message)); });
  } else {
    node_.subscribe_raw(topic, components::Blob::kTypeName,
                        [this](const Bytes& message) { heard_(message); },
                        {.flow = node_.call_flow()});
  }
}

sim::Task<Bytes> TopicSubscriber::handle(Bytes message) {
  const Duration work = handling_.at(message.size(), draws_.uniform());
  if (work > Duration::zero()) {
    co_await node_.compute(work);
  }
  heard_(message);
  co_return Bytes{};
}

}  // namespace longarm::actors
