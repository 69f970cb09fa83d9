// SPDX-License-Identifier: Apache-2.0
// Looks for surfaces with parameters, one per model.
#include "longarm/physics/surface_warnings.h"

#include <algorithm>

#include <fmt/format.h>

namespace longarm::physics {
namespace {

bool has_parameters(const model::Geometry& geometry) {
  const model::Surface& surface = geometry.surface;
  return surface.stiffness_N_m || surface.max_correction_m_s || surface.min_depth_m > 0.0;
}

const model::Body* first_special_body(const model::BodyTree& tree) {
  const auto found = std::find_if(tree.bodies.begin(), tree.bodies.end(), [](const auto& body) {
    return std::any_of(body.collisions.begin(), body.collisions.end(), has_parameters);
  });
  return found == tree.bodies.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Diagnostic> surface_warnings(const model::Cell& cell,
                                         const Capabilities& capabilities) {
  std::vector<Diagnostic> warnings;
  if (capabilities.has_exact_surfaces || !capabilities.has_contacts) {
    return warnings;
  }
  std::vector<std::string> seen;
  for (const model::Placement& placement : cell.placements) {
    const model::Body* body = first_special_body(placement.tree);
    if (body == nullptr || std::find(seen.begin(), seen.end(), placement.tree.name) != seen.end()) {
      continue;
    }
    seen.push_back(placement.tree.name);
    warnings.push_back({body->where,
                        fmt::format("body '{}': this engine applies the contact parameters kp, kd, "
                                    "min_depth and max_vel normal to the contact only; tangential "
                                    "friction is soft as well, so that held parts creep",
                                    body->name),
                        "use engine ode if that matters", Severity::kWarning});
  }
  return warnings;
}

}  // namespace longarm::physics
