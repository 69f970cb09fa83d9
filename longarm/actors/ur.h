// SPDX-License-Identifier: Apache-2.0
// A UR arm, to those who speak to its controller.
#pragma once

#include "longarm/cell/wish.h"
#include "longarm/robots/ur/robot.h"

namespace longarm::actors {

struct UrServer {
  static constexpr cell::Interface kInterface{"UR controller", cell::Reach::kSpoken, true};
  robots::UrConfig config;
  robots::UrRobot* robot = nullptr;  ///< null: it has none, joints are driven from elsewhere
};

}  // namespace longarm::actors
