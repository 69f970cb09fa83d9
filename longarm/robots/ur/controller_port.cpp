// SPDX-License-Identifier: Apache-2.0
// What clients can ask and tell a UR controller between two steps.
#include <cmath>

#include <fmt/format.h>

#include "longarm/robots/ur/controller_parts.h"

namespace longarm::robots {
namespace {

using protocols::ur::RobotMessage;
using protocols::ur::script::Program;

}  // namespace

const protocols::ur::ControllerInfo& UrController::info() const {
  return parts_->core.info;
}

const protocols::ur::ControllerState& UrController::state() const {
  return parts_->published;
}

std::uint64_t UrController::cycles() const {
  return parts_->cycles;
}

std::span<const RobotMessage> UrController::messages() const {
  return parts_->core.messages.all();
}

void UrController::run_script(std::string_view text) {
  ++parts_->core.figures.scripts;
  Result<Program> program = parts_->compile(text);
  if (!program) {
    ++parts_->core.figures.refused_scripts;
    return;
  }
  if (program->is_secondary() || (program->is_bare() && !program->moves_robot())) {
    parts_->machine.start_secondary(std::move(program).value());
    parts_->take_ends();
    return;
  }
  parts_->start(std::move(program).value());
}

void UrController::refuse_script(std::string_view why) {
  ++parts_->core.figures.scripts;
  ++parts_->core.figures.refused_scripts;
  parts_->core.say(RobotMessage::Kind::kErrorCode, fmt::format("a script was not taken: {}", why),
                   kUrRefusedCode);
}

void UrController::write_inputs(const protocols::ur::RtdeInputs& inputs) {
  parts_->core.write_inputs(inputs);
}

Result<bool> UrController::power_on() {
  const Result<bool> powered = parts_->core.modes.power_on(parts_->core.now);
  return powered ? powered : parts_->refuse("power on", powered.error().message);
}

Result<bool> UrController::power_off() {
  parts_->end_program();
  parts_->core.modes.power_off();
  return true;
}

Result<bool> UrController::release_brakes() {
  const Result<bool> released = parts_->core.modes.release_brakes(parts_->core.now);
  return released ? released : parts_->refuse("brake release", released.error().message);
}

Result<bool> UrController::play() {
  Parts& p = *parts_;
  if (const std::string obstacle = p.core.modes.obstacle(); !obstacle.empty()) {
    return p.refuse("play", obstacle);
  }
  if (p.machine.is_running()) {
    p.is_resuming = p.is_resuming || p.machine.is_paused();
    p.machine.resume();
    p.core.motion.set_paused(false);
    return true;
  }
  if (p.loaded_name.empty()) {
    return p.refuse("play", "no program is loaded");
  }
  Result<Program> program = p.compile(p.loaded_text);
  if (!program) {
    return Error{"Failed to execute: play"};  // the compiler has said why
  }
  p.start(std::move(program).value());
  return true;
}

Result<bool> UrController::pause() {
  if (!parts_->machine.is_running()) {
    return parts_->refuse("pause", "no program is running");
  }
  parts_->machine.pause();
  parts_->core.motion.set_paused(true);
  return true;
}

Result<bool> UrController::stop() {
  parts_->end_program();
  return true;
}

Result<bool> UrController::load(std::string_view file) {
  Result<std::string> text = parts_->programs.find(file);
  if (!text) {
    return text.error();
  }
  parts_->loaded_name = file;
  parts_->loaded_text = std::move(text).value();
  return true;
}

Result<bool> UrController::unlock_protective_stop() {
  return parts_->core.modes.unlock(parts_->core.now);
}

Result<bool> UrController::unlock_at_once() {
  parts_->core.modes.unlock();
  return true;
}

Result<bool> UrController::restart_safety() {
  parts_->end_program();
  parts_->core.modes.restart_safety();
  return true;
}

std::string UrController::loaded_program() const {
  return parts_->loaded_name;
}

void UrController::show_popup(std::string_view text) {
  if (text.empty()) {
    ++parts_->core.closed_popups;
    return;
  }
  parts_->core.say(RobotMessage::Kind::kText, std::string(text));
}

void UrController::add_to_log(std::string_view text) {
  parts_->core.say(RobotMessage::Kind::kText, std::string(text));
}

void UrController::emergency_stop(std::string reason) {
  parts_->emergency_stop(std::move(reason));
}

void UrController::protective_stop(std::string reason) {
  parts_->protective_stop(std::move(reason));
}

void UrController::set_digital_inputs(std::uint64_t bits) {
  parts_->core.wired_inputs = bits;
}

void UrController::set_analog_input(std::size_t which, double value) {
  if (which < parts_->core.live.analog_inputs.size() && std::isfinite(value)) {
    parts_->core.live.analog_inputs[which] = value;
  }
}

const UrFigures& UrController::figures() const {
  return parts_->core.figures;
}

UrSockets& UrController::sockets() {
  return parts_->core.sockets;
}

protocols::ur::GripperPort* UrController::gripper() {
  std::optional<Robotiq>& robotiq = parts_->core.robotiq;
  return robotiq ? &*robotiq : nullptr;
}

RobotGripper& UrController::hand() {
  return *parts_->core.gripper;
}

std::vector<physics::BodyId> UrController::bodies() const {
  return parts_->core.joints.arm().bodies();
}

}  // namespace longarm::robots
