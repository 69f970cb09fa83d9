// SPDX-License-Identifier: Apache-2.0
// An arm, to those who are wired to it.
#pragma once

#include <functional>
#include <string>

#include "longarm/cell/wish.h"
#include "longarm/robots/arm/robot.h"

namespace longarm::actors {

struct RobotBody {
  static constexpr cell::Interface kInterface{"robot", cell::Reach::kBody};
  robots::Robot* robot = nullptr;      ///< its controller; null: that is on another host
  std::function<std::string()> fault;  ///< why its joints do not move now; empty: they do
};

}  // namespace longarm::actors
