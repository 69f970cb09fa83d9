// SPDX-License-Identifier: Apache-2.0
// Turns: the process speaks only after it was told something, until it says that it is idle.
#include "longarm/components/lockstep/foreign_component.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace longarm::components {
namespace {

TopicOptions topic_options(const LockstepMessage& message) {
  TopicOptions options;
  if (message.transport == "udp") {
    options.flow.transport = network::Transport::kUdp;
  }
  return options;
}

std::string_view message_type(const LockstepMessage& message) {
  return message.message_type.empty() ? Blob::kTypeName : std::string_view(message.message_type);
}

}  // namespace

ForeignComponent::ForeignComponent(sim::Kernel& kernel, Node& node, std::string host,
                                   TurnTaker& turns)
    : kernel_(kernel),
      node_(node),
      host_(std::move(host)),
      turns_(turns),
      source_(kernel.add_source(node.name() + " (foreign)")) {}

int ForeignComponent::descriptor() const {
  return stream_ && !has_left_ ? stream_->descriptor() : -1;
}

void ForeignComponent::complain(const std::string& what) {
  turns_.fail(name(), what);
}

void ForeignComponent::begin() {
  LockstepMessage joined;
  joined.type = "joined";
  joined.component = name();
  joined.host = host_;
  tell(std::move(joined), CollectionPhase::kStep);
}

bool ForeignComponent::can_be_told(const std::string& type) {
  if (turns_.has_failed()) {
    return false;
  }
  if (has_left_) {
    if (type != "step") {
      complain(fmt::format("it had disconnected when a {} arrived for it", type));
    }
    return false;
  }
  if (turns_.is_exact() && stream_->has_pending()) {
    // the end of the connection shows like this, too
    const Result<std::optional<std::string>> line = stream_->read_line(Duration::zero());
    complain(line ? "it sent a message out of turn" : line.error().message);
    return false;
  }
  return true;
}

bool ForeignComponent::send(LockstepMessage message) {
  if (!can_be_told(message.type)) {
    return false;
  }
  message.time_ns = kernel_.now().time_since_epoch().count();
  message.turn = ++turn_;
  const Result<bool> written = stream_->write_line(to_line(message), turns_.patience());
  if (!written) {
    complain(written.error().message);
  }
  return written.has_value();
}

void ForeignComponent::tell(LockstepMessage message, CollectionPhase phase) {
  if (!send(std::move(message))) {
    return;
  }
  if (turns_.is_exact()) {
    take_turn();
  } else {
    turns_.collect(phase);
  }
}

void ForeignComponent::take_turn() {
  const auto start = std::chrono::steady_clock::now();
  bool is_idle = false;
  while (!is_idle && !turns_.has_failed()) {
    const Result<std::optional<std::string>> line = stream_->read_line(turns_.patience());
    if (!line) {
      complain(line.error().message);
    } else if (!*line) {
      complain(fmt::format("it has not answered for {} s", to_seconds(turns_.patience())));
    } else {
      take(**line, is_idle);
    }
  }
  waited_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  obey();
}

void ForeignComponent::listen() {
  while (descriptor() >= 0 && !turns_.has_failed()) {
    const Result<std::optional<std::string>> line = stream_->read_line(Duration::zero());
    if (!line) {
      complain(line.error().message);
      return;
    }
    if (!*line) {
      return;
    }
    bool is_idle = false;  // said or not: time decides
    take(**line, is_idle);
  }
}

void ForeignComponent::take(const std::string& line, bool& is_idle) {
  Result<LockstepMessage> message = parse_lockstep(line);
  if (!message) {
    complain(message.error().message);
    return;
  }
  if (message->type == "idle") {
    if (turns_.is_exact() && message->turn != turn_) {
      complain(fmt::format("it ended turn {} in turn {}", message->turn, turn_));
    }
    is_idle = true;
    return;
  }
  if (message->type == "bye") {
    has_left_ = true;
    is_idle = true;
    return;
  }
  heard_.push_back(std::move(message).value());
}

void ForeignComponent::obey() {
  for (LockstepMessage& message : std::exchange(heard_, {})) {
    obey(std::move(message));
  }
}

