// SPDX-License-Identifier: Apache-2.0
// Somebody who walks into the light curtain and out again: a body on a slider.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/devices/light_curtain.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::actors {

inline constexpr const char* kVisitor = "visitor";

/// How the visitor stands and walks.
struct VisitorShape {
  double radius_m = 0.2;
  double height_m = 1.7;
  double gap_m = 0.5;  ///< between the front and the beams, at rest
  double speed_m_s = 1.0;
};

/// How long before the beams are broken the visitor sets off, and for how long they are at least.
Duration walk_up();
Duration shortest_visit();

/// Before the middle of the first pair of poles, on the side away from `p_W`. The slider leads
/// through the beams.
model::Placement make_visitor(const std::string& name, const devices::CurtainConfig& curtain,
                              const model::Vector3& p_W);

/// One or more visits; the beams are broken from `at` for `length` each.
class VisitorWalk {
 public:
  struct Visit {
    Time at{};
    Duration length{};
  };

  VisitorWalk(physics::Engine& engine, physics::JointId joint, std::vector<Visit> visits);

  /// Before the step that ends at `then`.
  void before_step(Time then);
  /// Where on the slider, at an instant.
  double position_m(Time at) const;

 private:
  physics::Engine& engine_;
  physics::JointId joint_;
  std::vector<Visit> visits_;
};

}  // namespace longarm::actors
