// SPDX-License-Identifier: Apache-2.0
// The keys of a cell at work: its world, belt, robots, devices, network, safety and failures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/devices/device_link.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"
#include "longarm/mechanisms/belt.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/network/topology/network_config.h"
#include "longarm/protocols/jointcmd/door.h"
#include "longarm/protocols/modbus/plc_door.h"
#include "longarm/robots/crcl_config.h"
#include "longarm/robots/robot_config.h"
#include "longarm/workcell/safety_controller.h"

namespace longarm::workcell {

struct BeltSection {
  std::string joint;  ///< empty: no belt
  std::vector<std::vector<double>> commands;
  double upstream_m = 0.0;  ///< what stands on it starts so far back, against its axis
  mechanisms::BeltConfig belt;
};

/// No poles, no curtain.
struct CurtainSection {
  devices::CurtainConfig curtain;
  std::vector<double> reset_at_s;
  devices::DeviceLinkConfig link;
};

struct CameraSection {
  bool is_on = false;
  devices::CameraConfig camera;
  devices::DeviceLinkConfig link;
};

/// No collisions, no sensor.
struct TouchSection {
  std::vector<std::string> collisions;
  devices::DeviceLinkConfig link;
};

/// An arm that is at work, behind its CRCL server; arms that are not named here hold still.
struct RobotSection {
  std::string name;  ///< also that of its placement, where no other is said
  robots::RobotConfig robot;
  robots::CrclDoorConfig crcl;
};

/// The belt's controller.
struct PlcSection {
  bool is_on = false;
  protocols::modbus::PlcConfig plc;
};

/// Who sits on which host of the network. Roles are executor, plc, curtain, camera_1, camera_2,
/// touch and the names of the robots; the safety controller is beside the PLC. A role without a
/// line here has the host of its own name.
struct RoleHost {
  std::string role;
  std::string host;
};

struct WorkCellConfig {
  std::string world;
  Duration length{5'000'000'000};
  Duration settle{200'000'000};
  std::optional<double> hold_effort;
  mechanisms::SimplifierConfig simplify;
  BeltSection belt;
  CurtainSection curtain;
  CameraSection camera_1;
  CameraSection camera_2;
  TouchSection touch;
  std::vector<RobotSection> robots;
  PlcSection plc;
  SafetyConfig safety;
  network::NetworkConfig network;
  std::vector<RoleHost> hosts;
  std::vector<std::string> failures;  ///< as failures.h reads them
  Duration joint_states_period{20'000'000};
  /// Found in the world file by load_work_cell().
  std::vector<protocols::jointcmd::DoorConfig> joint_topics;

  const std::string& host_of(const std::string& role) const;
};

void list_fields(Fields& fields, WorkCellConfig& config);

/// Every role that there is in the cell, executor first.
std::vector<std::string> roles_of(const WorkCellConfig& config);

/// For those who talk across a network and were given none: a switch with a gigabit cable to each
/// role, named like the role.
void add_usual_network(WorkCellConfig& config);

}  // namespace longarm::workcell
