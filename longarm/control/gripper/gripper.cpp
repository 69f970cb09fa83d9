// SPDX-License-Identifier: Apache-2.0
// Moves the fingers by the law, and tells from their motion and their touch what became of it.
#include "longarm/control/gripper/gripper.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "longarm/core/diagnostic.h"

namespace longarm::control {
namespace {

using Mode = FingerCommand::Mode;

// a grasp is lost once fewer than two fingers touched anything for this long: contacts flicker
constexpr Duration kLostAfter{10'000'000};

void refuse(Diagnostics& diagnostics, std::string message, std::string hint) {
  diagnostics.error({}, std::move(message), std::move(hint));
}

void check_gripper(const std::vector<Finger>& fingers, const GripperStroke& stroke,
                   const GripperConfig& config) {
  Diagnostics diagnostics;
  if (fingers.empty()) {
    refuse(diagnostics, "a gripper without fingers", "name at least one joint");
  }
  for (const Finger& finger : fingers) {
    if (finger.multiplier == 0.0 || !std::isfinite(finger.multiplier)) {
      refuse(diagnostics, "a finger's multiplier must not be zero", "1 or -1 is usual");
    }
  }
  if (!(stroke.closed > stroke.open)) {
    refuse(diagnostics, "a gripper without a stroke",
           "the closed position must differ from the open one");
  }
  for (const network::KeyRemark& remark : judge_gripper(config, "gripper.")) {
    refuse(diagnostics, remark.message, remark.hint);
  }
  diagnostics.throw_if_errors();
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

GripperConfig mover_of(GripperConfig config) {
  config.law = "position";
  return config;
}

}  // namespace

std::string_view to_string(GripperState state) {
  constexpr std::string_view kNames[] = {"opening", "closing", "open",   "closed",
                                         "stalled", "holding", "stopped"};
  return kNames[static_cast<std::size_t>(state)];
}

Gripper::Gripper(physics::Engine& engine, std::vector<Finger> fingers, const GripperStroke& stroke,
                 const GripperConfig& config, Duration period)
    : engine_(engine),
      fingers_(std::move(fingers)),
      stroke_(stroke),
      config_(config),
      period_(period),
      p_(fingers_.size()),
      velocity_(fingers_.size()),
      commands_(fingers_.size()),
      has_felt_(fingers_.size(), 0) {
  check_gripper(fingers_, stroke_, config_);
  // forces move nothing where nothing has mass
  law_ = make_gripper_law(engine.capabilities().has_dynamics ? config_ : mover_of(config_),
                          fingers_.size(), period);
  mover_ = make_gripper_law(mover_of(config_), fingers_.size(), period);
  for (const Finger& finger : fingers_) {
    engine_.set_gripping(finger.body);
  }
  look();
  standing_at_ = p_;
  state_ = seen_state();
}

void Gripper::open() {
  target_p_ = stroke_.open;
  begin(Goal::kOpen);
}

void Gripper::close() {
  target_p_ = stroke_.closed;
  begin(Goal::kClose);
  is_feeling_ = config_.closes_on_touch;
}

void Gripper::move_to(double p, double max_force_N) {
  target_force_N_ = max_force_N > 0.0 ? max_force_N : config_.force_N;
  target_p_ = std::clamp(std::isfinite(p) ? p : stroke_.open, stroke_.open, stroke_.closed);
  begin(Goal::kPosition);
}

void Gripper::stop() {
  begin(Goal::kStop);
}

void Gripper::begin(Goal goal) {
  goal_ = goal;
  is_feeling_ = false;
  std::fill(has_felt_.begin(), has_felt_.end(), 0);
  standing_for_ = Duration(0);
  law_->reset();
  look();
  standing_at_ = p_;
  state_ = seen_state();
}

void Gripper::look() {
  for (std::size_t i = 0; i < fingers_.size(); ++i) {
    const auto joint = static_cast<std::size_t>(fingers_[i].joint);
    p_[i] = (engine_.positions()[joint] - fingers_[i].offset) / fingers_[i].multiplier;
    velocity_[i] = engine_.velocities()[joint] / fingers_[i].multiplier;
  }
}

void Gripper::before_step() {
  if (goal_ == Goal::kNone) {
    return;
  }
  look();
  const FingerMotion motion{p_, velocity_, target_p_, goal_ == Goal::kClose};
  if (goal_ == Goal::kStop) {
    std::fill(commands_.begin(), commands_.end(),
              FingerCommand{Mode::kVelocity, 0.0, config_.force_N});
  } else if (goal_ == Goal::kPosition) {
    mover_->drive(motion, commands_);
    for (FingerCommand& command : commands_) {
      command.max_force_N = target_force_N_;
    }
  } else if (is_feeling_) {
    feel_around();
  } else {
    law_->drive(motion, commands_);
  }
  for (std::size_t i = 0; i < fingers_.size(); ++i) {
    apply(i, commands_[i]);
  }
}

/// Contact grasping: who touches waits for the others, so nobody shoves the part.
void Gripper::feel_around() {
  for (std::size_t i = 0; i < fingers_.size(); ++i) {
    const double velocity = has_felt_[i] != 0 ? 0.0 : config_.touch_speed_m_s;
    commands_[i] = {Mode::kVelocity, velocity, config_.touch_force_N};
  }
}

void Gripper::apply(std::size_t index, const FingerCommand& command) {
  const Finger& finger = fingers_[index];
  // forces keep their work, F·dp = effort·dq; a motor's limit is the same for every joint
  const double max_effort = std::min(command.max_force_N, finger.max_effort);
  switch (command.mode) {
    case Mode::kForce:
      engine_.set_effort(finger.joint, std::clamp(command.value / finger.multiplier,
                                                  -finger.max_effort, finger.max_effort));
      return;
    case Mode::kVelocity:
      engine_.set_velocity(finger.joint, command.value * finger.multiplier, max_effort);
      return;
    case Mode::kPosition:
      engine_.set_position(finger.joint, command.value * finger.multiplier + finger.offset,
                           max_effort);
      return;
  }
}

void Gripper::after_step(std::span<const bool> is_touched) {
  look();
  touched_count_ = 0;
  for (std::size_t i = 0; i < fingers_.size(); ++i) {
    // remembered, because a part that was touched moves a hair away: following it would shove it
    has_felt_[i] = has_felt_[i] != 0 || is_touched[i] ? 1 : 0;
    touched_count_ += is_touched[i] ? 1 : 0;
  }
  is_feeling_ = is_feeling_ && std::count(has_felt_.begin(), has_felt_.end(), 0) > 0;
  watch_standing();
  untouched_for_ = touched_count_ < 2 ? untouched_for_ + period_ : Duration(0);
  state_ = seen_state();
}

/// Standing is to get nowhere: fingers that press may rattle.
void Gripper::watch_standing() {
  const double near_m = config_.stall_speed_m_s * to_seconds(config_.stall_time);
  for (std::size_t i = 0; i < fingers_.size(); ++i) {
    if (!(std::abs(p_[i] - standing_at_[i]) < near_m)) {
      standing_at_ = p_;
      standing_for_ = Duration(0);
      return;
    }
  }
  standing_for_ += period_;
}

bool Gripper::is_at(double p) const {
  return std::all_of(p_.begin(), p_.end(), [&](double each) {
    return std::abs(each - p) <= config_.position_tolerance_m;
  });
}

GripperState Gripper::seen_state() const {
  // who holds a part that is shaken moves, and still holds it
  const bool may_hold = goal_ == Goal::kClose || goal_ == Goal::kPosition;
  if (state_ == GripperState::kHolding && may_hold && untouched_for_ < kLostAfter) {
    return GripperState::kHolding;
  }
  if (goal_ == Goal::kNone || standing_for_ >= config_.stall_time) {
    return standing_state();
  }
  const double velocity = mean(velocity_);
  if (std::abs(velocity) >= config_.stall_speed_m_s) {
    return velocity > 0.0 ? GripperState::kClosing : GripperState::kOpening;
  }
  // just told, and not yet under way
  if (goal_ == Goal::kStop) {
    return GripperState::kStopped;
  }
  return target_p_ >= mean(p_) ? GripperState::kClosing : GripperState::kOpening;
}

/// Of fingers that do not move.
GripperState Gripper::standing_state() const {
  if (is_at(stroke_.open)) {
    return goal_ == Goal::kClose ? GripperState::kStalled : GripperState::kOpen;
  }
  if (goal_ == Goal::kPosition && is_at(target_p_)) {
    return GripperState::kStopped;
  }
  const bool presses = goal_ == Goal::kClose || goal_ == Goal::kPosition;
  if (presses && touched_count_ >= 2) {
    return GripperState::kHolding;
  }
  // the mean, because fingers that met may stand beside the centre
  if (touched_count_ == 0 && mean(p_) >= stroke_.closed - config_.position_tolerance_m) {
    return goal_ == Goal::kOpen ? GripperState::kStalled : GripperState::kClosed;
  }
  const bool is_told = goal_ != Goal::kNone && goal_ != Goal::kStop;
  return is_told ? GripperState::kStalled : GripperState::kStopped;
}

void find_touched(const physics::Engine& engine, std::span<const Finger> fingers,
                  std::span<const physics::BodyId> own, std::span<bool> out) {
  std::fill(out.begin(), out.end(), false);
  const auto is_own = [&](physics::BodyId body) {
    return std::find(own.begin(), own.end(), body) != own.end();
  };
  for (const physics::Contact& contact : engine.contacts()) {
    for (std::size_t i = 0; i < fingers.size(); ++i) {
      out[i] = out[i] || (contact.a == fingers[i].body && !is_own(contact.b)) ||
               (contact.b == fingers[i].body && !is_own(contact.a));
    }
  }
}

}  // namespace longarm::control
