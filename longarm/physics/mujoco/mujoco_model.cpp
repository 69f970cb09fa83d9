// SPDX-License-Identifier: Apache-2.0
// Compiles MJCF from memory.
#include "longarm/physics/mujoco/mujoco_model.h"

#include <fmt/format.h>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

constexpr int kSilenced = 1;

int find(const mjModel& model, mjtObj type, const std::string& name) {
  const int number = mj_name2id(&model, type, name.c_str());
  check(number >= 0, "MuJoCo lost a part of the model");
  return number;
}

}  // namespace

MujocoModelPtr compile_mujoco_model(const std::string& mjcf) {
  std::string error;
  MujocoModelPtr model = model::load_mujoco_text(mjcf, error);
  if (!model) {
    throw InputError(
        Diagnostic{{}, fmt::format("MuJoCo cannot simulate this cell: {}", error), ""});
  }
  return model;
}

MujocoDataPtr make_mujoco_data(const mjModel& model) {
  MujocoDataPtr data(mj_makeData(&model));
  // a warning is printed the first time only
  for (mjWarningStat& warning : data->warning) {
    warning.number = kSilenced;
  }
  return data;
}

std::uint64_t count_mujoco_drops(const mjData& data) {
  const auto count = [&](mjtWarning kind) {
    return static_cast<std::uint64_t>(data.warning[kind].number - kSilenced);
  };
  return count(mjWARN_CONTACTFULL) + count(mjWARN_CNSTRFULL);
}

MujocoNumbers number_mujoco(const FlatCell& cell, const mjModel& model) {
  MujocoNumbers numbers;
  numbers.shapes.resize(static_cast<std::size_t>(model.ngeom));
  numbers.joint_of_dof.assign(static_cast<std::size_t>(model.nv), -1);
  for (std::size_t b = 0; b < cell.body_count(); ++b) {
    numbers.body.push_back(find(model, mjOBJ_BODY, fmt::format("b{}", b)));
    const auto& shapes = cell.bodies()[b].body->collisions;
    for (std::size_t g = 0; g < shapes.size(); ++g) {
      const int geom = find(model, mjOBJ_GEOM, fmt::format("g{}_{}", b, g));
      numbers.shapes[static_cast<std::size_t>(geom)] = {static_cast<BodyId>(b), static_cast<int>(g),
                                                        geom, shapes[g].surface};
    }
  }
  for (std::size_t j = 0; j < cell.joint_count(); ++j) {
    if (cell.joints()[j].is_locked) {
      numbers.position.push_back(-1);
      numbers.dof.push_back(-1);
      continue;
    }
    const int joint = find(model, mjOBJ_JOINT, fmt::format("j{}", j));
    numbers.position.push_back(model.jnt_qposadr[joint]);
    numbers.dof.push_back(model.jnt_dofadr[joint]);
    numbers.joint_of_dof[static_cast<std::size_t>(numbers.dof.back())] = static_cast<int>(j);
  }
  return numbers;
}

}  // namespace longarm::physics
