// SPDX-License-Identifier: Apache-2.0
// Finds touching shapes in ODE and turns them into contact joints, rays and lists of colliding
// pairs.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <ode/ode.h>

#include "longarm/physics/engine.h"
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/ode/ode_shapes.h"

namespace longarm::physics {

class OdeContacts {
 public:
  /// `error_reduction`: how much of an overlap a step removes; absent: ODE's default.
  OdeContacts(const FlatCell& cell, dWorldID world, dJointGroupID joints, double period_s,
              const std::optional<double>& error_reduction)
      : filter_(cell),
        world_(world),
        joints_(joints),
        gravity_(cell.cell().gravity_m_s2),
        period_s_(period_s),
        error_reduction_(error_reduction.value_or(kContactErrorReduction)) {}

  PairFilter& filter() { return filter_; }
  const PairFilter& filter() const { return filter_; }

  /// Replaces the contact joints by those of the present instant, between bodies that are not one.
  void detect(dSpaceID space, const MergedBodies& merged);
  /// Takes the forces of the step they took part in.
  void read_forces();
  const std::vector<Contact>& contacts() const { return contacts_; }

  /// Overlapping pairs among the shapes of `space`; some may come twice.
  std::vector<std::pair<BodyId, BodyId>> pairs(dSpaceID space) const;

 private:
  static constexpr double kContactErrorReduction = 0.2;

  friend void add_ode_contacts(void* self, dGeomID a, dGeomID b);
  void add(const dContactGeom& touch, dGeomID a, dGeomID b);
  /// The direction in which the surfaces slide, or would.
  model::Vector3 sliding_direction(const dContactGeom& touch, dBodyID a, dBodyID b) const;

  PairFilter filter_;
  dWorldID world_;
  dJointGroupID joints_;
  model::Vector3 gravity_;
  double period_s_;
  double error_reduction_;
  const MergedBodies* merged_ = nullptr;  ///< during detect()
  std::vector<Contact> contacts_;
  std::vector<bool> is_on_b_;            ///< whether ODE's first force acts on b
  std::deque<dJointFeedback> feedback_;  ///< ODE keeps pointers to these
};

/// First shape of `space` that a ray meets.
std::optional<RayHit> cast_ode_ray(dSpaceID space, const model::Vector3& origin_W,
                                   const model::Vector3& direction_W, double max_distance_m);

}  // namespace longarm::physics
