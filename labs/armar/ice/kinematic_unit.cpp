// SPDX-License-Identifier: Apache-2.0
// KinematicUnit: takes velocities of joints, and publishes where they are.
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "labs/armar/ice/component.h"
#include "labs/armar/ice/drives.h"
#include "labs/armar/ice/hand.h"

namespace longarm::armar::ice {
namespace {

constexpr std::size_t kJoints = 43;

/// Drives that move as they are told.
class IdealDrives final : public Drives {
 public:
  explicit IdealDrives(const Hand& hand)
      : joints_(hand.joints()),
        positions_(hand.start_positions()),
        velocities_(positions_.size(), 0.0),
        at_(Clock::now()) {}

  void switch_modes(const ::armar::ControlModes&) override {}
  void command(const ::armar::JointValues& velocities) override {
    const std::lock_guard lock(mutex_);
    move();
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto found = velocities.find(joints_[i]);
      velocities_[i] = found == velocities.end() ? velocities_[i] : found->second;
    }
  }
  JointStates read() override {
    const std::lock_guard lock(mutex_);
    move();
    return {positions_, velocities_, std::vector<double>(positions_.size(), 0.0)};
  }

 private:
  void move() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - std::exchange(at_, now)).count();
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      positions_[i] += velocities_[i] * seconds;
    }
  }

  std::mutex mutex_;
  std::vector<std::string> joints_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  Clock::time_point at_;
};

/// Those of the arm, and of the joints that ARMAR-III has besides, which are at rest.
class AllJoints {
 public:
  explicit AllJoints(const Hand& hand) : names_(hand.joints()) {
    for (std::size_t i = names_.size(); i < kJoints; ++i) {
      names_.push_back("joint_of_body_" + std::to_string(i));
    }
  }
  ::armar::JointValues named(const std::vector<double>& values) const {
    ::armar::JointValues all;
    for (std::size_t i = 0; i < kJoints; ++i) {
      all[names_[i]] = i < values.size() ? values[i] : 0.0;
    }
    return all;
  }

 private:
  std::vector<std::string> names_;
};

class Unit final : public ::armar::KinematicUnit {
 public:
  Unit(Component& component, Drives& drives) : component_(component), drives_(drives) {}
  void switchControlMode(::armar::ControlModes modes, const Ice::Current&) override {
    component_.compute("switchControlMode");
    drives_.switch_modes(modes);
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
  const AllJoints joints(hand);
  const std::string at = component.text("Drives");
  const std::unique_ptr<Drives> drives =
      at.empty() ? std::make_unique<IdealDrives>(hand) : connect_to_drives(at, hand.joints());
  const auto adapter = component.adapter();
  adapter->add(std::make_shared<Unit>(component, *drives), Ice::stringToIdentity("KinematicUnit"));
  adapter->activate();
  const auto listeners = Ice::uncheckedCast<::armar::KinematicUnitListenerPrx>(
      component.topic("RobotState")->getPublisher()->ice_oneway());
  component.cycles(false, [&] {
    const JointStates states = drives->read();
    const long long timestamp =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - component.epoch())
            .count();
    listeners->reportJointAngles(joints.named(states.positions), timestamp);
    listeners->reportJointVelocities(joints.named(states.velocities), timestamp);
    listeners->reportJointTorques(joints.named(states.torques), timestamp);
    return 3;
  });
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

}  // namespace longarm::armar::ice
