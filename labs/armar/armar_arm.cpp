// SPDX-License-Identifier: Apache-2.0
// Velocity drives with the efforts of the model, and the distance of the hand to its path.
#include "labs/armar/armar_arm.h"

#include "longarm/control/limits.h"

namespace longarm::armar {
namespace {

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
      commands_(model.tree().joints.size(), 0.0) {
  sample();
}

void ArmPort::sample() {
  const auto take = [&](std::span<const double> all, std::vector<double>& own) {
    const std::span<const double> part = all.subspan(first_, commands_.size());
    own.assign(part.begin(), part.end());
  };
  take(engine_.positions(), positions_);
  take(engine_.velocities(), velocities_);
  take(engine_.efforts(), efforts_);
}

void ArmPort::apply() {
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const model::JointLimits& limits = tree().joints[i].limits;
    engine_.set_velocity(static_cast<physics::JointId>(first_ + i),
                         control::limit_velocity(limits, positions_[i], commands_[i]),
                         limits.effort);
  }
}

bool ArmPort::command(const std::string& joint, double velocity_rad_s) {
  const std::optional<int> index = tree().find_joint(joint);
  if (!index) {
    return false;
  }
  commands_[static_cast<std::size_t>(*index)] = velocity_rad_s;
  return true;
}

model::Vector3 ArmPort::hand_position() const {
  return kinematics_.position_of(hand(), engine_.positions().subspan(first_, commands_.size()));
}

double ArmPort::deviation_m() {
  return curve_ ? curve_->distance(hand_position(), cursor_) : 0.0;
}

}  // namespace longarm::armar