void ForeignComponent::obey(LockstepMessage message) {
  const std::string& type = message.type;
  if (type == "answer") {
    answer(message);
    return;
  }
  if (type == "call" || type == "sleep_until") {
    if (!open_calls_.insert(message.id).second) {
      complain(fmt::format("it reused the number {} for a {} before the previous one had ended",
                           message.id, type));
    } else if (type == "call") {
      node_.spawn(call(std::move(message)));
    } else {
      sleep(message.id, Time(Duration(message.time_ns)));
    }
    return;
  }
  if (type == "serve") {
    node_.serve_raw(message.method, [this, method = message.method](Bytes request) {
      return ask(method, std::move(request));
    });
  } else if (type == "advertise") {
    node_.advertise_raw(message.topic, message_type(message), topic_options(message));
  } else if (type == "publish") {
    node_.publish_raw(message.topic, std::move(message.data));
  } else if (type == "subscribe") {
    node_.subscribe_raw(
        message.topic, message_type(message),
        [this, topic = message.topic](const Bytes& data) {
          LockstepMessage news;
          news.type = "message";
          news.topic = topic;
          news.data = data;
          tell(std::move(news), CollectionPhase::kRequest);
        },
        topic_options(message));
  } else {
    complain(fmt::format("it sent '{}', which only Longarm may send", type));
  }
}

void ForeignComponent::sleep(std::int64_t id, Time when) {
  const auto wake_up = [this, id](Time) {
    open_calls_.erase(id);
    LockstepMessage wake;
    wake.type = "wake";
    wake.id = id;
    tell(std::move(wake), CollectionPhase::kStep);
  };
  if (when > kernel_.now()) {
    kernel_.at(when, sim::Phase::kControl, source_, wake_up);
  } else {
    kernel_.deliver(kernel_.now(), source_, wake_up);
  }
}

void ForeignComponent::answer(const LockstepMessage& message) {
  const auto found = open_requests_.find(message.id);
  if (found == open_requests_.end() || std::exchange(found->second.is_answered, true)) {
    complain(fmt::format("it answered request {}, which is not pending", message.id));
    return;
  }
  // as an event of its own: whoever waits may have a lot to do
  const Answer given{message.data, Duration(message.execution_ns)};
  kernel_.deliver(kernel_.now(), source_,
                  [this, id = message.id, given](Time) { open_requests_[id].answers.push(given); });
}

sim::Task<Bytes> ForeignComponent::ask(std::string method, Bytes request) {
  const std::int64_t id = next_request_++;
  sim::Mailbox<Answer>& answers = open_requests_[id].answers;
  LockstepMessage message;
  message.type = "request";
  message.id = id;
  message.method = std::move(method);
  message.data = std::move(request);
  tell(std::move(message), CollectionPhase::kRequest);
  Answer reply = co_await answers.receive();
  open_requests_.erase(id);
  if (reply.execution > Duration::zero()) {
    co_await node_.compute(reply.execution);
  }
  if (!turns_.is_exact()) {
    turns_.collect(CollectionPhase::kExecution);
  }
  co_return std::move(reply.data);
}

sim::Task<void> ForeignComponent::call(LockstepMessage message) {
  CallOptions options;
  if (message.timeout_ns > 0) {
    options.timeout = Duration(message.timeout_ns);
  }
  // a variable of its own: g++ 12 destroys temporaries twice where they are awaited
  sim::Task<Result<Bytes>> asked =
      node_.call_raw(std::move(message.server), std::move(message.method), std::move(message.data),
                     std::move(options));
  Result<Bytes> result = co_await std::move(asked);
  LockstepMessage reply;
  reply.type = "reply";
  reply.id = message.id;
  if (result) {
    reply.data = std::move(result).value();
  } else {
    reply.error = result.error().message;
  }
  open_calls_.erase(message.id);
  tell(std::move(reply), CollectionPhase::kReply);
}

void ForeignComponent::say_end() {
  if (descriptor() < 0) {
    return;
  }
  LockstepMessage end;
  end.type = "end";
  end.time_ns = kernel_.now().time_since_epoch().count();
  // whoever does not read it finds the connection closed
  (void)stream_->write_line(to_line(end), Duration(100'000'000));
  stream_.reset();
}

}  // namespace longarm::components
