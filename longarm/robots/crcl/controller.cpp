// SPDX-License-Identifier: Apache-2.0
// What a CRCL server takes, refuses and starts.
#include "longarm/robots/crcl/controller.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

template <typename Type>
bool is_a(const CrclOrder& order) {
  return order.program == nullptr && order.refusal.empty() &&
         std::holds_alternative<Type>(order.instance.command.body);
}

/// Also one that could not be read.
bool is_stop(const CrclOrder& order) {
  return order.program == nullptr &&
         std::holds_alternative<crcl::StopMotion>(order.instance.command.body);
}

StopKind to_stop_kind(crcl::StopCondition condition) {
  switch (condition) {
    case crcl::StopCondition::kImmediate:
      return StopKind::kImmediate;
    case crcl::StopCondition::kFast:
      return StopKind::kFast;
    case crcl::StopCondition::kNormal:
      break;
  }
  return StopKind::kNormal;
}

}  // namespace

CrclController::CrclController(std::string name, RobotPort& robot, const Pose& X_WB,
                               const CrclDoorConfig& config, const Log& log, Answer answer)
    : name_(std::move(name)),
      robot_(robot),
      config_(config),
      log_(log),
      answer_(std::move(answer)),
      actions_(robot, config, X_WB) {}

crcl::CommandStatus CrclController::status() const {
  crcl::CommandStatus status = current_;
  if (!pause_.empty() && status.state != crcl::CommandState::kError) {
    status.description = pause_;
  }
  return status;
}

bool CrclController::is_duplicate(const CrclOrder& order) const {
  if (order.program != nullptr) {
    return false;
  }
  if (is_a<crcl::InitCanon>(order) && current_.state == crcl::CommandState::kError) {
    return false;  // the way out of an error, whatever its number
  }
  // numbers are each client's own
  const std::int64_t id = order.instance.command.id;
  if (current_client_ == order.client && current_.command_id == id) {
    return true;
  }
  return std::any_of(queue_.begin(), queue_.end(), [&](const CrclOrder& waiting) {
    return waiting.client == order.client && waiting.instance.command.id == id;
  });
}

void CrclController::take(CrclOrder order, Time now) {
  // a stop is obeyed whatever its number, and if it cannot be read, too
  if (is_stop(order)) {
    ++command_count_;
    stop(order, now);
    return;
  }
  if (is_duplicate(order)) {
    return;
  }
  ++command_count_;
  if (queue_.size() >= static_cast<std::size_t>(config_.queue_depth)) {
    halt_running();
    make_current(order);
    fail(fmt::format("more than {} commands are waiting", config_.queue_depth));
    return;
  }
  queue_.push_back(std::move(order));
  pump(now);
}

void CrclController::stop(const CrclOrder& order, Time now) {
  const auto& body = std::get<crcl::StopMotion>(order.instance.command.body);
  // what waits was meant to follow what is now broken off
  queue_.clear();
  program_.reset();
  if (running_ && running_->wait == CrclWait::kGripper) {
    robot_.stop_gripper();
  }
  robot_.stop(to_stop_kind(body.condition));
  held_.reset();
  make_current(order);
  guards_ = CrclGuards();
  if (current_.state == crcl::CommandState::kError) {
    stay_in_error();
    return;
  }
  if (!order.refusal.empty()) {
    fail(order.refusal);
    return;
  }
  current_.state = crcl::CommandState::kWorking;
  current_.description.reset();
  running_ = Running{
      .wait = CrclWait::kMotion, .allowed = config_.motion_slack, .counted = now, .is_stop = true};
  watch(now);
}

void CrclController::make_current(const CrclOrder& order) {
  current_client_ = order.client;
  current_.command_id = order.instance.command.id;
  current_.program_file = order.instance.program_file;
  current_.program_index = order.instance.program_index;
  current_.program_length = order.instance.program_length;
}

std::optional<CrclOrder> CrclController::next_order() {
  if (program_) {
    Result<std::optional<crcl::CommandInstance>> next = program_->next();
    if (!next) {
      fail_in_program(next.error().message);
      return std::nullopt;
    }
    if (next->has_value()) {
      return CrclOrder{
          .client = program_client_, .instance = **next, .refusal = {}, .program = nullptr};
    }
    program_.reset();
  }
  if (queue_.empty()) {
    return std::nullopt;
  }
  CrclOrder order = std::move(queue_.front());
  queue_.pop_front();
  return order;
}

