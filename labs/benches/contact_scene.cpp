// SPDX-License-Identifier: Apache-2.0
// Trays with square pockets or conical slots, gears of a disc and a peg, as primitives or
// triangles.
#include "labs/benches/contact_scene.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "labs/benches/primitive_mesh.h"
#include "labs/benches/scene.h"
#include "longarm/core/random.h"

namespace longarm::benches {
namespace {

using model::Body;
using model::Box;
using model::Pose;
using model::Vector3;
using std::numbers::pi;

// Of everything. Walls of conical slots are at 45 degrees; a gear would wedge in walls steeper than
// 90 - atan(0.5) = 63 degrees.
constexpr double kFriction = 0.5;

constexpr double kGearRadius_m = 0.030;
constexpr double kGearHeight_m = 0.010;
constexpr double kPegRadius_m = 0.004;
constexpr double kPegLength_m = 0.030;
constexpr double kGearMass_kg = 0.05;

constexpr double kPlay_m = 0.002;  ///< between a gear and each wall of its pocket
constexpr double kPocket_m = 2.0 * (kGearRadius_m + kPlay_m);
constexpr double kWall_m = 0.004;
constexpr double kWallHeight_m = 0.015;
constexpr double kFloor_m = 0.005;
constexpr double kTray_m = 2.0 * kPocket_m + 3.0 * kWall_m;
constexpr double kTrayMass_kg = 0.2;
constexpr double kSlotOffset_m = (kPocket_m + kWall_m) / 2.0;

// a conical slot: eight plates at 45 degrees, as wide as a gear 10 mm above the floor
constexpr int kPlates = 8;
constexpr double kSeatHeight_m = 0.010;
constexpr double kPlateLength_m = 0.018;  ///< along the slope

// how far from its seat a gear of the laboratory is still in its slot
constexpr double kLabSlot_m = 0.006;

constexpr double kSpacing_m = 0.2;
constexpr double kBeltTop_m = 0.9;
constexpr double kDrop_m = 0.0005;

Vector3 slot_centre(std::int64_t slot) {
  return {slot % 2 == 0 ? -kSlotOffset_m : kSlotOffset_m,
          slot / 2 == 0 ? -kSlotOffset_m : kSlotOffset_m, 0.0};
}

void add(Body& body, const model::Shape& shape, const Pose& X_BG) {
  body.collisions.push_back(shape_at(shape, X_BG, kFriction));
}

/// Its frame is at the middle of its underside.
Body empty_tray() {
  const Vector3 floor(kTray_m, kTray_m, kFloor_m);
  Body tray;
  tray.inertial = solid_box(kTrayMass_kg, {kTray_m, kTray_m, kFloor_m + kWallHeight_m});
  tray.inertial.X_LC = at(0.0, 0.0, kFloor_m);
  add(tray, Box{floor}, at(0.0, 0.0, kFloor_m / 2.0));
  return tray;
}

/// A floor and six walls.
Body pocket_tray() {
  Body tray = empty_tray();
  const double z = kFloor_m + kWallHeight_m / 2.0;
  const double outer = (kTray_m - kWall_m) / 2.0;
  for (const double offset : {-outer, 0.0, outer}) {
    add(tray, Box{{kWall_m, kTray_m, kWallHeight_m}}, at(offset, 0.0, z));
    add(tray, Box{{kTray_m, kWall_m, kWallHeight_m}}, at(0.0, offset, z));
  }
  return tray;
}

/// The inner face of a plate goes through the seat: a gear's radius from the axis, at its height.
Pose plate_pose(const Vector3& centre, int number) {
  Pose X = Pose::Identity();
  X.translation() = centre + Vector3(0.0, 0.0, kFloor_m + kSeatHeight_m);
  X.rotate(Eigen::AngleAxisd(2.0 * pi * number / kPlates, Vector3::UnitZ()));
  X.translate(Vector3(kGearRadius_m, 0.0, 0.0));
  X.rotate(Eigen::AngleAxisd(-pi / 4.0, Vector3::UnitY()));
  X.translate(Vector3(0.0, 0.0, -kWall_m / 2.0));
  return X;
}

/// A floor and four rings of plates.
Body cone_tray() {
  Body tray = empty_tray();
  const double width = 2.0 * (kGearRadius_m + kPlateLength_m / 2.0) * std::tan(pi / kPlates);
  for (std::int64_t slot = 0; slot < kSlotsPerTray; ++slot) {
    for (int plate = 0; plate < kPlates; ++plate) {
      add(tray, Box{{kPlateLength_m, width, kWall_m}}, plate_pose(slot_centre(slot), plate));
    }
  }
  return tray;
}

/// Its frame is at the middle of the disc's underside.
Body gear() {
  Body body;
  body.inertial = solid_cylinder(kGearMass_kg, kGearRadius_m, kGearHeight_m);
  body.inertial.X_LC = at(0.0, 0.0, kGearHeight_m / 2.0);
  add(body, model::Cylinder{kGearRadius_m, kGearHeight_m}, at(0.0, 0.0, kGearHeight_m / 2.0));
  add(body, model::Cylinder{kPegRadius_m, kPegLength_m},
      at(0.0, 0.0, kGearHeight_m + kPegLength_m / 2.0));
  return body;
}

void make_meshes(Body& body) {
  for (model::Geometry& geometry : body.collisions) {
    geometry.shape = mesh_of(geometry.shape);
  }
}

Pose gear_pose(const ContactScene& scene, const Pose& X_WT, std::int64_t gear,
               RandomStream& random) {
  const bool is_conical = scene.shape == "cones" || scene.shape == "lab";
  const bool is_seated = scene.start == "seated";
  const std::int64_t slot = gear % scene.gears_per_tray;
  Vector3 centre = slot_centre(slot);
  double seat = kFloor_m + (scene.shape == "cones" ? kSeatHeight_m : 0.0);
  if (scene.shape == "lab") {
    centre = scene.lab.X_TS[static_cast<std::size_t>(slot)].translation();
    seat = std::exchange(centre.z(), 0.0);
  }
  Pose X = X_WT;
  X.translate(centre);
  const double x = random.uniform(-kPlay_m / 2.0, kPlay_m / 2.0);
  const double y = random.uniform(-kPlay_m / 2.0, kPlay_m / 2.0);
  // in a cone, half as far off is as far up
  const double lift = is_seated ? 0.0 : is_conical ? kPlay_m : kDrop_m;
  // in the middle of a cone nothing is left to slide
  const double aside = is_seated && is_conical ? 0.0 : 1.0;
  X.translate(Vector3(aside * x, aside * y, seat + lift));
  X.rotate(Eigen::AngleAxisd(random.uniform(-pi, pi), Vector3::UnitZ()));
  return X;
}

}  // namespace

model::Cell make_contact_scene(const ContactScene& scene, std::int64_t seed) {
  RandomStream random(static_cast<std::uint64_t>(seed), "contact scene");
  Body tray = scene.shape == "lab"     ? scene.lab.tray
              : scene.shape == "cones" ? cone_tray()
                                       : pocket_tray();
  Body part = scene.shape == "lab" ? scene.lab.gear : gear();
  const double length = kSpacing_m * static_cast<double>(scene.trays) + 1.0;
  model::Cell cell;
  cell.placements.push_back(
      belt_model("belt", {length, 0.4, 0.02}, {0.0, 0.0, kBeltTop_m}, kFriction));
  if (scene.shape == "meshes") {
    make_meshes(tray);
    make_meshes(part);
    make_meshes(cell.placements[0].tree.bodies[1]);
  }
  const auto tray_pose = [&](std::int64_t number) {
    const double middle = (static_cast<double>(scene.trays) - 1.0) / 2.0;
    return at(kSpacing_m * (static_cast<double>(number) - middle), 0.0, kBeltTop_m);
  };
  for (std::int64_t number = 0; number < scene.trays; ++number) {
    cell.placements.push_back(
        single_body(fmt::format("tray{}", number + 1), tray, tray_pose(number), false));
  }
  for (std::int64_t number = 0; number < scene.gears(); ++number) {
    const Pose X_WG = gear_pose(scene, tray_pose(number / scene.gears_per_tray), number, random);
    cell.placements.push_back(single_body(fmt::format("gear{}", number + 1), part, X_WG, false));
  }
  return cell;
}

LabTray read_lab_tray(InputFiles& files) {
  const model::BodyTree tray = read_ready_model("sku_medium_gear_vessel", files);
  const model::BodyTree gear = read_ready_model("sku_part_medium_gear", files);
  LabTray lab{tray.bodies[0], gear.bodies[0], {}};
  for (std::int64_t slot = 1; slot <= kSlotsPerTray; ++slot) {
    const std::optional<int> frame = tray.find_frame(fmt::format("slot_{}_medium", slot));
    lab.X_TS.push_back(tray.frames.at(static_cast<std::size_t>(frame.value())).X_BF);
  }
  return lab;
}

bool has_left_slots(const ContactScene& scene, const Vector3& p_TG) {
  if (scene.shape == "lab") {
    // as far beside a seat as a gear finds it from, and no more than out of the cone above it
    return std::none_of(scene.lab.X_TS.begin(), scene.lab.X_TS.end(), [&](const Pose& X_TS) {
      return (p_TG - X_TS.translation()).norm() < kLabSlot_m;
    });
  }
  // a pocket's half width beyond its centre the gear's middle is in its wall
  const double beyond = kSlotOffset_m + kPocket_m / 2.0;
  const bool is_over_tray = std::abs(p_TG.x()) < beyond && std::abs(p_TG.y()) < beyond;
  return !is_over_tray || std::abs(p_TG.z() - kFloor_m) > kWallHeight_m;
}

bool has_left_belt(const Pose& X_WT) {
  return std::abs(X_WT.translation().z() - kBeltTop_m) > kWallHeight_m;
}

}  // namespace longarm::benches
