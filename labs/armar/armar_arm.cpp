// SPDX-License-Identifier: Apache-2.0
// Velocity drives with the efforts of the model, and the distance of the hand to its path.
#include "labs/armar/armar_arm.h"

#include <algorithm>

#include "longarm/control/limits.h"

namespace longarm::armar {
namespace {

/// Of a drive in position mode: the speed at which it approaches its target, 1/s.
constexpr double kApproach_1_s = 20.0;

/// Back to where it began.
std::optional<motion::PlannedCurve> closed_curve(std::vector<model::Vector3> corners) {
  if (corners.empty()) {
    return std::nullopt;
  }
  corners.push_back(corners.front());
  return motion::PlannedCurve(corners);
}

}  // namespace

ArmPort::ArmPort(const ArmModel& model, physics::Engine& engine, int first_joint)
    : model_(model),
      engine_(engine),
      first_(static_cast<std::size_t>(first_joint)),
      kinematics_(model.tree()),
      curve_(closed_curve(model.path_m)),
      drives_(model.tree().joints.size()) {
  sample();
}

void ArmPort::sample() {
  const auto take = [&](std::span<const double> all, std::vector<double>& own) {
    const std::span<const double> part = all.subspan(first_, drives_.size());
    own.assign(part.begin(), part.end());
  };
  take(engine_.positions(), positions_);
  take(engine_.velocities(), velocities_);
  take(engine_.efforts(), efforts_);
}

void ArmPort::apply() {
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    const model::JointLimits& limits = tree().joints[i].limits;
    const auto joint = static_cast<physics::JointId>(first_ + i);
    const double command = drives_[i].commands[static_cast<std::size_t>(drives_[i].mode)];
    if (drives_[i].mode == DriveMode::kTorque) {
      engine_.set_effort(joint, std::clamp(command, -limits.effort, limits.effort));
      continue;
    }
    const double velocity = drives_[i].mode == DriveMode::kVelocity
                                ? command
                                : kApproach_1_s * (command - positions_[i]);
    engine_.set_velocity(joint, control::limit_velocity(limits, positions_[i], velocity),
                         limits.effort);
  }
}

bool ArmPort::command(const std::string& joint, DriveMode mode, double value) {
  const std::optional<int> index = tree().find_joint(joint);
  if (!index) {
    return false;
  }
  drives_[static_cast<std::size_t>(*index)].commands[static_cast<std::size_t>(mode)] = value;
  return true;
}

bool ArmPort::switch_mode(const std::string& joint, DriveMode mode) {
  const std::optional<int> index = tree().find_joint(joint);
  if (!index) {
    return false;
  }
  const auto i = static_cast<std::size_t>(*index);
  if (drives_[i].mode != mode) {
    drives_[i] = {mode, {positions_[i], 0.0, 0.0}};
  }
  return true;
}

model::Vector3 ArmPort::hand_position() const {
  return kinematics_.position_of(hand(), engine_.positions().subspan(first_, drives_.size()));
}

double ArmPort::deviation_m() {
  return curve_ ? curve_->distance(hand_position(), cursor_) : 0.0;
}

}  // namespace longarm::armar
