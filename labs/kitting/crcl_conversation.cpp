// SPDX-License-Identifier: Apache-2.0
// Sends, asks, and knows when to stop waiting.
#include "labs/kitting/crcl_conversation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::kitting {
namespace {

namespace crcl = protocols::crcl;

}  // namespace

CrclConversation::CrclConversation(sim::TaskContext context, std::string robot, Dial dial,
                                   const TalkConfig& config)
    : context_(context),
      robot_(std::move(robot)),
      config_(config),
      line_(std::move(dial), [this](std::string_view bytes, Time now) { hear(bytes, now); }) {}

void CrclConversation::hear(std::string_view bytes, Time now) {
  const std::size_t before = client_.open_questions();
  if (client_.receive(bytes) > 0 && before > 0) {
    round_trips_.add(now - asked_);
  }
  is_silent_ = false;
}

void CrclConversation::ask_status() {
  client_.ask_status();
  asked_ = context_.kernel.now();
}

void CrclConversation::flush() {
  const std::string bytes = client_.take_output();
  if (!bytes.empty()) {
    line_.send(bytes);
  }
}

void CrclConversation::stop_now() {
  if (client_.send(crcl::StopMotion{crcl::StopCondition::kFast})) {
    flush();
  }
}

bool CrclConversation::take_is_new() {
  return std::exchange(is_new_, false);
}

bool CrclConversation::is_given_up(Time since) {
  const Duration quiet = context_.kernel.now() - std::max(since, line_.last_heard());
  if (quiet >= config_.silent_after && !is_silent_) {
    is_silent_ = true;
    ++silences_;
  }
  return quiet >= config_.give_up_after;
}

CommandEnd CrclConversation::silence() const {
  return {Ending::kSilent,
          fmt::format("{} has not answered for {:g} s", robot_, to_seconds(config_.give_up_after))};
}

sim::Task<CommandEnd> CrclConversation::run(crcl::CommandBody body) {
  const Time begin = context_.kernel.now();
  std::optional<std::int64_t> id;
  ++commands_;
  bool is_sent = false;
  while (true) {
    if (line_.open(context_.kernel.now())) {
      // a new connection begins between two messages; the robot knows commands by their numbers
      client_ = crcl::Client(id.value_or(last_id_ + 1));
      is_new_ = true;
      is_sent = false;
    }
    if (!is_sent) {
      const Result<std::int64_t> sent = client_.send(body);
      if (!sent) {
        co_return CommandEnd{Ending::kError, sent.error().message};
      }
      id = last_id_ = *sent;
      ask_status();
      is_sent = true;
    }
    const crcl::Progress progress = client_.progress(*id);
    if (progress == crcl::Progress::kDone) {
      co_return CommandEnd{};
    }
    if (progress == crcl::Progress::kError) {
      co_return CommandEnd{Ending::kError, client_.description(*id)};
    }
    if (progress == crcl::Progress::kOvertaken) {
      co_return CommandEnd{Ending::kError, "another client is commanding this robot"};
    }
    if (is_given_up(begin)) {
      co_return silence();
    }
    const Time now = context_.kernel.now();
    if (client_.open_questions() == 0 && now >= asked_ + config_.poll) {
      ask_status();
    }
    flush();
    const Time again = std::max(now, asked_) + config_.poll;
    co_await line_.bell().wait_until(
        context_, client_.open_questions() == 0 ? std::max(now, asked_ + config_.poll) : again);
  }
}

sim::Task<std::optional<crcl::Status>> CrclConversation::ask() {
  const Time begin = context_.kernel.now();
  bool is_asked = false;
  while (true) {
    if (line_.open(context_.kernel.now())) {
      client_ = crcl::Client(last_id_ + 1);
      is_new_ = true;
      is_asked = false;
    }
    if (!is_asked) {
      ask_status();
      is_asked = true;
      flush();
    }
    co_await line_.bell().wait_for(context_, config_.poll);
    if (client_.open_questions() == 0 && client_.last_status()) {
      co_return client_.last_status();
    }
    if (is_given_up(begin)) {
      co_return std::nullopt;
    }
  }
}

}  // namespace longarm::kitting
