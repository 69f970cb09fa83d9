// SPDX-License-Identifier: Apache-2.0
// An arm with its controller, to those who are wired to it.
#pragma once

#include "longarm/cell/wish.h"
#include "longarm/robots/arm/robot.h"

namespace longarm::actors {

struct RobotBody {
  static constexpr cell::Interface kInterface{"robot", cell::Reach::kBody};
  robots::Robot* robot = nullptr;
};

}  // namespace longarm::actors
