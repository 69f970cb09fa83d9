// SPDX-License-Identifier: Apache-2.0
// Finds the surface of a belt and what is over it, by shapes alone.
#include "longarm/actors/upstream.h"

#include <fmt/format.h>

#include "longarm/cell/contact_watch.h"
#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"

namespace longarm::actors {
namespace {

using model::Vector3;

// what stands on a tray on the belt is not higher than this over it
constexpr double kHighest_m = 0.3;
constexpr double kDeepest_m = 0.02;

struct Surface {
  model::Pose X_WS = model::Pose::Identity();
  Vector3 axis_W = Vector3::UnitX();
  const model::Body* body = nullptr;
};

Surface find_surface(const model::Cell& cell, int joint) {
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const model::Placement& placement = cell.placements[p];
    const int own = joint - cell.first_joint(static_cast<int>(p));
    if (own < 0 || own >= static_cast<int>(placement.tree.joints.size())) {
      continue;
    }
    const model::TreeJoint& slider = placement.tree.joints[static_cast<std::size_t>(own)];
    if (slider.parent_body != 0) {
      throw InputError(Diagnostic{{}, "the surface of this belt is not on its frame", ""});
    }
    Surface surface;
    surface.X_WS = placement.X_WR * slider.X_PJ;
    surface.axis_W = surface.X_WS.linear() * slider.axis;
    surface.body = &placement.tree.bodies[static_cast<std::size_t>(own + 1)];
    return surface;
  }
  check(false, "a belt's joint that is not there");
  return {};
}

/// Whether a point is over one of the surface's boxes, or a bit in it.
bool is_over(const Surface& surface, const Vector3& p_W) {
  for (const model::Geometry& geometry : surface.body->collisions) {
    const auto* box = std::get_if<model::Box>(&geometry.shape);
    if (box == nullptr) {
      continue;
    }
    const Vector3 p = (surface.X_WS * geometry.X_LG).inverse() * p_W;
    const double above = p.z() - box->size_m.z() / 2.0;
    if (std::abs(p.x()) <= box->size_m.x() / 2.0 && std::abs(p.y()) <= box->size_m.y() / 2.0 &&
        above >= -kDeepest_m && above <= kHighest_m) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<int> standing_on_belt(const model::Cell& cell, int joint) {
  const Surface surface = find_surface(cell, joint);
  std::vector<int> standing;
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const model::Placement& placement = cell.placements[p];
    if (cell::is_loose(placement) && is_over(surface, placement.X_WR.translation())) {
      standing.push_back(static_cast<int>(p));
    }
  }
  return standing;
}

void put_upstream(model::Cell& cell, int joint, double upstream_m) {
  const Surface surface = find_surface(cell, joint);
  for (const int number : standing_on_belt(cell, joint)) {
    model::Placement& placement = cell.placements[static_cast<std::size_t>(number)];
    placement.X_WR.translation() -= upstream_m * surface.axis_W;
    if (!is_over(surface, placement.X_WR.translation())) {
      throw InputError(Diagnostic{
          {},
          fmt::format("{:g} m upstream, '{}' is no longer on the belt", upstream_m, placement.name),
          "use less"});
    }
  }
}

}  // namespace longarm::actors
