// SPDX-License-Identifier: Apache-2.0
// A belt with trays of gears on it: the scene of the contact bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::benches {

inline constexpr std::int64_t kSlotsPerTray = 4;

/// The laboratory's vessel for medium gears, and the gear.
struct LabTray {
  model::Body tray;
  model::Body gear;
  std::vector<model::Pose> X_TS;  ///< of seated gears, slot by slot
};
LabTray read_lab_tray(InputFiles& files);

struct ContactScene {
  std::int64_t trays = 10;
  std::int64_t gears_per_tray = kSlotsPerTray;
  std::string shape = "primitives";  ///< primitives, meshes, cones or lab
  std::string start = "above";       ///< or seated
  LabTray lab;                       ///< of shape lab

  std::int64_t gears() const { return trays * gears_per_tray; }
  physics::BodyId belt_body() const { return physics::BodyId{1}; }
  physics::BodyId tray_body(std::int64_t tray) const {
    return static_cast<physics::BodyId>(2 + tray);
  }
  /// Gears are numbered tray by tray.
  physics::BodyId gear_body(std::int64_t gear) const {
    return static_cast<physics::BodyId>(2 + trays + gear);
  }
  physics::BodyId tray_of(std::int64_t gear) const { return tray_body(gear / gears_per_tray); }
};

/// The belt is the first placement and joint 0. Gears start half a millimetre above their seats and
/// up to a millimetre off their centres, or seated; turned by any angle: by the seed.
model::Cell make_contact_scene(const ContactScene& scene, std::int64_t seed);

/// Whether a gear whose frame is at `p_TG` in its tray's is in none of the tray's slots.
bool has_left_slots(const ContactScene& scene, const model::Vector3& p_TG);
/// Whether a tray at `X_WT` is not on the belt any more.
bool has_left_belt(const model::Pose& X_WT);

}  // namespace longarm::benches
