// SPDX-License-Identifier: Apache-2.0
// A robot's joints and tool in the engine.
#include "longarm/robots/arm/robot_hardware.h"

#include <algorithm>

#include "longarm/control/limits.h"
#include "longarm/core/index.h"

namespace longarm::robots {
namespace {

/// Before anything is made that looks where the arm is.
physics::Engine& put_home(physics::Engine& engine, const RobotArm& arm,
                          const std::vector<double>& home) {
  for (std::size_t j = 0; j < home.size(); ++j) {
    engine.reset_joint(arm.joints()[j], home[j], 0.0);
  }
  return engine;
}

}  // namespace

std::vector<double> RobotHardware::positions() const {
  std::vector<double> q(joint_count());
  for (std::size_t j = 0; j < q.size(); ++j) {
    q[j] = joint(j).position;
  }
  return q;
}

EngineHardware::EngineHardware(physics::Engine& engine, const model::Cell& cell, RobotArm& arm,
                               const RobotConfig& config, Duration period)
    : engine_(put_home(engine, arm, config.home)),
      arm_(arm),
      servo_gain_(config.servo_gain),
      X_WB_(cell.placements[index_of(find_placement(cell, config.placement))].X_WR),
      tool_(engine, cell, find_placement(cell, config.placement), arm, config, period) {}

JointState EngineHardware::joint(std::size_t joint) const {
  const auto id = static_cast<std::size_t>(arm_.joints()[joint]);
  return {engine_.positions()[id], engine_.velocities()[id], engine_.efforts()[id]};
}

/// What touches the tool pushes it; the tool's own weight does not, so there is none to take off.
physics::Wrench EngineHardware::wrench_B() const {
  const Vector3 p_WF = (engine_.pose(arm_.last_body()) * arm_.X_LF()).translation();
  const std::vector<physics::BodyId>& own = tool_.bodies();
  const auto is_own = [&](physics::BodyId body) {
    return std::find(own.begin(), own.end(), body) != own.end();
  };
  physics::Wrench sum;
  for (const physics::Contact& contact : engine_.contacts()) {
    const bool has_a = is_own(contact.a);
    const bool has_b = is_own(contact.b);
    if (has_a == has_b) {
      continue;
    }
    const Vector3 force = has_b ? contact.force_on_b_W : Vector3(-contact.force_on_b_W);
    sum.force_W += force;
    sum.torque_W += (contact.p_W - p_WF).cross(force);
  }
  const model::Matrix3 R_BW = X_WB_.linear().transpose();
  return {R_BW * sum.force_W, R_BW * sum.torque_W};
}

void EngineHardware::follow(std::size_t joint, double reference, double velocity) {
  const double position = engine_.positions()[static_cast<std::size_t>(arm_.joints()[joint])];
  drive(joint, velocity + servo_gain_ * (reference - position));
}

void EngineHardware::push(std::size_t joint, double effort) {
  engine_.set_effort(arm_.joints()[joint],
                     control::limit_effort(arm_.joint_models()[joint].limits, effort));
}

void EngineHardware::drive(std::size_t joint, double velocity) {
  const model::JointLimits& limits = arm_.joint_models()[joint].limits;
  const double position = engine_.positions()[static_cast<std::size_t>(arm_.joints()[joint])];
  engine_.set_velocity(arm_.joints()[joint], control::limit_velocity(limits, position, velocity),
                       limits.effort);
}

void EngineHardware::brake() {
  for (std::size_t j = 0; j < arm_.joint_count(); ++j) {
    engine_.set_velocity(arm_.joints()[j], 0.0, arm_.joint_models()[j].limits.effort);
  }
}

std::vector<physics::BodyId> EngineHardware::bodies() const {
  std::vector<physics::BodyId> all = arm_.bodies();
  all.insert(all.end(), tool_.bodies().begin() + 1, tool_.bodies().end());
  return all;
}

}  // namespace longarm::robots
