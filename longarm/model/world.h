// SPDX-License-Identifier: Apache-2.0
// Reads SDF worlds: several models and where they stand.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/model/cell.h"
#include "longarm/model/contact_sensor_wish.h"
#include "longarm/model/model.h"
#include "longarm/model/model_search.h"
#include "longarm/model/plugin.h"

namespace longarm::model {

/// One model of a world; `X_WM` is the place of its frame.
struct WorldModel {
  std::string name;
  Model model;
  Pose X_WM = Pose::Identity();
  std::vector<Plugin> plugins{};                     ///< its own and those of models inside it
  std::vector<ContactSensorWish> contact_sensors{};  ///< likewise
};

struct World {
  std::string name;
  Vector3 gravity_m_s2{0.0, 0.0, -9.81};
  std::vector<WorldModel> models;  ///< in the order of the file
};

/// The first `<world>` of an SDF file, or its one `<model>` as a world of its own. `<include>`d
/// models may be SDF or URDF. Plug-ins of models are kept as data. Lights, physics and the like
/// belong to other programs and are left out, actors and populations with a warning. Gazebo's sun
/// and ground plane need not be installed. After errors the world is empty.
World read_world_file(const std::string& path, const ModelSearch& search, InputFiles& files,
                      Diagnostics& diagnostics);

/// What is static, or hangs on a link named `world`, is fixed; everything else floats.
std::vector<Placement> make_placements(const World& world, Diagnostics& diagnostics);

}  // namespace longarm::model
