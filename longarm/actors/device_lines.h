// SPDX-License-Identifier: Apache-2.0
// What devices say, as a line of JSON for programs outside; docs/reference/sensors.md has the
// format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/devices/contact_sensor.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/devices/overhead_camera.h"
#include "longarm/model/cell.h"

namespace longarm::actors {

/// Knows what the things in a camera's frames are: their models, and which are trays, of whose
/// slots it says where they are. A tray is a model with frames called slot_….
class CameraLines {
 public:
  CameraLines(const model::Cell& cell, std::string camera);

  std::string line(const devices::CameraFrame& frame) const;

 private:
  struct Slot {
    std::string name;
    model::Pose X_PS = model::Pose::Identity();  ///< in the tray's frame
  };
  struct Thing {
    std::string model;
    bool is_bolted = false;
    std::vector<Slot> slots;  ///< none: it is no tray
  };

  std::string camera_;
  std::map<std::string, Thing> things_;  ///< by placement
};

/// Everything that a camera watches by itself, and bolted trays with it.
std::vector<std::string> loose_and_trays(const model::Cell& cell);

std::string curtain_line(const std::string& curtain, const devices::CurtainReport& report);
std::string touch_line(const std::string& sensor, const devices::TouchReport& report,
                       const std::vector<std::string>& bodies);

/// What a client makes of a line: the frame as it was sent. Bad lines are errors.
Result<devices::CameraFrame> read_camera_line(std::string_view line);
/// Of a curtain's line, without single beams.
Result<devices::CurtainReport> read_curtain_line(std::string_view line);

}  // namespace longarm::actors
