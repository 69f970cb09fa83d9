// SPDX-License-Identifier: Apache-2.0
// Turns the drive by a motor of limited effort, and tells from its standing still what it met.
#include "longarm/robots/arm/linkage_gripper.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/core/index.h"

namespace longarm::robots {

LinkageGripper::LinkageGripper(physics::Engine& engine, Linkage linkage, physics::BodyId palm,
                               std::string name, const control::GripperConfig& config,
                               Duration period)
    : engine_(engine),
      linkage_(std::move(linkage)),
      own_(linkage_.bodies()),
      name_(std::move(name)),
      config_(config),
      period_(period) {
  own_.push_back(palm);
  for (const physics::BodyId pad : linkage_.pads()) {
    pads_.push_back({.joint = linkage_.drive(), .body = pad});
    engine_.set_gripping(pad);
  }
  stop();
}

double LinkageGripper::angle_rad() const {
  return engine_.positions()[index_of(linkage_.drive())];
}

double LinkageGripper::stroke_m() const {
  return linkage_.separation_m(linkage_.open_rad()) - linkage_.separation_m(linkage_.closed_rad());
}

void LinkageGripper::go_to(const LinkageGoal& goal) {
  goal_ = goal;
  standing_at_m_ = linkage_.separation_m(angle_rad());
  standing_for_ = busy_for_ = Duration{0};
  is_closing_ = linkage_.separation_m(goal.angle_rad) < standing_at_m_;
  state_ = seen_state();
}

void LinkageGripper::go_to_separation(double separation_m, double max_force_N) {
  const bool closes = separation_m < linkage_.separation_m(angle_rad());
  const double usual_N = closes ? config_.force_N : config_.opening_force_N();
  go_to({linkage_.angle_rad(separation_m), 2.0 * config_.speed_m_s,
         max_force_N > 0.0 ? max_force_N : usual_N});
}

void LinkageGripper::set(double opening) {
  move_fingers(0.5 * std::clamp(opening, 0.0, 1.0) * stroke_m(), 0.0);
}

void LinkageGripper::move_fingers(double position_m, double max_force_N) {
  go_to_separation(linkage_.separation_m(linkage_.closed_rad()) + 2.0 * position_m, max_force_N);
}

void LinkageGripper::drive_fingers(double velocity_m_s, double max_force_N) {
  if (velocity_m_s == 0.0) {
    stop();
    return;
  }
  go_to({velocity_m_s > 0.0 ? linkage_.open_rad() : linkage_.closed_rad(),
         2.0 * std::abs(velocity_m_s), std::abs(max_force_N)});
}

void LinkageGripper::stop() {
  go_to({angle_rad(), 2.0 * config_.speed_m_s, config_.force_N});
}

void LinkageGripper::before_step() {
  const double slope = linkage_.slope_m_rad(angle_rad());
  const double most_rad_s = goal_.speed_m_s / slope;
  // no faster than it may, and never beyond the goal
  const double wanted = (goal_.angle_rad - angle_rad()) / to_seconds(period_);
  // what the motor does is what the pads do: torque · turn = force · way
  engine_.set_velocity(linkage_.drive(), std::clamp(wanted, -most_rad_s, most_rad_s),
                       goal_.force_N * slope);
}

void LinkageGripper::after_step() {
  control::find_touched(engine_, pads_, own_, is_touched_);
  const double separation_m = linkage_.separation_m(angle_rad());
  // who holds something that is shaken moves a little, and still stands
  if (std::abs(separation_m - standing_at_m_) < config_.position_tolerance_m) {
    standing_for_ += period_;
  } else {
    standing_at_m_ = separation_m;
    standing_for_ = Duration{0};
  }
  busy_for_ += period_;
  state_ = seen_state();
}

LinkageState LinkageGripper::seen_state() const {
  const double off_m = linkage_.separation_m(angle_rad()) - linkage_.separation_m(goal_.angle_rad);
  if (std::abs(off_m) <= config_.position_tolerance_m) {
    return LinkageState::kThere;
  }
  if (standing_for_ < config_.stall_time) {
    return LinkageState::kMoving;
  }
  return is_closing_ ? LinkageState::kStoppedClosing : LinkageState::kStoppedOpening;
}

GripperReport LinkageGripper::report() const {
  GripperReport report;
  report.kind = GripperKind::kParallel;
  report.name = name_;
  report.is_busy = state_ == LinkageState::kMoving && busy_for_ < kGripperBusyAtMost;
  report.is_holding = state_ == LinkageState::kStoppedClosing && is_touched_[0] && is_touched_[1];
  report.separation_m = linkage_.separation_m(angle_rad());
  report.opening = std::clamp(
      (report.separation_m - linkage_.separation_m(linkage_.closed_rad())) / stroke_m(), 0.0, 1.0);
  report.stroke_m = 0.5 * stroke_m();
  report.closed_m = linkage_.separation_m(linkage_.closed_rad());
  report.open_m = linkage_.separation_m(linkage_.open_rad());
  report.usual_force_N = config_.force_N;
  report.force_N =
      std::abs(engine_.efforts()[index_of(linkage_.drive())]) / linkage_.slope_m_rad(angle_rad());
  return report;
}

}  // namespace longarm::robots
