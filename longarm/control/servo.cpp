// SPDX-License-Identifier: Apache-2.0
// The two servos: PID, and computed torque.
#include "longarm/control/servo.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "longarm/control/pid.h"
#include "longarm/motion/dynamics.h"

namespace longarm::control {
namespace {

class PidServo final : public Servo {
 public:
  PidServo(const ServoConfig& config, const model::BodyTree& tree,
           const model::Vector3& gravity_R_m_s2)
      : dynamics_(tree, gravity_R_m_s2),
        compensates_gravity_(config.gravity_compensation),
        at_rest_(tree.joints.size(), 0.0) {
    for (const PidGains& gains : pid_gains(config.gains, dynamics_.joint_count())) {
      pids_.emplace_back(gains);
    }
  }

  void update(std::span<const double> velocity_commands, std::span<const double> positions,
              std::span<const double> velocities, Duration period,
              std::span<double> efforts) override {
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      efforts[i] = pids_[i].update(velocity_commands[i] - velocities[i], period);
    }
    if (!compensates_gravity_) {
      return;
    }
    const Eigen::VectorXd& gravity = dynamics_.bias(positions, at_rest_);
    for (std::size_t i = 0; i < pids_.size(); ++i) {
      efforts[i] += gravity[static_cast<Eigen::Index>(i)];
    }
  }

  void reset() override {
    for (Pid& pid : pids_) {
      pid.reset();
    }
  }

 private:
  motion::Dynamics dynamics_;
  bool compensates_gravity_;
  std::vector<double> at_rest_;
  std::vector<Pid> pids_;
};

class ComputedTorqueServo final : public Servo {
 public:
  ComputedTorqueServo(const model::BodyTree& tree, const model::Vector3& gravity_R_m_s2)
      : dynamics_(tree, gravity_R_m_s2), acceleration_(tree.joints.size(), 0.0) {
    for (const model::TreeJoint& joint : tree.joints) {
      damping_.push_back(joint.dynamics.damping);
    }
  }

  void update(std::span<const double> velocity_commands, std::span<const double> positions,
              std::span<const double> velocities, Duration period,
              std::span<double> efforts) override {
    for (std::size_t i = 0; i < acceleration_.size(); ++i) {
      acceleration_[i] = (velocity_commands[i] - velocities[i]) / to_seconds(period);
    }
    const Eigen::VectorXd& needed =
        dynamics_.inverse_dynamics(positions, velocities, acceleration_);
    for (std::size_t i = 0; i < acceleration_.size(); ++i) {
      efforts[i] = needed[static_cast<Eigen::Index>(i)] + damping_[i] * velocity_commands[i];
    }
  }

  void reset() override {}

 private:
  motion::Dynamics dynamics_;
  std::vector<double> acceleration_;
  std::vector<double> damping_;
};

}  // namespace

std::unique_ptr<Servo> make_pid_servo(const ServoConfig& config, const model::BodyTree& tree,
                                      const model::Vector3& gravity_R_m_s2) {
  return std::make_unique<PidServo>(config, tree, gravity_R_m_s2);
}

std::unique_ptr<Servo> make_computed_torque_servo(const model::BodyTree& tree,
                                                  const model::Vector3& gravity_R_m_s2) {
  return std::make_unique<ComputedTorqueServo>(tree, gravity_R_m_s2);
}

}  // namespace longarm::control
