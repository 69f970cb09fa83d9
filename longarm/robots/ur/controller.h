// SPDX-License-Identifier: Apache-2.0
// The controller of a UR5 (CB3) in an engine: runs scripts, moves the joints, watches itself.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/gripper_door.h"
#include "longarm/robots/ur/config.h"
#include "longarm/robots/ur/figures.h"

namespace longarm::robots {

class RobotGripper;
class UrSockets;

/// Each step of the world: before_step(), the engine's step, after_step().
///
/// A control cycle begins at every multiple of 8 ms. What was called before the step that begins
/// there is used in it: scripts run, then the targets of 8 ms later are computed, and the joints
/// follow them in every step. After the step that ends the cycle its state is published: cycles()
/// has grown by one.
class UrController final : public protocols::ur::ControllerPort {
 public:
  /// Borrows the engine, which was made of `cell`, and puts the arm's joints at home. `period` is
  /// that of the engine's step and divides 8 ms. Throws InputError for what judge_ur() refuses.
  UrController(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
               Duration period);
  ~UrController() override;
  UrController(const UrController&) = delete;
  UrController& operator=(const UrController&) = delete;

  /// `now` is the beginning of the step.
  void before_step(Time now);
  /// `now` is the end of the step.
  void after_step(Time now);

  const protocols::ur::ControllerInfo& info() const override;
  const protocols::ur::ControllerState& state() const override;
  std::uint64_t cycles() const override;
  std::span<const protocols::ur::RobotMessage> messages() const override;
  void run_script(std::string_view text) override;
  void refuse_script(std::string_view why) override;
  void write_inputs(const protocols::ur::RtdeInputs& inputs) override;
  Result<bool> power_on() override;
  Result<bool> power_off() override;
  Result<bool> release_brakes() override;
  Result<bool> play() override;
  Result<bool> pause() override;
  Result<bool> stop() override;
  Result<bool> load(std::string_view file) override;
  Result<bool> unlock_protective_stop() override;
  Result<bool> unlock_at_once() override;
  Result<bool> restart_safety() override;
  std::string loaded_program() const override;
  void show_popup(std::string_view text) override;
  void add_to_log(std::string_view text) override;

  /// As somebody does who presses the button, or a safety system; ends the program.
  void emergency_stop(std::string reason);
  void protective_stop(std::string reason);
  /// Levels at the robot's inputs: 0–7 standard, 8–15 configurable, 16–17 tool.
  void set_digital_inputs(std::uint64_t bits);
  /// In volts, or in amperes where the input is set to current.
  void set_analog_input(std::size_t which, double value);

  const UrFigures& figures() const;
  /// The door that calls whom scripts open sockets to.
  UrSockets& sockets();
  /// Null: it has no such gripper.
  protocols::ur::GripperPort* gripper();
  /// Whatever is at its flange, beside the software that the robot has for it.
  RobotGripper& hand();
  /// Bodies of the arm, base first.
  std::vector<physics::BodyId> bodies() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace longarm::robots
