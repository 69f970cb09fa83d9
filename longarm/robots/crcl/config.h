// SPDX-License-Identifier: Apache-2.0
// What a robot's CRCL server can be told in a scenario.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"

namespace longarm::robots {

struct CrclDoorConfig {
  std::int64_t port = 64444;
  std::int64_t max_clients = 512;
  std::int64_t queue_depth = 100;
  std::int64_t max_output_bytes = 1 << 20;
  double usual_speed = 0.5;           ///< fraction of the robot's fastest, after InitCanon
  double usual_acceleration = 0.5;    ///< likewise
  std::string dialect = "standard";   ///< or nist-lab: what holds before a client says otherwise
  std::string frame = "robot";        ///< in which poses are meant: robot or world
  std::string tool_changer = "tool";  ///< what Open and CloseToolChanger act on: tool or gripper
  std::optional<Duration> status_period;  ///< absent: only those who ask are told
  Duration gripper_timeout{std::chrono::seconds(5)};
  Duration motion_slack{std::chrono::seconds(10)};

  bool is_lab() const { return dialect == "nist-lab"; }
};

/// Values that make no sense are rejected at their keys.
void list_fields(Fields& fields, CrclDoorConfig& config);

}  // namespace longarm::robots
