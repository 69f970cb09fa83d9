// SPDX-License-Identifier: Apache-2.0
// Asks, waits, asks again.
#include "labs/kitting/plc_conversation.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/modbus/plc_map.h"

namespace longarm::kitting {
namespace {

namespace modbus = protocols::modbus;

bool has_flag(std::uint16_t flags, modbus::PlcFlag flag) {
  return ((flags >> flag) & 1U) != 0;
}

}  // namespace

PlcConversation::PlcConversation(sim::TaskContext context, Dial dial, const TalkConfig& config)
    : context_(context),
      config_(config),
      line_(std::move(dial), [this](std::string_view bytes, Time now) { hear(bytes, now); }) {}

void PlcConversation::hear(std::string_view bytes, Time now) {
  for (modbus::Client::Heard& heard : client_.hear(bytes)) {
    if (heard.number == awaited_) {
      answer_ = std::move(heard.answer);
      round_trips_.add(now - asked_);
    }
  }
}

sim::Task<std::optional<modbus::Answer>> PlcConversation::ask(modbus::Request request) {
  const Time first = context_.kernel.now();
  answer_.reset();
  while (context_.kernel.now() - first < config_.give_up_after) {
    if (line_.open(context_.kernel.now()) || client_.is_lost()) {
      client_ = modbus::Client();  // a new connection begins between two messages
    }
    const modbus::Client::Sent sent = client_.ask(request);
    awaited_ = sent.number;
    asked_ = context_.kernel.now();
    line_.send(sent.bytes);
    const Time again = asked_ + config_.silent_after;
    while (!answer_ && context_.kernel.now() < again) {
      co_await line_.bell().wait_until(context_, again);
    }
    if (answer_) {
      co_return std::exchange(answer_, std::nullopt);
    }
  }
  co_return std::nullopt;
}

sim::Task<std::string> PlcConversation::write(std::uint16_t address,
                                              std::vector<std::uint16_t> values) {
  modbus::Request request;
  request.function = modbus::Function::kWriteRegisters;
  request.address = static_cast<std::uint16_t>(modbus::kOffset + address);
  request.count = static_cast<std::uint16_t>(values.size());
  request.values = std::move(values);
  const std::optional<modbus::Answer> answer = co_await ask(std::move(request));
  if (!answer) {
    co_return "the belt's controller does not answer";
  }
  if (answer->exception) {
    co_return fmt::format("the belt's controller reports {}", modbus::words(*answer->exception));
  }
  co_return "";
}

sim::Task<std::string> PlcConversation::drive(double fraction) {
  const std::uint16_t direction = fraction < 0.0 ? 1 : 0;
  // one write, so that no scan sees half of it
  std::vector<std::uint16_t> values{1, direction, modbus::speed_count(std::abs(fraction))};
  std::string refusal = co_await write(modbus::kOnOff, std::move(values));
  co_return refusal;
}

sim::Task<std::string> PlcConversation::stop() {
  std::vector<std::uint16_t> values{0};
  std::string refusal = co_await write(modbus::kOnOff, std::move(values));
  co_return refusal;
}

void PlcConversation::stop_now() {
  const auto address = static_cast<std::uint16_t>(modbus::kOffset + modbus::kOnOff);
  line_.send(client_.write_register(address, 0).bytes);
}

sim::Task<std::optional<BeltState>> PlcConversation::look() {
  modbus::Request request;
  request.function = modbus::Function::kReadInputRegisters;
  request.address = 0;
  request.count = modbus::kInputCount;
  const std::optional<modbus::Answer> answer = co_await ask(std::move(request));
  if (!answer || answer->values.size() != modbus::kInputCount) {
    co_return std::nullopt;
  }
  const std::vector<std::uint16_t>& values = answer->values;
  const std::uint16_t flags = values[modbus::kFlags];
  BeltState state;
  state.speed_m_s = static_cast<std::int16_t>(values[modbus::kMeasuredSpeed]) * 1e-4;
  state.encoder_m =
      modbus::joined(values[modbus::kEncoderHigh], values[modbus::kEncoderLow]) * 1e-5;
  state.is_jammed = has_flag(flags, modbus::kIsJammed);
  state.is_stopped = has_flag(flags, modbus::kIsStopped);
  state.is_safety_stopped = has_flag(flags, modbus::kIsSafetyStopped);
  co_return state;
}

}  // namespace longarm::kitting
