// SPDX-License-Identifier: Apache-2.0
// TCPControlUnit: the loop whose cycles are measured. Two calls while the hand rests, four while it
// moves.
#include <mutex>
#include <optional>

#include "labs/armar/ice/component.h"
#include "labs/armar/ice/hand.h"

namespace longarm::armar::ice {
namespace {

// who wants the hand to move says so at least this often
constexpr auto kTargetLastsFor = std::chrono::milliseconds(500);

class TcpControl final : public ::armar::TCPControlUnit {
 public:
  explicit TcpControl(Component& component) : component_(component) {}

  void setTCPVelocity(std::string, std::string, ::armar::Vector velocity, std::string,
                      const Ice::Current&) override {
    component_.compute("setTCPVelocity");
    const std::lock_guard lock(mutex_);
    target_ = velocity;
    target_at_ = Clock::now();
  }

  std::optional<::armar::Vector> target() const {
    const std::lock_guard lock(mutex_);
    const bool is_active = target_at_ && Clock::now() - *target_at_ <= kTargetLastsFor;
    return is_active ? std::optional(target_) : std::nullopt;
  }

 private:
  Component& component_;
  mutable std::mutex mutex_;
  ::armar::Vector target_{};
  std::optional<Clock::time_point> target_at_;
};

}  // namespace

void run_tcp_control_unit(Component& component) {
  const Hand hand;
  const auto servant = std::make_shared<TcpControl>(component);
  const auto adapter = component.adapter();
  adapter->add(servant, Ice::stringToIdentity("TCPControlUnit"));
  adapter->activate();
  const auto state = component.find<::armar::RobotStateComponentPrx>("RobotStateComponent");
  const auto unit = component.find<::armar::KinematicUnitPrx>("KinematicUnit");

  ::armar::ControlModes modes;
  for (const std::string& joint : hand.joints()) {
    modes[joint] = ::armar::ControlMode::Velocity;
  }
  component.cycles(true, [&] {
    const auto robot = state->getSynchronizedRobot();
    const ::armar::RobotConfig config = robot->getConfig();
    const std::optional<::armar::Vector> target = servant->target();
    if (!target) {
      return 2;
    }
    unit->switchControlMode(modes);
    unit->setJointVelocities(hand.joint_velocities(hand.positions(config.joints), *target));
    return 4;
  });
  sleep_until(component.end() + std::chrono::milliseconds(200));
}

}  // namespace longarm::armar::ice
