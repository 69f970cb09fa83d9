// SPDX-License-Identifier: Apache-2.0
// A compiled MuJoCo model with its data, owned, and the numbers our bodies, joints and shapes have
// in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "longarm/model/mujoco_loader.h"
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mjcf.h"

namespace longarm::physics {

/// A rotation as MuJoCo keeps it.
using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct MujocoDataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using model::MujocoModelPtr;
using MujocoDataPtr = std::unique_ptr<mjData, MujocoDataDeleter>;

/// Throws InputError with MuJoCo's own words if the model does not compile.
MujocoModelPtr compile_mujoco_model(const std::string& mjcf);

/// Data that counts warnings in silence: MuJoCo would write them to a file in the working
/// directory.
MujocoDataPtr make_mujoco_data(const mjModel& model);

/// How often MuJoCo had no room for a contact or for the rows of one.
std::uint64_t count_mujoco_drops(const mjData& data);

/// Where one of our shapes comes from; by MuJoCo's number of it.
struct MujocoShape {
  BodyId body{};
  int index = 0;
  int compiled = 0;  ///< MuJoCo's number of it before anything was merged
  model::Surface surface;
};

/// Our numbers to MuJoCo's and back.
struct MujocoNumbers {
  std::vector<int> body;          ///< MuJoCo's body by ours
  std::vector<int> position;      ///< of each joint in qpos; -1 for a locked one
  std::vector<int> dof;           ///< of each joint in qvel; -1 for a locked one
  std::vector<int> joint_of_dof;  ///< -1 for the six of a free root
  std::vector<MujocoShape> shapes;
};

MujocoNumbers number_mujoco(const FlatCell& cell, const mjModel& model);

}  // namespace longarm::physics
