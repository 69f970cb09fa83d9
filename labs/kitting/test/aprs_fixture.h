// SPDX-License-Identifier: Apache-2.0
// The cell aprs as its cameras would report it, without noise, for the tests.
#pragma once

#include <string>
#include <vector>

#include "labs/kitting/world_model.h"

namespace longarm::kitting {

struct Standing {
  std::string name;
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
  double yaw = 0.0;
};

inline Pose pose_of(double x, double y, double z, double yaw) {
  Pose X = Pose::Identity();
  X.translation() = Vector3(x, y, z);
  X.linear() = Eigen::AngleAxisd(yaw, Vector3::UnitZ()).toRotationMatrix();
  return X;
}

/// The trays of the world file.
inline std::vector<Standing> aprs_trays() {
  return {{"large_vessel_1", 0.14, -0.542, 0.91, 0.041},
          {"large_vessel_2", -0.345, -0.71, 0.91, 0.041},
          {"small_vessel_1", -0.051, -0.548, 0.91, 0.046},
          {"s2l2_kit_1", 0.147, -0.702, 0.91, 0.0},
          {"s2l2_kit_2", -0.098, -0.711, 0.91, 0.0},
          {"m2l1_kit_1", 0.399147, -1.04506, 0.916, -1.6077},
          {"m2l1_kit_2", 0.183254, -1.053015, 0.916, -1.6077},
          {"medium_vessel_1", 0.190185, -1.23805, 0.916, 0.0339},
          {"large_vessel_3", 0.392182, -1.262896, 0.916, 1.6115}};
}

/// A frame of everything: trays where they stand, gears in the vessels' slots, numbered through.
/// What is on the belt is `upstream_m` short of its station.
inline devices::CameraFrame aprs_frame(const Ontology& ontology, Time stamp,
                                       const std::vector<Standing>& trays,
                                       double upstream_m = 0.0) {
  devices::CameraFrame frame;
  frame.stamp = stamp;
  std::vector<int> count(ontology.parts.size(), 0);
  for (const Standing& tray : trays) {
    const TrayKind* kind = ontology.tray_of(tray.name);
    const double shift = tray.z < 0.913 ? upstream_m : 0.0;
    const Pose X_WT = pose_of(tray.x - shift, tray.y, tray.z, tray.yaw);
    frame.detections.push_back({tray.name, X_WT, 0.95});
    for (const SlotKind& slot : kind->slots) {
      if (kind->is_kit()) {
        continue;
      }
      for (std::size_t p = 0; p < ontology.parts.size(); ++p) {
        if (ontology.parts[p].name == slot.part) {
          frame.detections.push_back({ontology.parts[p].objects + "_" + std::to_string(++count[p]),
                                      X_WT * Eigen::Translation3d(slot.seat()), 0.95});
        }
      }
    }
  }
  return frame;
}

inline devices::CameraFrame aprs_frame(const Ontology& ontology, Time stamp,
                                       double upstream_m = 0.0) {
  return aprs_frame(ontology, stamp, aprs_trays(), upstream_m);
}

inline devices::Detection* find_detection(devices::CameraFrame& frame, const std::string& name) {
  for (devices::Detection& each : frame.detections) {
    if (each.name == name) {
      return &each;
    }
  }
  return nullptr;
}

inline Time at_ms(std::int64_t count) {
  return Time(Duration(count * 1'000'000));
}

}  // namespace longarm::kitting
