// SPDX-License-Identifier: Apache-2.0
// Says what it has to say, says that it is idle, and waits to be told something.
#include "longarm/components/lockstep/lockstep_client.h"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "longarm/system/socket.h"

namespace longarm::components {
namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<system::Descriptor> reach(const std::string& address, Duration patience) {
  if (address.find('/') != std::string::npos) {
    return system::connect_unix_stream(address);
  }
  const Result<system::Address> where = system::parse_address(address);
  if (!where) {
    return where.error();
  }
  return system::connect_stream(*where, patience);
}

}  // namespace

LockstepClient::LockstepClient(system::LineStream stream, ClientOptions options)
    : stream_(std::move(stream)), options_(std::move(options)) {}

LockstepClient::~LockstepClient() {
  if (!has_ended_) {
    say("bye");
    (void)flush();
  }
}

Result<std::unique_ptr<LockstepClient>> LockstepClient::join(ClientOptions options) {
  if (options.component.empty()) {
    options.component = from_environment("LONGARM_COMPONENT");
  }
  if (options.address.empty()) {
    options.address = from_environment("LONGARM_LOCKSTEP");
  }
  constexpr Duration kConnectWithin{5'000'000'000};
  Result<system::Descriptor> socket = reach(options.address, kConnectWithin);
  if (!socket) {
    return socket.error();
  }
  std::unique_ptr<LockstepClient> client(
      new LockstepClient(system::LineStream(std::move(socket).value()), std::move(options)));
  LockstepMessage& hello = client->say("hello");
  hello.component = client->options_.component;
  hello.announces_idle = client->options_.announces_idle;
  while (client->host_.empty()) {
    const Result<bool> handled = client->handle_next();
    if (!handled) {
      return handled.error();
    }
  }
  return client;
}

LockstepMessage& LockstepClient::say(const std::string& type) {
  LockstepMessage& message = unsent_.emplace_back();
  message.type = type;
  return message;
}

Result<bool> LockstepClient::flush() {
  std::string lines;
  for (const LockstepMessage& message : unsent_) {
    lines += (lines.empty() ? "" : "\n") + to_line(message);
  }
  unsent_.clear();
  return lines.empty() ? Result<bool>(true) : stream_.write_line(lines, options_.patience);
}

void LockstepClient::serve(const std::string& method, Handler handler) {
  handlers_[method] = std::move(handler);
  say("serve").method = method;
}

Result<Bytes> LockstepClient::call(const std::string& server, const std::string& method,
                                   Bytes request, Duration timeout) {
  const std::int64_t id = ++last_id_;
  LockstepMessage& message = say("call");
  message.id = id;
  message.server = server;
  message.method = method;
  message.data = std::move(request);
  message.timeout_ns = timeout.count();
  while (!replies_.contains(id)) {
    const Result<bool> handled = handle_next();
    if (!handled) {
      return handled.error();
    }
  }
  LockstepMessage reply = std::move(replies_.extract(id).mapped());
  if (!reply.error.empty()) {
    return Error{std::move(reply.error)};
  }
  return std::move(reply.data);
}

void LockstepClient::advertise(const std::string& topic, const std::string& message_type) {
  LockstepMessage& message = say("advertise");
  message.topic = topic;
  message.message_type = message_type;
}

void LockstepClient::publish(const std::string& topic, Bytes data) {
  LockstepMessage& message = say("publish");
  message.topic = topic;
  message.data = std::move(data);
}

void LockstepClient::subscribe(const std::string& topic, const std::string& message_type,
                               Receiver receiver) {
  receivers_[topic] = std::move(receiver);
  LockstepMessage& message = say("subscribe");
  message.topic = topic;
  message.message_type = message_type;
}

Result<Time> LockstepClient::sleep_until(Time when) {
  const std::int64_t id = ++last_id_;
  LockstepMessage& message = say("sleep_until");
  message.id = id;
  message.time_ns = when.time_since_epoch().count();
  while (awake_.erase(id) == 0) {
    const Result<bool> handled = handle_next();
    if (!handled) {
      return handled.error();
    }
  }
  return now_;
}

Result<bool> LockstepClient::run() {
  while (!has_ended_) {
    const Result<bool> handled = handle_next();
    if (!handled && !has_ended_) {
      return handled;
    }
  }
  return true;
}

Result<bool> LockstepClient::handle_next() {
  if (std::exchange(owes_idle_, false) && options_.announces_idle) {
    say("idle").turn = turn_;
  }
  const Result<bool> sent = flush();
  if (!sent) {
    return sent;
  }
  const Result<std::optional<std::string>> line = stream_.read_line(options_.patience);
  if (!line) {
    return Error{"the simulation: " + line.error().message};
  }
  if (!*line) {
    return Error{"no message from the simulation for too long"};
  }
  const Result<LockstepMessage> message = parse_lockstep(**line);
  if (!message) {
    return message.error();
  }
  return handle(*message);
}

Result<bool> LockstepClient::handle(const LockstepMessage& message) {
  const std::string& type = message.type;
  if (type == "refused") {
    has_ended_ = true;
    return Error{message.error};
  }
  now_ = Time(Duration(message.time_ns));
  if (type == "end") {
    has_ended_ = true;
    return Error{"the simulation has ended"};
  }
  turn_ = message.turn;
  owes_idle_ = true;
  if (type == "joined") {
    host_ = message.host;
  } else if (type == "request") {
    const auto handler = handlers_.find(message.method);
    if (handler == handlers_.end()) {
      return Error{fmt::format("received a request for '{}', which is not served", message.method)};
    }
    Answer answer = handler->second(message.data);
    LockstepMessage& line = say("answer");
    line.id = message.id;
    line.data = std::move(answer.data);
    line.execution_ns = answer.execution.count();
  } else if (type == "reply") {
    replies_[message.id] = message;
  } else if (type == "message") {
    const auto receiver = receivers_.find(message.topic);
    if (receiver != receivers_.end()) {
      receiver->second(message.data);
    }
  } else if (type == "wake") {
    awake_.insert(message.id);
  } else if (type != "step") {
    return Error{fmt::format("Longarm sent '{}', which only clients may send", type)};
  }
  return true;
}

}  // namespace longarm::components
