// SPDX-License-Identifier: Apache-2.0
// RobotStateComponent, and the SharedRobot (RemoteRobot) that it serves from the same process, as
// ArmarX does; and the observer, which listens only.
#include <mutex>
#include <utility>

#include "labs/armar/ice/armar.h"
#include "labs/armar/ice/component.h"

namespace longarm::armar::ice {
namespace {

/// The joints as last published.
class Listener final : public ::armar::KinematicUnitListener {
 public:
  void reportJointAngles(::armar::JointValues values, long long timestamp,
                         const Ice::Current&) override {
    const std::lock_guard lock(mutex_);
    config_ = {timestamp, std::move(values)};
  }
  void reportJointVelocities(::armar::JointValues, long long, const Ice::Current&) override {}
  void reportJointTorques(::armar::JointValues, long long, const Ice::Current&) override {}

  ::armar::RobotConfig config() const {
    const std::lock_guard lock(mutex_);
    return config_;
  }

 private:
  mutable std::mutex mutex_;
  ::armar::RobotConfig config_;
};

class Robot final : public ::armar::SharedRobot {
 public:
  Robot(Component& component, std::shared_ptr<Listener> listener)
      : component_(component), listener_(std::move(listener)) {}
  ::armar::RobotConfig getConfig(const Ice::Current&) override {
    component_.compute("getConfig");
    return listener_->config();
  }

 private:
  Component& component_;
  std::shared_ptr<Listener> listener_;
};

class State final : public ::armar::RobotStateComponent {
 public:
  State(Component& component, std::shared_ptr<::armar::SharedRobotPrx> robot)
      : component_(component), robot_(std::move(robot)) {}
  std::shared_ptr<::armar::SharedRobotPrx> getSynchronizedRobot(const Ice::Current&) override {
    component_.compute("getSynchronizedRobot");
    return robot_;
  }

 private:
  Component& component_;
  std::shared_ptr<::armar::SharedRobotPrx> robot_;
};

/// Messages come one after another, without replies, over the connection that IceStorm makes.
std::shared_ptr<Listener> listen(const Component& component, Ice::ObjectAdapter& adapter) {
  auto listener = std::make_shared<Listener>();
  const auto proxy = adapter.addWithUUID(listener)->ice_oneway();
  component.topic("RobotState")->subscribeAndGetPublisher({}, proxy);
  return listener;
}

}  // namespace

void run_robot_state(Component& component) {
  const auto adapter = component.adapter();
  adapter->activate();
  const auto listener = listen(component, *adapter);
  const auto robot = Ice::uncheckedCast<::armar::SharedRobotPrx>(adapter->add(
      std::make_shared<Robot>(component, listener), Ice::stringToIdentity("RemoteRobot")));
  adapter->add(std::make_shared<State>(component, robot),
               Ice::stringToIdentity("RobotStateComponent"));
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

void run_observer(Component& component) {
  const auto adapter = component.adapter();
  adapter->activate();
  const auto listener = listen(component, *adapter);
  sleep_until(component.end() + std::chrono::milliseconds(300));
}

}  // namespace longarm::armar::ice
