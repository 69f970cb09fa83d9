// SPDX-License-Identifier: Apache-2.0
// The statechart: waits, then leads the hand from corner to corner of a rectangle.
#include <algorithm>
#include <array>

#include "labs/armar/armar_programs.h"
#include "labs/armar/ice/component.h"
#include "labs/armar/ice/hand.h"

namespace longarm::armar::ice {
namespace {

// as the scenario armar-rectangle has them
constexpr std::array<std::array<double, 3>, 4> kCorners_m = {
    {{-0.36, 0.5, 1.06}, {-0.52, 0.5, 1.06}, {-0.52, 0.5, 1.18}, {-0.36, 0.5, 1.18}}};
constexpr double kSpeed_m_s = 0.1;
constexpr double kGain_1_s = 5.0;
constexpr double kArrived_m = 0.002;

}  // namespace

void run_rectangle(Component& component) {
  const Hand hand;
  const auto robot = component.find<::armar::SharedRobotPrx>("RemoteRobot");
  const auto control = component.find<::armar::TCPControlUnitPrx>("TCPControlUnit");
  const Clock::time_point start = component.epoch() + component.milliseconds("Start", 5'000.0);
  std::size_t corner = 0;
  component.cycles(false, [&] {
    if (Clock::now() < start) {
      return 0;
    }
    const std::vector<double> joints = hand.positions(robot->getConfig().joints);
    const std::array<double, 3>& target = kCorners_m[corner];
    const model::Vector3 way_left =
        model::Vector3(target[0], target[1], target[2]) - hand.position(joints);
    if (way_left.norm() < kArrived_m) {
      corner = (corner + 1) % kCorners_m.size();
    }
    const model::Vector3 velocity = velocity_along(way_left, kSpeed_m_s, kGain_1_s);
    control->setTCPVelocity("LeftArm", "TCP L", {velocity.x(), velocity.y(), velocity.z()}, "Root");
    return 2;
  });
}

}  // namespace longarm::armar::ice
