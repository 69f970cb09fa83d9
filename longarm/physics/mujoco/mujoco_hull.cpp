// SPDX-License-Identifier: Apache-2.0
// Lets MuJoCo compile the mesh alone and measures what it made of it.
#include "longarm/physics/mujoco/mujoco_hull.h"

#include <cmath>

#include "longarm/model/mesh.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

double mujoco_hull_volume(const model::MeshData& mesh) {
  const MujocoModelPtr model = compile_mujoco_model(
      "<mujoco><asset>" + mjcf_mesh("m", mesh) +
      "</asset><worldbody><geom type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>");
  model::MeshData hull;
  for (int i = 0; i < model->nmeshvert; ++i) {
    const float* vertex = model->mesh_vert + 3 * i;
    hull.vertices_m.emplace_back(vertex[0], vertex[1], vertex[2]);
  }
  for (int i = 0; i < model->nmeshface; ++i) {
    const int* face = model->mesh_face + 3 * i;
    hull.triangles.push_back({face[0], face[1], face[2]});
  }
  return std::abs(model::enclosed_volume(hull));
}

}  // namespace longarm::physics
