// SPDX-License-Identifier: Apache-2.0
// One control cycle after the other: safety, scripts, motion, joints, and what is published.
#include "longarm/robots/ur/controller.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/robots/ur/controller_parts.h"

namespace longarm::robots {
namespace {

using protocols::ur::RobotMessage;
using protocols::ur::RuntimeState;
using protocols::ur::script::Program;
using protocols::ur::script::ProgramEnd;
using MessageKind = RobotMessage::Kind;

// codes of messages as the manual lists them: position deviates, safety stop
constexpr std::int32_t kProtectiveStopCode = 157;
constexpr std::int32_t kScriptStopCode = 209;  // protective_stop()
constexpr std::int32_t kEmergencyStopCode = 171;
constexpr std::int32_t kDeviationWarningCode = 158;
constexpr std::size_t kMostStopsKept = 1000;

const UrConfig& refuse_flaws(const UrConfig& config, const model::Cell& cell, Duration period) {
  Diagnostics diagnostics;
  for (const network::KeyRemark& remark : judge_ur(config, cell, period, "")) {
    if (remark.severity == Severity::kError) {
      diagnostics.error({}, remark.message, remark.hint);
    }
  }
  diagnostics.throw_if_errors();
  return config;
}

}  // namespace

UrController::Parts::Parts(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
                           Duration given)
    : core(engine, cell, refuse_flaws(config, cell, given), given),
      host(core),
      machine(host),
      programs(programs_folder(config)),
      period(given) {
  core.measure();
  published = core.live;
}

UrController::UrController(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
                           Duration period)
    : parts_(std::make_unique<Parts>(engine, cell, config, period)) {}

UrController::~UrController() = default;

void UrController::before_step(Time now) {
  Parts& p = *parts_;
  p.core.now = now;
  const Duration into = now.time_since_epoch() % kUrCycle;
  if (into == Duration::zero()) {
    p.begin_cycle();
  }
  p.core.drive_gripper();
  if (!p.core.modes.has_brakes_off()) {
    p.core.joints.hold();
    return;
  }
  const double share = to_seconds(into + p.period) / to_seconds(kUrCycle);
  const Joints ahead = p.core.motion.between(into + p.period == kUrCycle ? 1.0 : share);
  if (p.core.motion.gives_way()) {
    p.core.joints.follow_softly(ahead);
  } else {
    p.core.joints.follow(ahead);
  }
}

void UrController::after_step(Time now) {
  parts_->core.now = now;
  parts_->core.watch_gripper();
  parts_->core.feel_step();
  if (now.time_since_epoch() % kUrCycle == Duration::zero()) {
    parts_->publish();
  }
}

void UrController::Parts::begin_cycle() {
  const bool had_brakes_off = core.modes.has_brakes_off();
  core.modes.advance(core.now, core.motion.is_at_rest());
  if (core.modes.has_brakes_off() != had_brakes_off) {
    core.motion.rest_at(core.joints.positions());
  }
  core.tell_safety_mode();
  watch_safety();
  machine.run_cycle([this] { take_ends(); });
  if (!core.wanted_stop.empty()) {
    protective_stop(std::exchange(core.wanted_stop, {}), kScriptStopCode);
  }
  if (std::exchange(core.wants_power_off, false)) {
    machine.stop();
    take_ends();
    core.modes.power_off();
  }
  move();
}

void UrController::Parts::watch_safety() {
  const auto is_due = [&](const std::optional<Duration>& at, bool& is_waiting) {
    return at && core.now.time_since_epoch() >= *at && std::exchange(is_waiting, false);
  };
  if (is_due(core.config.protective_stop_at, is_protective_stop_due)) {
    protective_stop("planned");
  }
  if (is_due(core.config.emergency_stop_at, is_emergency_stop_due)) {
    emergency_stop("planned");
  }
  if (core.modes.can_move()) {
    const Joints q = core.joints.positions();
    const Joints& target = core.motion.target().q;
    for (std::size_t j = 0; j < q.size(); ++j) {
      if (!(std::abs(q[j] - target[j]) <= core.config.deviation_rad)) {
        protective_stop(
            fmt::format("joint {} is {:.3g} rad from its target", j, std::abs(q[j] - target[j])));
        // it rests where it was stopped, not where it wanted to be
        core.motion.brake_from(q, core.joints.velocities());
        break;
      }
    }
    warn_of_deviation(q);
  }
  for (const UrWatchdogs::Trip& trip : core.watchdogs.trips(core.now)) {
    core.figures.watchdog_trips.add(core.now);
    core.say(MessageKind::kErrorCode, fmt::format("'{}' was not written in time", trip.variable),
             kUrRefusedCode);
    if (trip.action == UrWatchdogAction::kStop) {
      end_program();
      break;
    }
    if (trip.action == UrWatchdogAction::kPause && machine.is_running()) {
      machine.pause();
      core.motion.set_paused(true);
    }
  }
}

/// Once per time that it comes so far.
void UrController::Parts::warn_of_deviation(const Joints& q) {
  if (const auto why = core.motion.find_deviation(q)) {
    protective_stop(*why);
  }
  double most = 0.0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    most = std::max(most, std::abs(q[j] - core.motion.target().q[j]));
  }
  const bool is_far =
      core.warned_deviation && most > *core.warned_deviation * core.config.deviation_rad;
  if (is_far && !has_warned_of_deviation) {
    core.say(MessageKind::kErrorCode,
             fmt::format("Position deviates: a joint is {:.3g} rad from its target", most),
             kDeviationWarningCode);
  }
  has_warned_of_deviation = is_far;
}

