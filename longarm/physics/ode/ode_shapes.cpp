// SPDX-License-Identifier: Apache-2.0
// Meshes against everything: planes by our own search, other shapes by ODE's.
#include "longarm/physics/ode/ode_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "longarm/physics/ode/ode_world.h"

namespace longarm::physics {
namespace {

using model::Vector3;

constexpr int kMostRawContacts = 256;

bool is_mesh(dGeomID shape) {
  return dGeomGetClass(shape) == dTriMeshClass;
}

/// ODE stops at the first corners that it finds below a plane. The outermost ones in a fan of
/// directions carry a body that stands on any number of them. `is_mesh_first` says whose contact it
/// is: ODE's normals point into the first shape.
int collide_mesh_with_plane(dGeomID mesh, dGeomID plane, bool is_mesh_first,
                            std::span<dContactGeom, kMostContactsPerPair> touches) {
  dVector4 equation;
  dGeomPlaneGetParams(plane, equation);
  const Vector3 up(equation[0], equation[1], equation[2]);
  const Vector3 east = up.unitOrthogonal();
  const Vector3 north = up.cross(east);
  struct Outermost {
    double reach = 0.0;
    double depth = -1.0;
    std::size_t corner = 0;
    Vector3 p_W;
  };
  std::array<Outermost, kMostContactsPerPair> outermost;
  const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> R(dGeomGetRotation(mesh));
  const Vector3 origin = to_vector(dGeomGetPosition(mesh));
  const std::vector<Vector3>& vertices = shape_of(mesh).mesh->vertices_m;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector3 p = origin + R.leftCols<3>() * vertices[i];
    const double depth = equation[3] - up.dot(p);
    if (depth < 0.0) {
      continue;
    }
    for (std::size_t k = 0; k < outermost.size(); ++k) {
      // half a sector off the axes, where the corners of boxes are not ties
      const double angle = (static_cast<double>(k) + 0.5) * std::numbers::pi / 4.0;
      const double reach = std::cos(angle) * east.dot(p) + std::sin(angle) * north.dot(p);
      if (outermost[k].depth < 0.0 || reach > outermost[k].reach) {
        outermost[k] = {reach, depth, i, p};
      }
    }
  }
  int count = 0;
  for (std::size_t k = 0; k < outermost.size(); ++k) {
    const bool is_repeated =
        std::any_of(outermost.begin(), outermost.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const Outermost& other) { return other.corner == outermost[k].corner; });
    if (outermost[k].depth < 0.0 || is_repeated) {
      continue;
    }
    dContactGeom& touch = touches[static_cast<std::size_t>(count++)];
    touch = {};
    const Vector3 normal = is_mesh_first ? up : Vector3(-up);
    std::copy_n(outermost[k].p_W.data(), 3, touch.pos);
    std::copy_n(normal.data(), 3, touch.normal);
    touch.depth = outermost[k].depth;
    touch.g1 = is_mesh_first ? mesh : plane;
    touch.g2 = is_mesh_first ? plane : mesh;
  }
  return count;
}

/// Keeps the deepest contact and then, one by one, the one farthest from all that are kept.
int keep_far_apart(std::span<const dContactGeom> found,
                   std::span<dContactGeom, kMostContactsPerPair> kept) {
  std::array<double, kMostRawContacts> distance;
  distance.fill(std::numeric_limits<double>::infinity());
  std::size_t next = 0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    next = found[i].depth > found[next].depth ? i : next;
  }
  int count = 0;
  while (count < kMostContactsPerPair) {
    kept[static_cast<std::size_t>(count++)] = found[next];
    const Vector3 last = to_vector(found[next].pos);
    for (std::size_t i = 0; i < found.size(); ++i) {
      distance[i] = std::min(distance[i], (to_vector(found[i].pos) - last).norm());
    }
    next = static_cast<std::size_t>(
        std::max_element(distance.begin(), distance.begin() + std::ssize(found)) -
        distance.begin());
    // the rest repeats what is there
    if (!(distance[next] > 1e-9)) {
      break;
    }
  }
  return count;
}

}  // namespace

OdeMeshes::~OdeMeshes() {
  for (const Entry& entry : entries_) {
    dGeomTriMeshDataDestroy(entry.data);
  }
}

dTriMeshDataID OdeMeshes::data_of(const model::MeshData& mesh) {
  for (const Entry& entry : entries_) {
    if (entry.mesh == &mesh) {
      return entry.data;
    }
  }
  static_assert(sizeof(std::array<int, 3>) == 3 * sizeof(dTriIndex));
  const dTriMeshDataID data = dGeomTriMeshDataCreate();
  dGeomTriMeshDataBuildDouble(data, mesh.vertices_m.data(), sizeof(Vector3),
                              static_cast<int>(mesh.vertices_m.size()), mesh.triangles.data(),
                              static_cast<int>(3 * mesh.triangles.size()),
                              sizeof(std::array<int, 3>));
  entries_.push_back({&mesh, data});
  return data;
}

int collide_ode_shapes(dGeomID a, dGeomID b,
                       std::span<dContactGeom, kMostContactsPerPair> touches) {
  if (!is_mesh(a) && !is_mesh(b)) {
    return dCollide(a, b, kMostContactsPerPair, touches.data(), sizeof(dContactGeom));
  }
  if (dGeomGetClass(b) == dPlaneClass) {
    return collide_mesh_with_plane(a, b, true, touches);
  }
  if (dGeomGetClass(a) == dPlaneClass) {
    return collide_mesh_with_plane(b, a, false, touches);
  }
  std::array<dContactGeom, kMostRawContacts> found;
  const int count = dCollide(a, b, kMostRawContacts, found.data(), sizeof(dContactGeom));
  return count == 0 ? 0 : keep_far_apart({found.data(), static_cast<std::size_t>(count)}, touches);
}

}  // namespace longarm::physics
