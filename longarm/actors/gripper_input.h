// SPDX-License-Identifier: Apache-2.0
// A robot's gripper, to whoever tells it where to go beside the robot's own program.
#pragma once

#include <functional>

#include "longarm/cell/wish.h"
#include "longarm/robots/robot_port.h"

namespace longarm::actors {

/// Where the robot's controller is. A robot that is stopped or broken does nothing of it.
struct GripperInput {
  static constexpr cell::Interface kInterface{"gripper", cell::Reach::kBody};
  std::function<void(double opening)> set;  ///< as RobotPort's; of a vacuum above zero is on
  std::function<void(double position_m, double max_force_N)> move_fingers;
  std::function<void()> stop;
  std::function<robots::GripperReport()> report;  ///< of kind kNone: there is no gripper
};

}  // namespace longarm::actors
