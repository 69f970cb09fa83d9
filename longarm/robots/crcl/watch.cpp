// SPDX-License-Identifier: Apache-2.0
// How a CRCL server looks after the command that it executes, cycle by cycle.
#include <fmt/format.h>

#include "longarm/robots/crcl/controller.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

void CrclController::update(Time now) {
  for (auto& [id, use] : actions_.settings().sensors) {
    ++use.read_count;
    use.last_read = now;
  }
  if (is_broken()) {
    if (current_.state != crcl::CommandState::kError) {
      fail(robot_.fault());
    }
    return;
  }
  pause_ = robot_.is_safety_stopped() ? robot_.fault() : std::string();
  if (pause_.empty() && held_) {
    const CrclOrder order = std::move(*held_);
    held_.reset();
    running_.reset();
    act(order, now);
  }
  if (running_ && !held_) {
    if (pause_.empty() || running_->wait == CrclWait::kTime) {
      running_->spent += now - running_->counted;
    }
    running_->counted = now;
    watch(now);
  }
  pump(now);
}

void CrclController::watch(Time now) {
  if (!running_->is_ending && watch_guards(now)) {
    return;
  }
  const MotionReport motion = robot_.motion();
  const bool is_moved = running_->wait == CrclWait::kMotion || running_->is_ending;
  if (is_moved && motion.state == MotionState::kFailed && !running_->is_ending) {
    fail(motion.failure.empty() ? "the motion failed"
                                : current_client_->dialect.to_client(motion.failure));
    return;
  }
  if (is_over()) {
    finish(now);
    return;
  }
  if (running_->wait != CrclWait::kTime && running_->spent > running_->allowed) {
    halt_running();
    fail(running_->wait == CrclWait::kGripper
             ? "the gripper has not come to rest in time"
             : "the robot has not come to rest at its goal in time");
  }
}

/// True if one has fired and the command is over for that.
bool CrclController::watch_guards(Time now) {
  if (guards_.is_empty() || guards_.has_fired()) {
    return false;
  }
  if (!guards_.check(robot_.sensors(), robot_.state().X_BT, now)) {
    return false;
  }
  halt_running();
  running_->is_ending = true;
  running_->allowed = running_->spent + config_.motion_slack;
  return false;
}

bool CrclController::is_over() {
  if (running_->is_ending) {
    return robot_.motion().state != MotionState::kMoving;
  }
  switch (running_->wait) {
    case CrclWait::kNothing:
      return true;
    case CrclWait::kMotion:
      return robot_.motion().state != MotionState::kMoving;
    case CrclWait::kGripper:
      // not before the fingers had a chance to start
      return running_->spent > Duration::zero() && !robot_.gripper().is_busy;
    case CrclWait::kTime:
      return running_->spent >= running_->allowed;
  }
  return true;
}

void CrclController::halt_running() {
  if (!running_) {
    return;
  }
  if (running_->wait == CrclWait::kMotion && !running_->is_stop) {
    robot_.stop(StopKind::kFast);
  }
  if (running_->wait == CrclWait::kGripper) {
    robot_.stop_gripper();
  }
}

void CrclController::finish(Time now) {
  guards_.stopped(now);
  if (guards_.is_error()) {
    fail(guards_.description());
    return;
  }
  if (const std::string missing = guards_.missing(); !missing.empty()) {
    fail(missing);
    return;
  }
  current_.state = crcl::CommandState::kDone;
  if (guards_.has_fired()) {
    current_.description = guards_.description();
  }
  running_.reset();
}

}  // namespace longarm::robots
