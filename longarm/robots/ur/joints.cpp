// SPDX-License-Identifier: Apache-2.0
// Hands targets to the engine's motors and reads what became of them.
#include "longarm/robots/ur/joints.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/control/limits.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/robots/arm/robot_tool.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;

// of the spring that joins a soft arm to its reference: √(stiffness/mass)
constexpr double kSoftness_1_s = 60.0;
constexpr std::size_t kFirstWrist = 3;

Joints gather(std::span<const double> all, const RobotArm& arm) {
  Joints out{};
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = all[index_of(arm.joints()[j])];
  }
  return out;
}

}  // namespace

Pose ur_base_on_root(const model::Placement& placement, const std::string& base_frame) {
  const auto frame = placement.tree.find_frame(base_frame);
  if (!frame || placement.tree.frames[static_cast<std::size_t>(*frame)].body != 0) {
    throw InputError(
        Diagnostic{{},
                   fmt::format("'{}' has no fixed frame '{}'", placement.name, base_frame),
                   "name the base frame of the robot's controller"});
  }
  return placement.tree.frames[static_cast<std::size_t>(*frame)].X_BF;
}

UrJoints::UrJoints(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
                   Duration period)
    : engine_(engine),
      arm_(cell, find_placement(cell, config.placement), config.flange),
      period_s_(to_seconds(period)),
      gain_(config.servo_gain),
      dynamics_(arm_.tree(),
                cell.placements[static_cast<std::size_t>(find_placement(cell, config.placement))]
                        .X_WR.linear()
                        .transpose() *
                    cell.gravity_m_s2) {
  const model::Placement& placement =
      cell.placements[static_cast<std::size_t>(find_placement(cell, config.placement))];
  X_WB_ = placement.X_WR * ur_base_on_root(placement, config.base_frame);
  gravity_B_ = X_WB_.linear().transpose() * cell.gravity_m_s2;
  for (std::size_t j = 0; j < reference_.size(); ++j) {
    engine_.reset_joint(arm_.joints()[j], config.home_rad[j], 0.0);
  }
  for (const auto& joint : arm_.joint_models()) {
    limits_.push_back(joint.limits);
    // the drives follow as fast as the safety system lets them
    limits_.back().velocity = std::max(limits_.back().velocity, config.safety_joint_speed_rad_s);
  }
  reference_ = positions();
  moving_.assign(arm_.bodies().begin() + 1, arm_.bodies().end());
}

void UrJoints::carry(const std::vector<physics::BodyId>& tool) {
  moving_.insert(moving_.end(), tool.begin(), tool.end());
}

void UrJoints::follow(const Joints& ahead) {
  if (std::exchange(is_soft_, false)) {
    reference_ = positions();
  }
  for (std::size_t j = 0; j < ahead.size(); ++j) {
    const double position = engine_.positions()[index_of(arm_.joints()[j])];
    const model::JointLimits& limits = limits_[j];
    const double velocity =
        (ahead[j] - reference_[j]) / period_s_ + gain_ * (reference_[j] - position);
    engine_.set_velocity(arm_.joints()[j], control::limit_velocity(limits, position, velocity),
                         limits.effort);
  }
  reference_ = ahead;
}

/// Computed torque: each joint is drawn to its reference as by a spring and a damper, critically.
void UrJoints::follow_softly(const Joints& ahead) {
  if (!engine_.capabilities().has_dynamics) {
    return follow(ahead);
  }
  if (!std::exchange(is_soft_, true)) {
    reference_ = positions();
  }
  const Joints q = positions();
  const Joints qd = velocities();
  Joints qdd{};
  for (std::size_t j = 0; j < qdd.size(); ++j) {
    const double speed = (ahead[j] - reference_[j]) / period_s_;
    qdd[j] = kSoftness_1_s * (kSoftness_1_s * (ahead[j] - q[j]) + 2.0 * (speed - qd[j]));
  }
  const Joints efforts = efforts_for(q, qd, qdd);
  for (std::size_t j = 0; j < efforts.size(); ++j) {
    const double most = arm_.joint_models()[j].limits.effort;
    // a wrist turns so little mass that it would hold nothing; the arm gives way for it
    if (j >= kFirstWrist) {
      const double velocity =
          (ahead[j] - reference_[j]) / period_s_ + gain_ * (reference_[j] - q[j]);
      engine_.set_velocity(arm_.joints()[j],
                           control::limit_velocity(arm_.joint_models()[j].limits, q[j], velocity),
                           most);
      continue;
    }
    engine_.set_effort(arm_.joints()[j], std::clamp(efforts[j], -most, most));
  }
  reference_ = ahead;
}

void UrJoints::hold() {
  is_soft_ = false;
  for (std::size_t j = 0; j < reference_.size(); ++j) {
    engine_.set_velocity(arm_.joints()[j], 0.0, arm_.joint_models()[j].limits.effort);
  }
  reference_ = positions();
}

Joints UrJoints::positions() const {
  return gather(engine_.positions(), arm_);
}

Joints UrJoints::velocities() const {
  return gather(engine_.velocities(), arm_);
}

Joints UrJoints::efforts() const {
  return gather(engine_.efforts(), arm_);
}

Joints UrJoints::efforts_for(const Joints& q, const Joints& qd, const Joints& qdd) {
  const Eigen::VectorXd& efforts = dynamics_.inverse_dynamics(q, qd, qdd);
  Joints out{};
  std::copy_n(efforts.data(), out.size(), out.begin());
  return out;
}

void UrJoints::set_payload(double mass_kg) {
  dynamics_.set_payload(static_cast<int>(arm_.tree().frames.size()) - 1, mass_kg);
}

double UrJoints::momentum_kg_m_s() const {
  Vector3 sum = Vector3::Zero();
  for (std::size_t b = 1; b < arm_.bodies().size(); ++b) {
    const model::Inertial& inertial = arm_.tree().bodies[b].inertial;
    const physics::Twist twist = engine_.twist(arm_.bodies()[b]);
    const Vector3 to_centre = engine_.pose(arm_.bodies()[b]).linear() * inertial.X_LC.translation();
    sum += inertial.mass_kg * (twist.linear_W + twist.angular_W.cross(to_centre));
  }
  return sum.norm();
}

Vector6 UrJoints::contact_wrench(const Vector3& p_BT) const {
  const Vector3 p_WT = X_WB_ * p_BT;
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
  const auto moves = [&](physics::BodyId body) {
    return std::find(moving_.begin(), moving_.end(), body) != moving_.end();
  };
  for (const physics::Contact& contact : engine_.contacts()) {
    const bool is_b = moves(contact.b);
    if (is_b == moves(contact.a)) {
      continue;
    }
    const Vector3 push = is_b ? contact.force_on_b_W : Vector3(-contact.force_on_b_W);
    force += push;
    torque += (contact.p_W - p_WT).cross(push);
  }
  const Vector3 f = X_WB_.linear().transpose() * force;
  const Vector3 m = X_WB_.linear().transpose() * torque;
  return {f.x(), f.y(), f.z(), m.x(), m.y(), m.z()};
}

}  // namespace longarm::robots
