// SPDX-License-Identifier: Apache-2.0
// Asks, waits, asks again.
#include "labs/picking/robotiq_conversation.h"

#include <algorithm>
#include <utility>

#include "longarm/core/text.h"

namespace longarm::picking {

RobotiqConversation::RobotiqConversation(sim::TaskContext context, kitting::Dial dial,
                                         Duration patience)
    : context_(context),
      patience_(patience),
      // answers have no end of their own: what comes at once is one
      line_(std::move(dial), [this](std::string_view bytes, Time) { answer_ = bytes; }) {}

sim::Task<std::string> RobotiqConversation::ask(std::string line) {
  answer_.clear();
  while (true) {
    line_.open(context_.kernel.now());
    const Time asked = context_.kernel.now();
    line_.send(line + "\n");
    while (answer_.empty() && context_.kernel.now() < asked + patience_) {
      co_await line_.bell().wait_until(context_, asked + patience_);
    }
    if (!answer_.empty()) {
      const Duration took = context_.kernel.now() - asked;
      round_trips_.add(took);
      shortest_round_trip_ = std::min(took, shortest_round_trip_.value_or(took));
      co_return std::exchange(answer_, {});
    }
  }
}

sim::Task<bool> RobotiqConversation::set(std::string settings) {
  const std::string answer = co_await ask("SET " + settings);
  co_return answer == "ack";
}

sim::Task<std::optional<int>> RobotiqConversation::get(std::string variable) {
  const std::string answer = co_await ask("GET " + variable);
  if (!answer.starts_with(variable + " ")) {
    co_return std::nullopt;
  }
  const std::optional<double> value = parse_number(answer.substr(variable.size() + 1));
  co_return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace longarm::picking
