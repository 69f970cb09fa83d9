// SPDX-License-Identifier: Apache-2.0
// The inside of a UR controller: what its cycle and its port both work on.
#pragma once

#include <string>
#include <string_view>

#include "longarm/protocols/ur/script/machine.h"
#include "longarm/robots/ur/controller.h"
#include "longarm/robots/ur/core.h"
#include "longarm/robots/ur/host.h"
#include "longarm/robots/ur/programs.h"

namespace longarm::robots {

/// Of messages about what is not done; the manual has none for it. (210 is one that clients know:
/// a port that is only for reading.)
inline constexpr std::int32_t kUrRefusedCode = 0;

struct UrController::Parts {
  /// Throws InputError for what judge_ur() refuses.
  Parts(physics::Engine& engine, const model::Cell& cell, const UrConfig& config, Duration given);

  /// At every multiple of the cycle, before the step.
  void begin_cycle();
  void watch_safety();
  void warn_of_deviation(const Joints& q);
  void move();
  void publish();
  void take_ends();
  void end_program();
  void protective_stop(std::string reason);
  void protective_stop(std::string reason, std::int32_t code);
  void emergency_stop(std::string reason);
  /// What the dashboard answers; why becomes a message.
  Error refuse(std::string_view order, std::string_view why);
  protocols::ur::RuntimeState runtime_state();
  void start(protocols::ur::script::Program program);
  Result<protocols::ur::script::Program> compile(std::string_view text);

  UrCore core;
  UrHost host;
  protocols::ur::script::Machine machine;
  UrPrograms programs;
  Duration period;
  protocols::ur::ControllerState published;
  std::uint64_t cycles = 0;
  std::string loaded_name;
  std::string loaded_text;
  std::string named_program;  ///< that runs and began with a key message; empty: none
  bool is_resuming = false;   ///< was paused, and its time does not run at its full rate yet
  bool has_warned_of_deviation = false;
  bool is_protective_stop_due = true;
  bool is_emergency_stop_due = true;
};

}  // namespace longarm::robots
