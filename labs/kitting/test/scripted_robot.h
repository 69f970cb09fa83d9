// SPDX-License-Identifier: Apache-2.0
// A robot's CRCL server for tests: answers across a wire with a delay, as a script says.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longarm/protocols/client_link.h"
#include "longarm/protocols/crcl/codec.h"
#include "longarm/protocols/crcl/framing.h"
#include "longarm/sim/kernel.h"

namespace longarm::kitting {

/// Both directions take `delay`. A command is under way for `work`, then done, unless `refusal`
/// says something of it. Silent, it hears and says nothing.
class ScriptedRobot final : public protocols::ClientLink {
 public:
  explicit ScriptedRobot(sim::Kernel& kernel)
      : kernel_(kernel), source_(kernel.add_source("scripted robot")) {}

  Duration delay{};
  Duration work{};
  bool is_silent = false;
  bool is_connected = true;
  bool is_holding = false;
  std::function<std::string(const protocols::crcl::CommandBody&)> refusal;
  std::vector<protocols::crcl::CommandBody> heard;
  std::vector<std::int64_t> ids;
  int status_requests = 0;

 private:
  void do_send(std::string_view bytes) override {
    kernel_.deliver(kernel_.now() + delay, source_,
                    [this, text = std::string(bytes)](Time now) { receive(text, now); });
  }
  bool do_is_up() const override { return is_connected; }

  void receive(const std::string& text, Time now) {
    if (is_silent || !is_connected) {
      return;
    }
    framing_.feed(text);
    while (true) {
      const Result<std::optional<std::string>> document = framing_.next();
      if (!document || !*document) {
        return;
      }
      const auto instance = protocols::crcl::decode_command(**document);
      if (!instance) {
        continue;
      }
      const protocols::crcl::Command& command = instance->command;
      if (std::holds_alternative<protocols::crcl::GetStatus>(command.body)) {
        ++status_requests;
        answer(now);
      } else if (command.id != current_) {
        begin(command, now);
      }
    }
  }
  void begin(const protocols::crcl::Command& command, Time now) {
    heard.push_back(command.body);
    ids.push_back(command.id);
    current_ = command.id;
    error_ = refusal ? refusal(command.body) : "";
    over_ = now + work;
    if (const auto* set = std::get_if<protocols::crcl::SetEndEffector>(&command.body)) {
      is_closed_ = set->setting == 0.0;
    }
  }
  void answer(Time now) {
    using protocols::crcl::CommandState;
    protocols::crcl::Status status;
    status.command.command_id = current_;
    status.command.status_id = ++statuses_;
    status.command.state = !error_.empty() ? CommandState::kError
                           : now < over_   ? CommandState::kWorking
                                           : CommandState::kDone;
    if (!error_.empty()) {
      status.command.description = error_;
    }
    status.gripper = protocols::crcl::GripperStatus{"hand", {}, is_closed_ && is_holding, {}};
    const Result<std::string> text = protocols::crcl::encode(status);
    kernel_.deliver(now + delay, source_,
                    [this, bytes = text.value()](Time when) { hear(bytes, when); });
  }

  sim::Kernel& kernel_;
  sim::SourceId source_;
  protocols::crcl::Framing framing_;
  std::int64_t current_ = 0;
  std::int64_t statuses_ = 0;
  Time over_{};
  std::string error_;
  bool is_closed_ = false;
};

}  // namespace longarm::kitting
