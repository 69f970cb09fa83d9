// SPDX-License-Identifier: Apache-2.0
// Opens the doors of a UR controller that its ports ask for.
#include "longarm/robots/ur/robot.h"

#include "longarm/protocols/ur/dashboard_door.h"
#include "longarm/protocols/ur/gripper_door.h"
#include "longarm/protocols/ur/rtde_door.h"
#include "longarm/protocols/ur/stream_door.h"
#include "longarm/robots/ur/sockets.h"

namespace longarm::robots {
namespace {

namespace ur = protocols::ur;

std::unique_ptr<protocols::Door> make_door(const std::string& robot, const ur::OpenPort& open,
                                           UrController& controller) {
  const std::string name = robot + "." + std::string(open.door);
  if (open.door == "rtde") {
    return std::make_unique<ur::RtdeDoor>(name, open.port, controller);
  }
  if (open.door == "dashboard") {
    return std::make_unique<ur::DashboardDoor>(name, open.port, controller);
  }
  if (open.door == "gripper") {
    return std::make_unique<ur::GripperDoor>(name, open.port, *controller.gripper());
  }
  const ur::StreamKind kind = open.door.starts_with("primary")     ? ur::StreamKind::kPrimary
                              : open.door.starts_with("secondary") ? ur::StreamKind::kSecondary
                                                                   : ur::StreamKind::kRealTime;
  return std::make_unique<ur::StreamDoor>(name, open.port, kind, open.door.ends_with("_ro"),
                                          controller);
}

}  // namespace

UrRobot::UrRobot(physics::Engine& engine, const model::Cell& cell, const UrConfig& config,
                 Duration period)
    : controller_(engine, cell, config, period) {
  for (const ur::OpenPort& open : ur::open_ports(config.ports)) {
    if (open.door == "gripper" && controller_.gripper() == nullptr) {
      continue;
    }
    own_.push_back(make_door(config.name, open, controller_));
    doors_.push_back(own_.back().get());
  }
  doors_.push_back(&controller_.sockets());
}

UrRobot::~UrRobot() = default;

}  // namespace longarm::robots
