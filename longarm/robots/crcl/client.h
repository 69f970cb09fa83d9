// SPDX-License-Identifier: Apache-2.0
// What a CRCL server keeps of one client: how it counts, what it wants to hear, what it has said.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "longarm/protocols/crcl/commands.h"
#include "longarm/protocols/crcl/framing.h"
#include "longarm/robots/crcl/dialect.h"

namespace longarm::robots {

struct CrclClient {
  protocols::crcl::Framing framing;
  CrclDialect dialect;
  bool is_in_world_frame = false;
  bool reports_models = false;

  /// Settings are long and change seldom: those who want them ask. Joints, sensors and guards show
  /// once they are configured, enabled or used.
  protocols::crcl::ConfigureStatusReport reports{.with_joints = true,
                                                 .with_pose = true,
                                                 .with_gripper = true,
                                                 .with_settings = false,
                                                 .with_sensors = true,
                                                 .with_guards = true};
  std::map<std::int32_t, protocols::crcl::JointReport> joint_reports;  ///< by number, from 1
  std::set<std::string> parameter_reports;

  std::int64_t status_id = 0;  ///< of the last status that was sent
  /// Why the last thing it sent could not be read; its own trouble, not the robot's. Said in its
  /// next status, once.
  std::optional<std::string> complaint;
  std::string output;
  bool is_over = false;
};

}  // namespace longarm::robots
