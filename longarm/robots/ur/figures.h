// SPDX-License-Identifier: Apache-2.0
// What a UR controller counts over its life, for studies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/time.h"

namespace longarm::robots {

struct UrStop {
  Time time{};
  std::string reason;
};

/// How often something happened, and when first.
struct UrCount {
  std::uint64_t count = 0;
  std::optional<Time> first;

  void add(Time now) {
    ++count;
    if (!first) {
      first = now;
    }
  }
};

struct UrFigures {
  std::uint64_t cycles = 0;
  std::uint64_t scripts = 0;          ///< received, whole
  std::uint64_t refused_scripts = 0;  ///< of them: wrong, or not to be run in this state
  std::uint64_t motion_commands = 0;  ///< speedj, servoj, movej … that were begun
  /// speedj or speedl went on to its t and no other command was there, while it asked for motion.
  UrCount speed_timeouts;
  UrCount socket_timeouts;  ///< a socket_read_… that got nothing in its time
  UrCount watchdog_trips;   ///< rtde_set_watchdog
  UrCount runtime_exceptions;
  std::vector<UrStop> protective_stops;  ///< the first thousand
  std::vector<UrStop> emergency_stops;

  /// Of the robot's own: speed, socket and watchdog.
  std::optional<Time> first_timeout() const {
    std::optional<Time> first;
    for (const UrCount* each : {&speed_timeouts, &socket_timeouts, &watchdog_trips}) {
      if (each->first && (!first || *each->first < *first)) {
        first = each->first;
      }
    }
    return first;
  }
};

}  // namespace longarm::robots