void UrController::Parts::move() {
  if (!core.modes.has_brakes_off()) {
    core.motion.rest_at(core.joints.positions());
    return;
  }
  core.feel_cycle();
  core.motion.advance();
  if (const auto remark = core.motion.take_remark()) {
    core.say(MessageKind::kText, *remark);
  }
  if (core.motion.take_timeout()) {
    core.figures.speed_timeouts.add(core.now);
  }
  if (const auto fault = core.motion.take_fault()) {
    protective_stop(*fault);
  }
}

void UrController::Parts::publish() {
  core.measure();
  core.live.runtime_state = runtime_state();
  published = core.live;
  core.figures.cycles = ++cycles;
}

/// What has stopped or paused is still about to while the arm moves on.
RuntimeState UrController::Parts::runtime_state() {
  const bool is_still = !core.modes.has_brakes_off() || core.motion.is_still();
  is_resuming = is_resuming && machine.is_running() && !machine.is_paused() &&
                !core.motion.is_at_wanted_rate();
  if (!machine.is_running()) {
    return is_still ? RuntimeState::kStopped : RuntimeState::kStopping;
  }
  if (machine.is_paused()) {
    return is_still ? RuntimeState::kPaused : RuntimeState::kPausing;
  }
  return is_resuming ? RuntimeState::kResuming : RuntimeState::kPlaying;
}

/// Sockets and watchdogs end with the program that asked for them.
void UrController::Parts::take_ends() {
  for (const ProgramEnd& end : machine.take_ends()) {
    if (end.kind == ProgramEnd::Kind::kFailed) {
      core.figures.runtime_exceptions.add(core.now);
      core.say(MessageKind::kRuntimeException, end.text, end.line, end.column);
    }
    if (end.is_secondary) {
      continue;
    }
    if (!std::exchange(named_program, {}).empty()) {
      core.say_key(protocols::ur::kProgramStopped, end.program);
    }
    core.sockets.hang_up_all();
    core.watchdogs.clear();
    core.motion.set_paused(false);
    core.motion.end_giving_way();
    core.warned_deviation.reset();
    if (end.kind != ProgramEnd::Kind::kFinished) {
      core.motion.release();
    }
  }
}

void UrController::Parts::end_program() {
  machine.stop();
  take_ends();
  core.motion.release();
}

void UrController::Parts::protective_stop(std::string reason) {
  protective_stop(std::move(reason), kProtectiveStopCode);
}

/// Also of an arm whose brakes are still on: a script may ask for it before they are released.
void UrController::Parts::protective_stop(std::string reason, std::int32_t code) {
  if (!core.modes.is_power_on() || core.modes.safety() != protocols::ur::SafetyMode::kNormal) {
    return;
  }
  core.modes.protective_stop(core.now);
  end_program();
  core.motion.brake();
  core.tell_safety_mode();
  core.say(MessageKind::kErrorCode, "Protective stop: " + reason, code, 0,
           protocols::ur::ReportLevel::kWarning);
  if (core.figures.protective_stops.size() < kMostStopsKept) {
    core.figures.protective_stops.push_back({core.now, std::move(reason)});
  }
}

void UrController::Parts::emergency_stop(std::string reason) {
  if (core.modes.safety() == protocols::ur::SafetyMode::kRobotEmergencyStop) {
    return;
  }
  core.modes.emergency_stop(core.now);
  end_program();
  core.motion.brake();
  core.tell_safety_mode();
  core.say(MessageKind::kErrorCode, "Emergency stop: " + reason, kEmergencyStopCode);
  if (core.figures.emergency_stops.size() < kMostStopsKept) {
    core.figures.emergency_stops.push_back({core.now, std::move(reason)});
  }
}

Error UrController::Parts::refuse(std::string_view order, std::string_view why) {
  core.say(MessageKind::kErrorCode, fmt::format("{}: {}", order, why), kUrRefusedCode);
  return Error{fmt::format("Failed to execute: {}", order)};
}

Result<Program> UrController::Parts::compile(std::string_view text) {
  protocols::ur::script::SyntaxError where;
  Result<Program> program = protocols::ur::script::compile(text, &where);
  if (!program) {
    // clients compare the maker's text, people read ours
    if (!where.code.empty()) {
      core.say(MessageKind::kText, program.error().message);
    }
    core.say(MessageKind::kRuntimeException,
             where.code.empty() ? program.error().message : where.code, where.line, where.column);
  } else if (program->moves_robot() && !core.modes.can_move()) {
    const std::string why =
        fmt::format("{} was not started: {}", program->name(), core.modes.obstacle());
    core.say(MessageKind::kErrorCode, why, kUrRefusedCode);
    return Error{why};
  }
  return program;
}

void UrController::Parts::start(Program program) {
  const std::string name = program.is_bare() ? std::string() : program.name();
  machine.start(std::move(program));
  take_ends();
  named_program = name;
  if (!name.empty()) {
    core.say(MessageKind::kProgramLabel, name);
    core.say_key(protocols::ur::kProgramStarted, name);
  }
}

}  // namespace longarm::robots
