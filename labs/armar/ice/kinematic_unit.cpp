// SPDX-License-Identifier: Apache-2.0
// KinematicUnit: takes velocities of joints, and publishes where they are.
#include <algorithm>
#include <mutex>
#include <utility>

#include "labs/armar/ice/component.h"
#include "labs/armar/ice/hand.h"

namespace longarm::armar::ice {
namespace {

/// All joints of ARMAR-III; what the arm has not is at rest.
constexpr std::size_t kJoints = 43;

/// Drives that move as they are told.
class Drives {
 public:
  explicit Drives(const Hand& hand)
      : names_(hand.joints()),
        positions_(hand.start_positions()),
        velocities_(names_.size(), 0.0),
        at_(Clock::now()) {
    for (std::size_t i = names_.size(); i < kJoints; ++i) {
      names_.push_back("joint_of_body_" + std::to_string(i));
    }
    positions_.resize(kJoints);
    velocities_.resize(kJoints);
  }

  void command(const ::armar::JointValues& velocities) {
    const std::lock_guard lock(mutex_);
    move();
    for (std::size_t i = 0; i < kJoints; ++i) {
      const auto found = velocities.find(names_[i]);
      velocities_[i] = found == velocities.end() ? velocities_[i] : found->second;
    }
  }

  /// Positions, velocities and torques.
  std::array<::armar::JointValues, 3> read() {
    const std::lock_guard lock(mutex_);
    move();
    return {named(positions_), named(velocities_), named(std::vector<double>(kJoints, 0.0))};
  }

 private:
  void move() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(at_, now)).count();
    for (std::size_t i = 0; i < kJoints; ++i) {
      positions_[i] += velocities_[i] * seconds;
    }
  }
  ::armar::JointValues named(const std::vector<double>& values) const {
    ::armar::JointValues all;
    for (std::size_t i = 0; i < kJoints; ++i) {
      all[names_[i]] = values[i];
    }
    return all;
  }

  std::mutex mutex_;
  std::vector<std::string> names_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  Clock::time_point at_;
};

class Unit final : public ::armar::KinematicUnit {
 public:
  Unit(Component& component, Drives& drives) : component_(component), drives_(drives) {}
  void switchControlMode(::armar::ControlModes, const Ice::Current&) override {
    component_.compute("switchControlMode");
  }
  void setJointVelocities(::armar::JointValues velocities, const Ice::Current&) override {
    component_.compute("setJointVelocities");
    drives_.command(velocities);
  }

 private:
  Component& component_;
  Drives& drives_;
};

}  // namespace

void run_kinematic_unit(Component& component) {
  const Hand hand;
  Drives drives(hand);
  const auto adapter = component.adapter();
  adapter->add(std::make_shared<Unit>(component, drives), Ice::stringToIdentity("KinematicUnit"));
  adapter->activate();
  const auto listeners = Ice::uncheckedCast<::armar::KinematicUnitListenerPrx>(
      component.topic("RobotState")->getPublisher()->ice_oneway());
  component.cycles(false, [&] {
    const auto [angles, velocities, torques] = drives.read();
    const long long timestamp =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - component.epoch())
            .count();
    listeners->reportJointAngles(angles, timestamp);
    listeners->reportJointVelocities(velocities, timestamp);
    listeners->reportJointTorques(torques, timestamp);
    return 3;
  });
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

}  // namespace longarm::armar::ice
