// SPDX-License-Identifier: Apache-2.0
// Compares the volume of each mesh with that of its convex hull.
#include "longarm/physics/mesh_warnings.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "longarm/model/mesh.h"
#include "longarm/physics/mujoco/mujoco_hull.h"

namespace longarm::physics {
namespace {

constexpr double kNotable = 0.05;

void add_warning(const model::Body& body, const model::MeshData& mesh,
                 std::vector<Diagnostic>& warnings) {
  const double volume = std::abs(model::enclosed_volume(mesh));
  const double excess = mujoco_hull_volume(mesh) / volume - 1.0;
  if (!(excess > kNotable)) {
    return;
  }
  const std::string how_much = excess < 10.0
                                   ? fmt::format("{:.0f} % larger than the mesh", 100.0 * excess)
                                   : "many times larger than the mesh, or the mesh is not closed";
  warnings.push_back({body.where,
                      fmt::format("body '{}': this engine collides with the convex hull of mesh "
                                  "'{}', which is {}",
                                  body.name, mesh.file, how_much),
                      "use engine ode, or several convex meshes", Severity::kWarning});
}

}  // namespace

std::vector<Diagnostic> mesh_warnings(const model::Cell& cell, const Capabilities& capabilities) {
  std::vector<Diagnostic> warnings;
  if (capabilities.has_true_meshes || !capabilities.has_contacts) {
    return warnings;
  }
  std::vector<const model::MeshData*> seen;
  for (const model::Placement& placement : cell.placements) {
    for (const model::Body& body : placement.tree.bodies) {
      for (const model::Geometry& geometry : body.collisions) {
        const auto* mesh = std::get_if<model::Mesh>(&geometry.shape);
        if (mesh != nullptr && mesh->data != nullptr &&
            std::find(seen.begin(), seen.end(), mesh->data.get()) == seen.end()) {
          seen.push_back(mesh->data.get());
          add_warning(body, *mesh->data, warnings);
        }
      }
    }
  }
  return warnings;
}

}  // namespace longarm::physics
