// SPDX-License-Identifier: Apache-2.0
// Shapes in ODE: what they belong to, the triangles of meshes, and where two of them touch.
#pragma once

#include <span>
#include <vector>

#include <ode/ode.h>

#include "longarm/model/shape.h"
#include "longarm/physics/engine.h"

namespace longarm::physics {

/// What an ODE shape belongs to; its user data.
struct OdeShape {
  BodyId body{};
  int index = 0;
  model::Surface surface;
  const model::MeshData* mesh = nullptr;  ///< if it is one
};

inline const OdeShape& shape_of(dGeomID geom) {
  return *static_cast<const OdeShape*>(dGeomGetData(geom));
}

inline constexpr int kMostContactsPerPair = 8;

/// The triangles of meshes as ODE stores them, each mesh once. Must outlive the shapes that use
/// them; borrows the meshes.
class OdeMeshes {
 public:
  OdeMeshes() = default;
  ~OdeMeshes();
  OdeMeshes(const OdeMeshes&) = delete;
  OdeMeshes& operator=(const OdeMeshes&) = delete;

  dTriMeshDataID data_of(const model::MeshData& mesh);

 private:
  struct Entry {
    const model::MeshData* mesh;
    dTriMeshDataID data;
  };
  std::vector<Entry> entries_;
};

/// dCollide() for any two shapes, with at most kMostContactsPerPair contacts. Where ODE finds more
/// between meshes, those that lie farthest apart are kept.
int collide_ode_shapes(dGeomID a, dGeomID b, std::span<dContactGeom, kMostContactsPerPair> touches);

}  // namespace longarm::physics