void CrclController::pump(Time now) {
  // a program's loop of settings may be endless: the rest of it comes in the next cycle
  for (int started = 0; started < 100 && !running_; ++started) {
    std::optional<CrclOrder> order = next_order();
    if (!order) {
      return;
    }
    begin(std::move(*order), now);
  }
}

void CrclController::begin(CrclOrder order, Time now) {
  if (order.program != nullptr) {
    program_ = CrclProgramRun(order.program);
    program_client_ = order.client;
    if (const Result<bool> good = program_->check_loops(); !good) {
      fail_in_program(good.error().message);
    }
    return;
  }
  if (is_a<crcl::GetStatus>(order)) {  // in a program
    answer_(order.client);
    return;
  }
  if (is_a<crcl::StopMotion>(order)) {  // in a program: of what it has set going so far
    std::optional<CrclProgramRun> rest = std::move(program_);
    std::deque<CrclOrder> waiting = std::move(queue_);
    stop(order, now);
    program_ = std::move(rest);
    queue_ = std::move(waiting);
    return;
  }
  make_current(order);
  const bool begins = is_a<crcl::InitCanon>(order);
  if (begins) {
    robot_.clear_fault();
  }
  if (is_broken()) {
    fail(robot_.fault());
    return;
  }
  const bool ends = is_a<crcl::EndCanon>(order);
  if (current_.state == crcl::CommandState::kError && !begins) {
    is_initialised_ = is_initialised_ && !ends;
    stay_in_error();
    return;
  }
  if (!order.refusal.empty()) {
    fail(order.refusal);
    return;
  }
  if (!is_initialised_ && !begins && !ends) {
    fail("not initialized: send InitCanon first");
    return;
  }
  current_.description.reset();
  current_.state = crcl::CommandState::kWorking;
  guards_ = CrclGuards();
  if (begins) {
    is_initialised_ = true;
    actions_.reset(*order.client);
  }
  if (ends) {
    is_initialised_ = false;
  }
  act(order, now);
}

void CrclController::act(const CrclOrder& order, Time now) {
  const crcl::Command& command = order.instance.command;
  if (CrclActions::needs_robot(command.body) && robot_.is_safety_stopped()) {
    // begins once the robot may move again
    pause_ = robot_.fault();
    running_ = Running{.counted = now};
    held_ = order;
    return;
  }
  if (!command.guards.empty()) {
    const Result<bool> guarded = guards_.begin(command.guards, robot_.sensors(), now);
    if (!guarded) {
      fail(guarded.error().message);
      return;
    }
  }
  const Result<CrclStarted> started = actions_.start(command.body, *order.client);
  if (!started) {
    fail(started.error().message);
    return;
  }
  if (const auto* message = std::get_if<crcl::Message>(&command.body)) {
    log_.info(now, name_, "message: " + message->text);
  }
  const Duration slack =
      started->wait == CrclWait::kMotion ? config_.motion_slack : Duration::zero();
  running_ = Running{.wait = started->wait, .allowed = started->planned + slack, .counted = now};
  if (started->wait == CrclWait::kNothing) {
    finish(now);
  }
}

void CrclController::fail(const std::string& reason) {
  ++error_count_;
  current_.state = crcl::CommandState::kError;
  current_.description = reason;
  failed_id_ = current_.command_id;
  failure_ = reason;
  running_.reset();
  held_.reset();
  queue_.clear();
  program_.reset();
}

void CrclController::fail_in_program(const std::string& reason) {
  make_current(
      {.client = program_client_, .instance = program_->here(), .refusal = {}, .program = nullptr});
  fail(reason);
}

void CrclController::stay_in_error() {
  running_.reset();
  queue_.clear();
  program_.reset();
  current_.description =
      current_.command_id == failed_id_
          ? failure_
          : fmt::format("in error since command {}, until the next InitCanon: {}", failed_id_,
                        failure_);
}

}  // namespace longarm::robots
