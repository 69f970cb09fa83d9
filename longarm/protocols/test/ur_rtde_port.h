// SPDX-License-Identifier: Apache-2.0
// A UR controller that does what a test says, and remembers what it was asked for.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/protocols/ur/controller_port.h"

namespace longarm::protocols::ur {

class ScriptedController final : public ControllerPort {
 public:
  ControllerInfo controller_info;
  ControllerState controller_state;
  std::vector<RobotMessage> controller_messages;
  std::uint64_t cycle_count = 0;
  /// What the next orders are answered with; empty: they succeed.
  std::string refusal;
  std::string program;
  /// In order.
  std::vector<std::string> asked;
  std::vector<RtdeInputs> written;

  const ControllerInfo& info() const override { return controller_info; }
  const ControllerState& state() const override { return controller_state; }
  std::uint64_t cycles() const override { return cycle_count; }
  std::span<const RobotMessage> messages() const override { return controller_messages; }
  void run_script(std::string_view text) override { asked.emplace_back(text); }
  void refuse_script(std::string_view why) override {
    asked.push_back("refused " + std::string(why));
  }
  void write_inputs(const RtdeInputs& inputs) override { written.push_back(inputs); }
  Result<bool> power_on() override { return obey("power_on"); }
  Result<bool> power_off() override { return obey("power_off"); }
  Result<bool> release_brakes() override { return obey("release_brakes"); }
  Result<bool> play() override { return obey("play"); }
  Result<bool> pause() override { return obey("pause"); }
  Result<bool> stop() override { return obey("stop"); }
  Result<bool> load(std::string_view file) override { return obey("load " + std::string(file)); }
  Result<bool> unlock_protective_stop() override { return obey("unlock"); }
  Result<bool> unlock_at_once() override { return obey("unlock_at_once"); }
  Result<bool> restart_safety() override { return obey("restart_safety"); }
  std::string loaded_program() const override { return program; }
  void show_popup(std::string_view text) override { asked.push_back("popup " + std::string(text)); }
  void add_to_log(std::string_view text) override { asked.push_back("log " + std::string(text)); }

 private:
  Result<bool> obey(std::string what) {
    asked.push_back(std::move(what));
    if (!refusal.empty()) {
      return Error{refusal};
    }
    return true;
  }
};

}  // namespace longarm::protocols::ur
