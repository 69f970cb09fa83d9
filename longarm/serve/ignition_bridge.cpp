// SPDX-License-Identifier: Apache-2.0
// Raw messages between ignition-transport and doors; nothing is decoded here.
#include "longarm/serve/ignition_bridge.h"

#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <ignition/transport/Node.hh>

#include "longarm/protocols/jointcmd/door.h"

namespace longarm::serve {

namespace jointcmd = protocols::jointcmd;
namespace transport = ignition::transport;

struct IgnitionBridge::Node {
  transport::Node node;
};

struct IgnitionBridge::Line {
  std::size_t door = 0;
  ConnectionId client{};
  std::string topic;
  bool is_text = false;  ///< whole lines come out, nothing goes in
  transport::Node::Publisher lines{};
  transport::Node::Publisher states{};
  transport::Node::Publisher refusals{};
  jointcmd::DelimitedMessages said{};
  bool is_ended = false;
};

/// Puts what is heard into the inbox for as long as there is one.
struct IgnitionBridge::Ear {
  std::mutex mutex{};
  Inbox* inbox = nullptr;
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;

  // On a thread of ignition-transport.
  void hear(std::size_t door, ConnectionId client, std::string_view message) {
    const std::lock_guard lock(mutex);
    if (inbox == nullptr) {
      return;
    }
    ++received;
    // a topic promises nothing: who says more than fits is not heard
    if (message.size() > jointcmd::DelimitedMessages::kMaxBytes || !inbox->has_room(client)) {
      ++dropped;
      return;
    }
    std::string bytes;
    jointcmd::append_delimited(bytes, message);
    inbox->push({DoorEventKind::kData, door, client, std::move(bytes)});
  }
};

namespace {

constexpr std::string_view kJointPrefix = "jointcmd.";
constexpr std::string_view kTextPrefix = "topic.";
constexpr const char* kTextType = "ignition.msgs.StringMsg";

bool is_text_topic(const std::string& door) {
  return door.starts_with(kTextPrefix);
}

}  // namespace

std::string topic_of(const std::string& door) {
  const std::string_view prefix = is_text_topic(door) ? kTextPrefix : kJointPrefix;
  if (!door.starts_with(prefix)) {
    return {};
  }
  std::string topic = door.substr(prefix.size());
  if (topic.starts_with("~")) {
    topic.erase(0, 1);
  }
  return topic.starts_with("/") ? topic : "/" + topic;
}

IgnitionBridge::IgnitionBridge(Inbox& inbox) : inbox_(inbox), ear_(std::make_shared<Ear>()) {
  ear_->inbox = &inbox;
}

IgnitionBridge::~IgnitionBridge() {
  const std::lock_guard lock(ear_->mutex);
  ear_->inbox = nullptr;
}

Result<std::unique_ptr<IgnitionBridge>> IgnitionBridge::make(const std::vector<Door*>& doors,
                                                             bool is_open_to_all, Inbox& inbox) {
  std::unique_ptr<IgnitionBridge> bridge;
  for (std::size_t door = 0; door < doors.size(); ++door) {
    const std::string topic = topic_of(doors[door]->name());
    if (topic.empty()) {
      continue;
    }
    if (bridge == nullptr) {
      if (!is_open_to_all) {
        ::setenv("IGN_IP", "127.0.0.1", 1);
      }
      bridge.reset(new IgnitionBridge(inbox));
      bridge->node_ = std::make_unique<Node>();
    }
    if (!bridge->add(door, topic, is_text_topic(doors[door]->name()))) {
      return Error{fmt::format("{}: '{}' is not a valid ignition-transport topic",
                               doors[door]->name(), topic)};
    }
  }
  return bridge;
}

bool IgnitionBridge::add(std::size_t door, const std::string& topic, bool is_text) {
  const ConnectionId client = inbox_.new_client();
  auto line = std::make_unique<Line>();
  line->door = door;
  line->client = client;
  line->topic = topic;
  line->is_text = is_text;
  transport::Node& node = node_->node;
  if (is_text) {
    line->lines = node.Advertise(topic, kTextType);
  } else {
    line->states = node.Advertise(topic + "/states", "ignition.msgs.Model");
    line->refusals = node.Advertise(topic + "/refusals", kTextType);
  }
  if (is_text ? !line->lines : !line->states || !line->refusals) {
    return false;
  }
  inbox_.push({DoorEventKind::kOpen, door, client, {}});
  lines_.emplace(client, std::move(line));
  topics_.push_back({door, topic});
  if (is_text) {
    return true;
  }
  return node.SubscribeRaw(
      topic,
      [ear = ear_, door, client](const char* data, std::size_t size,
                                 const transport::MessageInfo&) {
        ear->hear(door, client, {data, size});
      },
      "ignition.msgs.JointCmd");
}

void IgnitionBridge::send(ConnectionId client, std::string bytes) {
  const auto found = lines_.find(client);
  if (found == lines_.end()) {
    return;
  }
  Line& line = *found->second;
  if (line.is_text) {
    publish_lines(line, bytes);
    return;
  }
  line.said.feed(bytes);
  while (true) {
    const Result<std::optional<std::string>> message = line.said.next();
    if (!message || !message->has_value() || (*message)->empty()) {
      return;
    }
    const bool is_refusal = (*message)->front() == static_cast<char>(jointcmd::Said::kRefusal);
    if (is_refusal) {
      line.refusals.PublishRaw((*message)->substr(1), kTextType);
    } else {
      line.states.PublishRaw((*message)->substr(1), "ignition.msgs.Model");
    }
    ++published_;
  }
}

/// A message for each; doors say whole ones.
void IgnitionBridge::publish_lines(Line& line, std::string_view bytes) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    line.lines.PublishRaw(jointcmd::encode_text(bytes.substr(0, end)), kTextType);
    ++published_;
    bytes.remove_prefix(end + 1);
  }
}

void IgnitionBridge::end(ConnectionId client) {
  const auto found = lines_.find(client);
  if (found == lines_.end() || found->second->is_ended) {
    return;
  }
  Line& line = *found->second;
  line.is_ended = true;
  if (!line.is_text) {
    node_->node.Unsubscribe(line.topic);
  }
  inbox_.push({DoorEventKind::kClose, line.door, client, {}});
}

BridgeFigures IgnitionBridge::figures() const {
  const std::lock_guard lock(ear_->mutex);
  return {ear_->received, ear_->dropped, published_};
}

}  // namespace longarm::serve
