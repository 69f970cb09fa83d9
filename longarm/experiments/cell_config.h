// SPDX-License-Identifier: Apache-2.0
// The keys of a whole cell: a world, its belt, what simplifies its contacts and what watches it.
// Internal to the folder.
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

namespace longarm::experiments {

struct CellBeltConfig {
  std::string joint;  ///< empty: no belt
  std::vector<std::vector<double>> commands;
  mechanisms::BeltConfig belt;
};

/// No poles, no curtain.
struct CellCurtainConfig {
  devices::CurtainConfig curtain;
  std::vector<double> reset_at_s;
  devices::DeviceLinkConfig link;
};

struct CellCameraConfig {
  bool is_on = false;
  devices::CameraConfig camera;
  devices::DeviceLinkConfig link;
};

/// No collisions, no sensor.
struct CellTouchConfig {
  std::vector<std::string> collisions;
  devices::DeviceLinkConfig link;
};

struct CellConfig {
  std::string world;
  Duration length{5'000'000'000};
  Duration settle{200'000'000};
  std::optional<double> hold_effort;
  mechanisms::SimplifierConfig simplify;
  CellBeltConfig belt;
  CellCurtainConfig curtain;
  CellCameraConfig camera_1;
  CellCameraConfig camera_2;
  CellTouchConfig touch;
};

void list_fields(Fields& fields, CellConfig& config);

}  // namespace longarm::experiments
