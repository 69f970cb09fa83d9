// SPDX-License-Identifier: Apache-2.0
// The keys of a UR arm's driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longarm/cell/wish.h"
#include "longarm/control/config.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

/// What the program that servoj needs at the robot is told.
struct ServojKeys {
  double lookahead_s = 0.1;
  double gain = 300.0;
  Duration time{8'000'000};
  std::int64_t reverse_port = 50001;        ///< where the driver listens for the robot
  Duration receive_timeout{2'000'000'000};  ///< of the robot's program: then it stops the arm
};

struct SpeedjKeys {
  double acceleration_rad_s2 = 15.0;
  Duration time{8'000'000};           ///< after which the robot gives up; 0: never
  std::int64_t watchdog_cycles = 12;  ///< without a packet: the driver sends zeros; 0: never
};

struct UrDriverKeys {
  cell::Wish robot;
  std::string method = "speedj";  ///< speedj, servoj or ros_control
  std::string host;               ///< where the robot calls it; no key of its own
  Duration start{1'000'000'000};  ///< of the plan; later if the connection takes longer
  std::string tick = "packet";    ///< speedj: packet or timer
  Duration phase{0};              ///< of its timer
  control::GainsConfig gains{{10, 10, 10, 5, 5, 5}, {}, {}, {}, false};
  std::optional<double> gain;
  double feed_forward = 0.0;
  SpeedjKeys speedj;
  ServojKeys servoj;
  tasks::TaskConfig task;

  /// Whether it talks to a UR controller.
  bool speaks_ur() const { return method != "ros_control"; }
};

void list_fields(Fields& fields, UrDriverKeys& keys);

}  // namespace longarm::actors
